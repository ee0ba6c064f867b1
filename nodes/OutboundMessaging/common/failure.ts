import type { NodeApiError } from 'n8n-workflow';

export interface ErrorText {
	/** What happened. */
	title: string;
	/** How to fix it. */
	description: string;
}

/**
 * An error as people read it: the first line of the template says what happened, the second one how
 * to fix it. A line that ends in a backslash goes on in the next one.
 */
export function twoLines(lines: TemplateStringsArray, ...values: unknown[]): ErrorText {
	// Line breaks in the values don't count, and none of them has the mark.
	const raw = lines.map((line) => line.replace(/\n\t+/, '\0').replaceAll('\t', ''));
	const shown = values.map((value) => String(value).replaceAll('\0', '·'));
	const [title, description] = String.raw({ raw }, ...shown).split('\0');
	return { title, description };
}

/**
 * Why a message was not accepted, in words (the service's own where it gave any) and in marks
 * for the next step.
 */
export interface Failure extends ErrorText {
	/** The fix also says how to send the message. */
	isUnsent?: boolean;
	/** The service may have an earlier message like this one. */
	mayRepeatEarlier?: boolean;
	parameter?: string;
	statusCode?: number;
	code?: string;
	/** Why the node itself didn't send it: in the output it takes the place of the service's code. */
	reason?:
		| 'invalidInput'
		| 'listRejected'
		| 'serviceDown'
		| 'maxMessages'
		| 'outsideAllowedHours'
		| 'repeatedRecipient'
		| 'sentByOtherRetry'
		| 'stopAfterFailures'
		| 'toolCall'
		| 'uncertainDelivery';
	/** When it can be sent: an ISO 8601 time in UTC, e.g. for a Wait node. */
	sendAfter?: string;
	/**
	 * What an agent reads instead of the title, and what it should do next. Without it, the argument
	 * at fault is named.
	 */
	forAgents?: { error?: string; step: string };
	n8nCause?: NodeApiError['failure'];
}

/**
 * The whole run is rejected before anything is sent, e.g. because of an option or the credential.
 */
export class RunRejected extends Error {
	constructor(readonly failure: Failure) {
		super(failure.title);
	}
}

/** The run is rejected for something that the user has to change. */
export const misconfigured = (text: ErrorText, reason?: Failure['reason']): RunRejected =>
	new RunRejected({ ...text, reason, n8nCause: { cause: 'configuration-invalid' } });

/**
 * What went wrong, as an AI agent may read it: a setting, and data that its call didn't pass, can
 * be about other customers.
 * @param isPassed whether all of the parameter at fault comes from the call
 */
export function titleForAgents({ title, parameter }: Failure, isPassed = false): string {
	if (parameter === undefined || isPassed) return title;
	// The label is in quotes, at the beginning.
	const [label] = title.split("' ");
	return `${label}' has a value that can't be used`;
}

/** What an error says, without the name of its class. */
export const errorMessage = (error: unknown): string =>
	error instanceof Error ? error.message : String(error);
