import { randomUUID } from 'node:crypto';

import type { IDataObject, IExecuteFunctions, INode } from 'n8n-workflow';

import { callerOf, retryOnFail } from '../n8n/internals';
import { fingerprintOf } from '../delivery/message';
import type { Send } from '../delivery/outcome';
import { OUT_OF_TIME } from './reply';
import { argumentNames } from './arguments';

/** Clients of an MCP server give up after 60 s and call again, which would be a second message. */
const LONGEST_CALL_MS = 44_000;
/** What a wait leaves for the request that follows it. */
const REQUEST_MS = 15_000;
/** What a response leaves for what follows it. */
const MARGIN_MS = 500;

/** What the tries of one call share; n8n's Retry On Fail gives each of them the same input object. */
interface Tries {
	id: string;
	startedAt: number;
	count: number;
}

const calls = new WeakMap<object, Tries>();

/** One try of a call of the node as a tool of an AI agent, and how much time the call has left. */
export type ToolCall = ReturnType<typeof toolCallOf>;

/** Called once for each run of the node: it counts as a try. */
export function toolCallOf(context: IExecuteFunctions) {
	const node = context.getNode();
	const [{ json }] = context.getInputData();
	const caller = callerOf(context);
	const modelId = caller === undefined ? modelIdOf(json, node) : undefined;
	const first = { id: modelId ?? randomUUID(), startedAt: performance.now(), count: 0 };
	const tries = calls.get(json) ?? first;
	calls.set(json, tries);
	const count = ++tries.count;
	const { tries: maxTries, waitMs } = retryOnFail(node);
	const endsAt = tries.startedAt + LONGEST_CALL_MS - Math.max(0, maxTries - count) * waitMs;
	/** Milliseconds until the call has to end. */
	const remainingMs = () => Math.max(0, endsAt - performance.now());
	/** Cuts a wait so that it, and a request after it, end within the call. */
	const limitWait = (milliseconds: number) =>
		Math.min(milliseconds, Math.max(0, remainingMs() - REQUEST_MS));
	return {
		caller,
		remainingMs,
		limitWait,
		/** The same for all tries of the call. */
		id: tries.id,
		/** Whether the model itself gave the call its ID. Without one, a second call with the same words counts as a repetition. */
		hasModelId: modelId !== undefined,
		isFirstTry: count === 1,
		/** Whether n8n won't run the node again for this call, whatever it answers. */
		isLastTry: count >= maxTries,

		/** Keeps a request within the call's time. */
		limitSend(timeout: number, senderWith: (timeout: number) => Send): Send {
			return async (request) => {
				const remaining = remainingMs() - MARGIN_MS;
				if (remaining <= 0) return { delivery: 'rejected', failure: OUT_OF_TIME };
				return await senderWith(Math.min(timeout, remaining))(request);
			};
		},
	};
}

/** Some models number their calls from 0 in each answer: the ID alone isn't the call, the arguments belong to it. */
function modelIdOf(json: IDataObject, { parameters }: INode): string | undefined {
	if (typeof json.toolCallId !== 'string' || json.toolCallId === '') return undefined;
	const passed = JSON.stringify(argumentNames(parameters).map((name) => json[name]));
	return `${json.toolCallId} ${fingerprintOf(passed)}`;
}
