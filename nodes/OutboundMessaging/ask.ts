import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Failure } from './delivery/failure';
import type { Accepted, Outcome } from './delivery/outcome';
import type { Send } from './delivery/port';
import { RunRejected } from './delivery/runRejected';
import { isHumanReview, notApproved } from './tool/humanReview';
import { unreadable } from './parameters/unreadable';
import type { InvalidValue } from './validation/invalidValue';
import { checkLink, withLink } from './waitForResponse/link';
import type { OpenQuestion, Question, WaitingItem } from './waitForResponse/question';
import { QUESTION_PARAMETER } from './waitForResponse/question';
import { waitEnd } from './waitForResponse/waitLimit';

/** Asks one person, and waits for the answer. */
export class Asking {
	private readonly id: string;
	private readonly link: string;
	private readonly hint?: string;

	/**
	 * Checks everything that would keep the answer from coming back, before anything is sent.
	 * @param baseUrl of the service
	 * @throws RunRejected
	 */
	constructor(
		private readonly context: IExecuteFunctions,
		baseUrl: string,
	) {
		const count = context.getInputData().length;
		if (count > 1) throw rejected(severalItems(count));
		if (typeof context.getSignedResumeUrl !== 'function') throw rejected(TOO_OLD);
		this.waitEnd();
		// The links of a loop's runs differ in this only: with the first one, its person could answer for the next.
		this.id = String(context.getWorkflowDataProxy(0).$runIndex);
		this.link = context.getSignedResumeUrl({ [QUESTION_PARAMETER]: this.id });
		try {
			this.hint = checkLink(this.link, baseUrl);
		} catch (error) {
			const { message, fix } = error as InvalidValue;
			throw rejected({ title: message, description: fix });
		}
	}

	/** Puts the link into the message, and remembers which execution it leads to. */
	sender(send: Send): Send {
		return async (request) => {
			this.context.getContext('node').askedIn = this.context.getExecutionId();
			return await send({ ...request, body: withLink(request.body, this.link) });
		};
	}

	/** @returns what the node shows while it waits */
	async wait(question: Question, { record }: Accepted): Promise<INodeExecutionData[]> {
		const { context, hint: message } = this;
		if (message) context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
		const entry = context.getExecuteData();
		const pairedItem = entry.data.main[0]?.[0].pairedItem ?? { item: 0 };
		const open: OpenQuestion = { ...question, id: this.id, record, pairedItem };
		const isReview = isHumanReview(context.getNode());
		const noAnswer = isReview ? notApproved('The time for the answer is up.') : {};
		// When the time is up, n8n puts out the input: an earlier approval in it would come out as this one.
		const item: WaitingItem = {
			json: { data: { timedOut: true, ...noAnswer }, record },
			pairedItem,
			openQuestion: JSON.stringify(open),
		};
		// Last: if waiting fails, Retry On Fail needs the input as it was.
		await context.putExecutionToWait(this.waitEnd());
		entry.data = { ...entry.data, main: [[item]] };
		// n8n disables the node of this entry later. Other inputs that this node still has to work on share the object.
		entry.node = { ...entry.node };
		return [{ json: { data: { waiting: true }, record }, pairedItem }];
	}

	private waitEnd(): Date {
		const { context } = this;
		try {
			const limit = context.getNodeParameter('options.limitWaitTime.values', 0, {}) as unknown;
			return waitEnd(limit, Date.now(), context.getTimezone());
		} catch (error) {
			throw unreadable('Limit Wait Time', error);
		}
	}
}

/**
 * A question that an earlier execution asked has no answer to wait for: its link leads to that execution.
 * @param question undefined if it couldn't be read
 */
export function withLiveLink(
	context: IExecuteFunctions,
	outcome: Outcome,
	question?: Question,
): Outcome {
	if (outcome.delivery !== 'accepted' || outcome.fromPreviousTry !== true) return outcome;
	const { askedIn } = context.getContext('node');
	const isLive = askedIn === context.getExecutionId() && question !== undefined;
	if (askedIn === undefined || isLive) return outcome;
	return { delivery: 'notAttempted', failure: DEAD_LINK };
}

type Reason = Pick<Failure, 'title' | 'description'>;

function rejected(failure: Reason): RunRejected {
	return new RunRejected({ ...failure, n8nCause: { cause: 'configuration-invalid' } });
}

const severalItems = (count: number): Reason => ({
	title: `This operation takes one item, but received ${count}: n8n can wait for one answer at a time`,
	description:
		"Call a sub-workflow for each item: in 'Execute Sub-workflow', set 'Mode' to 'Run once for each item', and turn off 'Wait For Sub-Workflow Completion'",
});

const TOO_OLD: Reason = {
	title: "This release of n8n can't make a link for the answer",
	description: 'Ask your n8n admin to update n8n to 1.107 or newer',
};

const DEAD_LINK: Reason = {
	title: 'An earlier execution asked this question, and its link only leads to that execution',
	description: 'Run the workflow again: a new execution asks again',
};
