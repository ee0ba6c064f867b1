import type { IDataObject } from 'n8n-workflow';

import { type Failure, titleForAgents, type ErrorText, twoLines } from '../common/failure';
import { mayHaveArrived } from '../delivery/beforeAndNow';
import type { Failed, Outcome } from '../delivery/message';
import { operations } from '../operations';
import { sentences } from '../output/words';

/**
 * What an AI agent reads about its calls, in words that it can act on; reasons to skip a message
 * bring their own.
 */
const LATER =
	'Call this tool again later. If that fails too, tell the person who runs this workflow.';
const TELL_A_PERSON = "Calling this tool again won't help: tell the person who runs this workflow.";
const ASK_FIRST =
	"Don't call this tool again for this customer: that could send the message twice. Tell a " +
	"person to check the service's dashboard.";
const UNCERTAIN = `The message may have been sent. ${ASK_FIRST}`;
const UNCERTAIN_BEFORE =
	'Nothing was sent this time, but an earlier message to ' +
	`this customer may have been. ${ASK_FIRST}`;

/** A failure of the call itself; its description is what the agent reads. */
const ofCall = (text: ErrorText) => ({ ...text, reason: 'toolCall' }) satisfies Failure;

export const OUT_OF_TIME =
	ofCall(twoLines`This message wasn't sent: a call ends within 45 seconds, and \
			there was no time left for it
		${LATER}`);

export const MIXED_UP =
	ofCall(twoLines`n8n gave this call the arguments of another call that ran at the same time
		Tell the person who runs this workflow to set 'Batch Size' of the agent's 'Batch Processing' \
			to 1, and to call that agent once at a time.`);

export const CANNOT_WAIT =
	ofCall(twoLines`This tool is set to wait for a person's answer, which a call can't do
		Tell the person who runs this workflow to choose another operation. To let a person approve \
			calls, n8n has human review.`);

export const unsafeExpression = (label: string) =>
	ofCall(twoLines`'${label}' is an expression that can give another customer than the \
			one that this call is about
		Tell the person who runs this workflow to use $fromAI() there, or $('…').first() with \
			one item per execution.`);

/**
 * n8n's engine drops every item that a tool with an error output gives out; only an error
 * reaches the agent.
 */
export const REPLIES_ARE_LOST =
	"'On Error' of this tool is set to 'Continue (using error output)', and n8n then keeps every " +
	'result from the agent. Nothing was sent. Tell the person who runs this workflow to set ' +
	"'On Error' to 'Continue'.";

const DONE = "Don't call this tool again for this message.";

export const DRY_RUN = "Nothing was sent: 'Dry Run' is on.";

/**
 * n8n passes on an item's `json` and drops an error's description, so everything is in there.
 * @param wasUncertain whether another message to the same customer may have been sent
 *   in this execution
 * @param names the agent's own arguments for the field at fault; without one, all of them
 * @param isPassed whether all of the field at fault comes from the call
 */
export function toolReply(
	outcome: Outcome,
	wasUncertain: boolean,
	names: string[],
	isPassed: boolean,
): IDataObject {
	if (outcome.delivery === 'accepted') {
		const { record, origin, contentChanged } = outcome;
		if (origin === undefined) return record;
		return { ...record, alreadySent: true, note: contentChanged ? CHANGED : REPEATED };
	}
	if (outcome.delivery === 'skipped') {
		const { why } = outcome;
		const note = `${why.forAgents} Nothing was sent now. ${DONE}`;
		return { skipped: true, reason: why.reason, note };
	}
	const { delivery, failure } = outcome;
	const { statusCode, code, reason } = failure;
	const error = failure.forAgents?.error ?? titleForAgents(failure, isPassed);
	const fix = nextStep(outcome, wasUncertain, names);
	return {
		error,
		details: {
			delivery: mayHaveArrived(outcome) ? 'uncertain' : delivery,
			fix,
			statusCode,
			code: reason ?? code,
		},
	};
}

const REPEATED =
	"This message was already sent in this execution. This is its result; it wasn't sent again.";
const CHANGED =
	'This call already sent this customer a message with different content. This is its result; ' +
	"the new content wasn't sent.";

/** The reply as one text: an error has no other field that reaches an agent. */
export const replyText = ({ error, details }: IDataObject): string =>
	`${sentences(String(error))} ${String((details as IDataObject).fix)}`;

function nextStep({ delivery, failure }: Failed, wasUncertain: boolean, names: string[]): string {
	if (delivery === 'uncertain' || failure.mayRepeatEarlier) return UNCERTAIN;
	if (wasUncertain || failure.reason === 'uncertainDelivery') return UNCERTAIN_BEFORE;
	return `Nothing was sent. ${afterNothingSent(failure, names)}`;
}

function afterNothingSent(failure: Failure, names: string[]): string {
	const { reason, description, forAgents, parameter, n8nCause, statusCode } = failure;
	if (reason === 'toolCall') return description;
	if (forAgents !== undefined) return forAgents.step;
	if (n8nCause?.cause === 'temporarily-unavailable' || n8nCause?.cause === 'rate-limited') {
		const { retryAfterMs } = n8nCause;
		if (!retryAfterMs) return LATER;
		return (
			`The service asks to wait ${Math.ceil(retryAfterMs / 1000)} seconds: call this ` +
			'tool again after that.'
		);
	}
	const listed = names.map((name) => `'${name}'`).join(' or ');
	if (listed !== '' && parameter) {
		const takes = operations.map(({ fields }) => fields[parameter]?.takes).find(Boolean);
		return `Call this tool again with another value for ${listed}${takes ? `: ${takes}` : ''}.`;
	}
	// The service judged the message, and doesn't say by what.
	if (listed !== '' && n8nCause === undefined && statusCode !== undefined)
		return (
			`If the error is about ${listed}, call this tool again with another value for it. ` +
			'Otherwise tell the person who runs this workflow.'
		);
	return TELL_A_PERSON;
}
