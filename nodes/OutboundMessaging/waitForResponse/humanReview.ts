import type { IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';

import { misconfigured, titleForAgents, twoLines } from '../common/failure';
import { type Outcome, isFailed } from '../delivery/message';
import { isHumanReview } from '../n8n/internals';

/**
 * To the agent, an error looks as if a person had rejected the call. n8n ends the workflow only if
 * the user chose that.
 */
export const neverThrows = ({ onError }: INode) =>
	onError !== 'stopWorkflow' && onError !== 'continueErrorOutput';

/**
 * Checks that the agent will read the answer, and that the person can see what it's about: with an
 * error output, n8n drops all that the step puts out, and the message that n8n suggests shows
 * no tool's input.
 * @throws RunRejected
 */
export function requireReviewWorks(context: IExecuteFunctions) {
	const node = context.getNode();
	if (!isHumanReview(node)) return;
	if (String(context.getNodeParameter('message', 0, '')).includes('[object Object]')) {
		throw misconfigured(twoLines`'Message' has [object Object] in it, so the person \
				couldn't see what to approve
			In 'Message', replace {{ $tool.parameters }} by {{ JSON.stringify($tool.parameters) }}`);
	}
	if (node.onError !== 'continueErrorOutput') return;
	throw misconfigured(twoLines`'On Error' is set to 'Continue (using error output)', and n8n then \
			keeps the person's answer from the agent
		Set 'On Error' of this step to 'Continue'`);
}

/**
 * What n8n looks for in an answer. Without `chatInput`, the agent reads that a person
 * rejected its call.
 */
export function notApproved(reason: string) {
	const chatInput = `No person approved or rejected this call, so the tool didn't run. ${reason}`;
	return { approved: false, chatInput };
}

function reasonOf(outcome: Outcome | undefined): string {
	if (outcome === undefined) return "The question wasn't sent: 'Dry Run' is on.";
	if (outcome.delivery === 'skipped') return outcome.why.forReviewers;
	const said = isFailed(outcome) ? titleForAgents(outcome.failure) : 'it was sent before';
	return `About the message that asks the person: ${said}`;
}

/**
 * An item without an answer, with the reason for the agent.
 * @param outcome of the message; missing in a dry run
 */
export function withReason(item: INodeExecutionData, outcome?: Outcome): INodeExecutionData {
	return { ...item, json: { ...item.json, ...notApproved(reasonOf(outcome)) } };
}
