import type { INode, INodeExecutionData } from 'n8n-workflow';

import type { Skipped } from '../delivery/outcome';
import { SKIPPED } from './answer';

/**
 * Whether the node is the channel by which a person approves what an agent's tool is about to do. n8n makes such a type
 * of every node that can wait for an answer. Its name ends in "Tool", but no agent calls it.
 */
export function isHumanReview({ type }: Pick<INode, 'type'>): boolean {
	return type.endsWith('HitlTool');
}

/** To the agent, an error looks as if a person had rejected the call. n8n ends the workflow only if the user chose that. */
export function neverThrows(node: INode): boolean {
	return isHumanReview(node) && node.onError !== 'stopWorkflow';
}

/** What n8n looks for in an answer. Without `chatInput`, the agent reads that a person rejected its call. */
export function notApproved(reason: string) {
	const chatInput = `No person approved or rejected this call, so the tool didn't run. ${reason}`;
	return { approved: false, chatInput };
}

/** An item that is put out without an answer, with the reason for the agent. */
export function withReason(item: INodeExecutionData): INodeExecutionData {
	const { dryRun, error, reason } = item.json;
	const notAsked =
		dryRun === true
			? "The question wasn't sent: 'Dry Run' is on."
			: SKIPPED[reason as Skipped['reason']];
	return { ...item, json: { ...item.json, ...notApproved(notAsked ?? String(error)) } };
}
