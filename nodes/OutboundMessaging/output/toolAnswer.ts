import type { IDataObject } from 'n8n-workflow';

import type { Failure } from '../delivery/failure';
import type { Accepted, Failed, Outcome, Skipped } from '../delivery/outcome';
import { sentence } from './words';

/**
 * What an AI agent reads about its call. n8n passes on an item's `json` and drops an error's description, so
 * everything is in there, in words that an agent can act on.
 * @param isRepeated whether an earlier run of the call sent the message
 * @param argumentsOf the agent's own arguments for a parameter, by the parameter's name
 */
export function toolAnswer(
	outcome: Outcome,
	isRepeated: boolean,
	argumentsOf: (parameter: string) => string[],
): IDataObject {
	if (outcome.delivery === 'accepted') return acceptedAnswer(outcome, isRepeated);
	if (outcome.delivery === 'skipped') return skippedAnswer(outcome);
	const { delivery, failure } = outcome;
	const { title, statusCode, code } = failure;
	const fix = delivery === 'uncertain' ? UNCERTAIN : whatToDo(outcome, argumentsOf);
	return { error: title, details: { delivery, fix, statusCode, code } };
}

/** The answer as one text: an error has no other field that reaches an agent. */
export function answerText({ error, details }: IDataObject): string {
	return `${sentence(String(error))} ${String((details as IDataObject).fix)}`;
}

const UNCERTAIN =
	"The message may have been sent. Don't call this tool again for this customer: that could send the message twice. Tell a person to check the service's dashboard.";

function acceptedAnswer({ record, contentChanged }: Accepted, isRepeated: boolean): IDataObject {
	if (!isRepeated) return record;
	const note = contentChanged
		? "This call already sent this customer a message with different content. This is its result; the new content wasn't sent."
		: "This message was already sent in this execution. This is its result; it wasn't sent again.";
	return { ...record, alreadySent: true, note };
}

function skippedAnswer({ reason, details }: Skipped): IDataObject {
	const note = `${SKIPPED[reason]} Nothing was sent now. Don't call this tool again for this message.`;
	return { skipped: true, reason, ...details, note };
}

const SKIPPED: Record<Skipped['reason'], string> = {
	alreadySent: 'A message with this send-once key was already sent.',
	doNotContact: 'This customer must not be contacted.',
	repeatedRecipient: 'This customer already got a message in this execution, and gets only one.',
	testRun: 'This is a test run, and its test messages have been sent.',
};

/** What the agent can do about a message that was certainly not sent. */
function whatToDo({ failure }: Failed, argumentsOf: (parameter: string) => string[]): string {
	const fix = sentence(failure.description);
	const parts = [nextStep(failure, argumentsOf), fix].filter((part) => part !== '');
	return [...(fix.startsWith('Nothing was sent') ? [] : ['Nothing was sent.']), ...parts].join(' ');
}

/** Empty if the fix says it already. */
function nextStep(
	{ description, parameter, n8nCause }: Failure,
	argumentsOf: (parameter: string) => string[],
): string {
	if (description.startsWith('Call this tool')) return '';
	const names = parameter === undefined ? [] : argumentsOf(parameter).map((name) => `'${name}'`);
	if (names.length > 0)
		return `Call this tool again with another value for ${names.join(' and ')}.`;
	switch (n8nCause?.cause) {
		case 'credential-invalid':
		case 'configuration-invalid':
		case 'node-defect':
			return "Calling this tool again won't help: tell the person who runs this workflow.";
		case 'rate-limited':
		case 'quota-exhausted':
		case 'temporarily-unavailable':
			return 'Call this tool again later.';
		default:
			return '';
	}
}
