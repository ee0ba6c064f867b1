import type { IDataObject } from 'n8n-workflow';

import type { Failure } from '../delivery/failure';
import type { Accepted, Failed, Outcome, Skipped } from '../delivery/outcome';
import { sentence } from '../output/words';

const TELL = "Calling this tool again won't help: tell the person who runs this workflow.";

/** What is known about a call besides its outcome. */
export interface Facts {
	/** An earlier run of the call sent the message. */
	isRepeated: boolean;
	/** Another message to the same customer may have been sent in this execution. */
	wasUncertain: boolean;
	/** The send-once key was used for another customer in this execution. */
	isKeyOfOther: boolean;
	/** 'Stop After Failures' has ended the run. */
	isStopped: boolean;
}

/** The agent's own arguments for a parameter, by the parameter's name; without one, all of them. */
type ArgumentsOf = (parameter?: string) => string[];

/**
 * What an AI agent reads about its call. n8n passes on an item's `json` and drops an error's description, so
 * everything is in there, in words that an agent can act on.
 */
export function toolAnswer(
	outcome: Outcome,
	facts: Partial<Facts>,
	argumentsOf: ArgumentsOf,
): IDataObject {
	if (outcome.delivery === 'accepted') return acceptedAnswer(outcome, facts.isRepeated === true);
	if (outcome.delivery === 'skipped') return skippedAnswer(outcome, facts.isKeyOfOther === true);
	const { delivery, failure } = outcome;
	const { statusCode, code, reason } = failure;
	const fix = delivery === 'uncertain' ? UNCERTAIN : whatToDo(outcome, facts, argumentsOf);
	const error = SAFEGUARDS[String(reason)]?.error ?? failure.title;
	return { error, details: { delivery, fix, statusCode, code: reason ?? code } };
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

function skippedAnswer({ reason, details }: Skipped, isKeyOfOther: boolean): IDataObject {
	if (isKeyOfOther) {
		return { skipped: true, reason: 'keyOfOtherCustomer', ...details, note: KEY_OF_OTHER };
	}
	const note = `${SKIPPED[reason]} Nothing was sent now. Don't call this tool again for this message.`;
	return { skipped: true, reason, ...details, note };
}

const KEY_OF_OTHER = `This customer got nothing: the send-once key was used for another customer before. ${TELL}`;

export const SKIPPED: Record<Skipped['reason'], string> = {
	alreadySent: 'A message with this send-once key was already sent.',
	doNotContact: 'This customer must not be contacted.',
	repeatedRecipient: 'This customer already got a message in this execution, and gets only one.',
	testRun: 'This is a test run, and its test messages have been sent.',
};

/** What the agent can do about a message that was certainly not sent. */
function whatToDo(
	{ failure }: Failed,
	{ wasUncertain, isStopped }: Partial<Facts>,
	argumentsOf: ArgumentsOf,
): string {
	if (wasUncertain) return UNCERTAIN_BEFORE;
	if (isStopped) return `Nothing was sent. ${TELL}`;
	const steps = SAFEGUARDS[String(failure.reason)]?.fix ?? nextSteps(failure, argumentsOf);
	return `Nothing was sent. ${steps}`.trim();
}

const UNCERTAIN_BEFORE =
	"Nothing was sent this time, but an earlier message to this customer may have been. Don't call this tool again for this customer. Tell a person to check the service's dashboard.";

/** Where the words for a list of items say nothing to an agent. */
const SAFEGUARDS: Record<string, { error?: string; fix: string } | undefined> = {
	repeatedRecipient: {
		error: 'This customer got a message before in this execution, and gets only one',
		fix: "Don't call this tool again for this customer.",
	},
	outsideAllowedHours: { fix: "Don't call this tool again before that time." },
};

function nextSteps(failure: Failure, argumentsOf: ArgumentsOf): string {
	const { description, parameter, n8nCause, statusCode } = failure;
	const fix = sentence(description).replace(/^Nothing was sent[^.]*\. /, '');
	if (fix.startsWith('Call this tool')) return fix;
	const names = parameter === undefined ? [] : argumentsOf(parameter);
	if (names.length > 0) {
		const again = `Call this tool again with another value for ${quoted(names, 'and')}.`;
		return [again, ...forAgents(fix)].join(' ');
	}
	switch (n8nCause?.cause) {
		case 'credential-invalid':
		case 'configuration-invalid':
		case 'node-defect':
			return `${TELL} ${fix}`;
		case 'rate-limited':
			return later('retryAfterMs' in n8nCause ? n8nCause.retryAfterMs : undefined);
		case 'temporarily-unavailable':
			return [later(), ...forAgents(fix)].join(' ');
	}
	if (statusCode === undefined) return forAgents(fix).join(' ');
	const all = OF_THE_WORKFLOW.has(statusCode) ? [] : argumentsOf();
	if (all.length === 0) return [TELL, ...forAgents(fix)].join(' ');
	return `If the error is about ${quoted(all, 'or')}, call this tool again with another value for it. Otherwise tell the person who runs this workflow.`;
}

/** Statuses that no argument of an agent changes. */
const OF_THE_WORKFLOW = new Set([403, 405, 407]);

/** The sentences that aren't for a person who builds a workflow, or looks at a list. */
function forAgents(fix: string): string[] {
	return fix.split(/(?<=[.!?]) /).filter((each) => !/\b(?:items?|map|run|retry)\b/i.test(each));
}

function later(retryAfterMs?: number): string {
	if (retryAfterMs === undefined) return 'Call this tool again later.';
	return `The service asks to wait ${Math.ceil(retryAfterMs / 1000)} seconds: call this tool again after that.`;
}

function quoted(names: string[], word: 'and' | 'or'): string {
	return [...new Set(names)].map((name) => `'${name}'`).join(` ${word} `);
}
