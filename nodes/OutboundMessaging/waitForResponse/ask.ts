import { randomBytes } from 'node:crypto';

import { type IExecuteFunctions, type INodeExecutionData, WAIT_INDEFINITELY } from 'n8n-workflow';

import type { Accepted } from '../delivery/message';
import { RunRejected, misconfigured, twoLines } from '../common/failure';
import { isHumanReview, waitWith } from '../n8n/internals';
import { notApproved, requireReviewWorks } from './humanReview';
import { nodeState } from '../delivery/nodeState';
import { exactly } from '../common/text';
import { canBePublic } from '../validation/url';
import type { EndOfWait } from './limitWaitTime';
import { formatDeadline } from './page';
import { type OpenQuestion, type Question, QUESTION_PARAMETER } from './question';

/** Where people reach n8n. Releases up to 2.35 only know the old name. */
const WEBHOOK_URL = 'N8N_WEBHOOK_URL (before n8n 2.36: WEBHOOK_URL)';

type OlderContext = IExecuteFunctions & { setSignatureValidationRequired?(): void };

/**
 * The link to one question, and waiting for the answer. Checks first what would keep it
 * from coming back.
 * @throws RunRejected
 */
export function answerLink(context: IExecuteFunctions, baseUrl: string, endOfWait: EndOfWait) {
	const node = context.getNode();
	const count = context.getInputData().length;
	if (count > 1) {
		throw new RunRejected(twoLines`This operation takes one item, but received ${count}: n8n can \
				wait for one answer at a time
			Move this step into a sub-workflow, and call that in a loop: 'Loop Over Items', then \
				'Execute Sub-workflow' with 'Wait For Sub-Workflow Completion' turned off`);
	}
	requireReviewWorks(context);
	if (typeof context.getSignedResumeUrl !== 'function') {
		throw misconfigured(twoLines`This release of n8n can't make a link for the answer
			Ask your n8n admin to update n8n to 1.123 or newer`);
	}
	// Older releases of n8n look at the signature of the link only if they're asked to.
	(context as OlderContext).setSignatureValidationRequired?.();
	const id = idOfQuestion(context);
	const url = context.getSignedResumeUrl({ [QUESTION_PARAMETER]: id });
	const hints = checkLink(context, url, baseUrl);
	let noteAsked: (() => void) | undefined;
	return {
		url,

		/** To be awaited before the question is sent. @throws RunRejected */
		async beginAsking() {
			noteAsked = await requireOnlyAsker(context);
		},

		/** @returns what the node shows while it waits */
		async wait(question: Question, { record }: Accepted): Promise<INodeExecutionData[]> {
			noteAsked?.();
			const [{ pairedItem }] = context.getInputData();
			const end = endOfWait();
			const { language } = question.texts;
			const timezone = context.getTimezone();
			const deadline =
				end < WAIT_INDEFINITELY ? formatDeadline(end, language, timezone) : undefined;
			const isDefault = !context.getWorkflowSettings().timezone && timezone === DEFAULT_TIMEZONE;
			if (deadline && isDefault) hints.push(TIMEZONE_HINT);
			// In one box, as the node's other hints are.
			const message = hints.join('. ');
			if (message) context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
			const open: OpenQuestion = { ...question, id, deadline, json: { record }, pairedItem };
			const noAnswer = isHumanReview(node) ? notApproved('The time for the answer is up.') : {};
			// Only `json` goes on in the workflow. The page needs the rest, and can read nothing else
			// of the execution.
			const json = { data: { timedOut: true, ...noAnswer }, record };
			const item = { json, pairedItem, openQuestion: JSON.stringify(open) };
			await waitWith(context, end, item);
			// Without the record: n8n answers a chat or a webhook with this item, and
			// anyone can be there.
			return [{ json: { data: { waiting: true } }, pairedItem }];
		},
	};
}

/**
 * A question that is sent again in this execution has the same link. The runs of a loop
 * have a link each.
 */
function idOfQuestion(context: IExecuteFunctions) {
	const questions = (nodeState(context).questions ??= {});
	const runIndex = String(context.getWorkflowDataProxy(0).$runIndex);
	return (questions[runIndex] ??= randomBytes(16).toString('base64url'));
}

/**
 * Checks that people can open the link.
 * @returns what may keep them from it, in words for hints.
 * @throws RunRejected
 */
function checkLink(context: IExecuteFunctions, link: string, baseUrl: string) {
	const { hostname, protocol, origin, pathname } = new URL(link);
	// n8n signs the whole path, and checks it without what a proxy takes off. That's in front of
	// all of n8n's URLs.
	const [, first] = pathname.split('/');
	const isPrefixed = new URL(context.getRestApiUrl()).pathname.startsWith(`/${first}/`);
	if (isPrefixed) {
		const why = 'and n8n rejects links with a path in front of its own';
		throw leadsNowhere(`${origin}/${first}`, why);
	}
	if (THIS_MACHINE.test(hostname)) {
		// E.g. the sandbox, which shows its messages here.
		if (THIS_MACHINE.test(new URL(baseUrl).hostname)) return [];
		throw leadsNowhere(origin, 'which only works on the machine that n8n runs on');
	}
	if (!canBePublic(hostname)) {
		return [
			`The link leads to ${origin}: only people in the same network can answer. For others, ` +
				`set ${WEBHOOK_URL} of n8n to a public URL`,
		];
	}
	if (protocol === 'https:') return [];
	return [
		`The link starts with http://, so answers travel unencrypted. Set ${WEBHOOK_URL} of n8n to ` +
			'a URL that starts with https://',
	];
}

/** The time zone of an n8n without `GENERIC_TIMEZONE`. */
const DEFAULT_TIMEZONE = 'America/New_York';
const TIMEZONE_HINT =
	`The page says until when to answer in n8n's default time zone, ${DEFAULT_TIMEZONE}. If it ` +
	"isn't yours, choose yours in the workflow's settings";

const THIS_MACHINE = exactly`^(?:localhost|.+\.localhost|127\..+|0\.0\.0\.0|\[::1?\])\.?$`;

const leadsNowhere = (url: string, why: string) =>
	misconfigured(twoLines`The link for the answer would lead to ${url}, ${why}
		Set the environment variable ${WEBHOOK_URL} of n8n to the URL at which people reach it, with \
			https:// and without a path, or ask your n8n admin. It's also where n8n's own webhooks are`);

/**
 * Which execution asked, by its caller's round: see callersRounds(). Sub-workflows run in their
 * caller's process.
 */
const askers = new Map<string, string>();
const MOST_KEPT = 1000;

/**
 * Rejects a second question for a caller that waits for its sub-workflows: called once for each
 * item, they would ask several at once. In the next round of a loop, the caller has run more nodes,
 * and may ask again.
 * @returns to be called once it's asked
 * @throws RunRejected
 */
export async function requireOnlyAsker(context: IExecuteFunctions): Promise<() => void> {
	const rounds = await callersRounds(context);
	if (rounds.some(({ round, asker }) => (askers.get(round) ?? asker) !== asker)) {
		throw misconfigured(twoLines`The calling workflow waits for this one, which already asked a \
				question for an earlier item: the first answer would continue the \
				calling workflow for all items
			In 'Execute Sub-workflow', turn off 'Wait For Sub-Workflow Completion', or put \
				'Loop Over Items' before it and set 'Mode' to 'Run once with all items'`);
	}
	return () => {
		for (const { round, asker } of rounds) askers.set(round, asker);
		for (const oldest of askers.keys()) if (askers.size > MOST_KEPT) askers.delete(oldest);
	};
}

/**
 * What waits for this execution: its caller, that one's caller, and so on. Each has a round, in
 * which one execution may ask.
 */
async function callersRounds(context: IExecuteFunctions) {
	const rounds: Array<{ round: string; asker: string }> = [];
	let asker = context.getExecutionId();
	// n8n stores with an execution who waits for it.
	let data = context.getMode() === 'integrated' && (await context.getExecutionDataById(asker));
	while (data && data.parentExecution && data.parentExecution.shouldResume !== false) {
		const { executionId } = data.parentExecution;
		data = await context.getExecutionDataById(executionId);
		// The rounds of a loop differ in what the caller has run: n8n stores that when it continues.
		const done = Object.values(data?.resultData.runData ?? {}).flat().length;
		rounds.push({ round: `${executionId} ${done}`, asker });
		asker = executionId;
	}
	return rounds;
}
