import { randomUUID } from 'node:crypto';

import type { IDataObject, IExecuteFunctions, INode } from 'n8n-workflow';

import { callerOf, retryOnFail } from '../n8n/internals';
import { fingerprintOf, type Send, type SendResult } from '../delivery/message';
import type { Failure } from '../common/failure';
import { OUT_OF_TIME } from './reply';
import { argumentNames } from './arguments';

/** Clients of an MCP server give up after 60 s and call again, which would be a second message. */
const LONGEST_CALL_MS = 44_000;
/** What a wait leaves for the request that follows it. */
const REQUEST_MS = 15_000;
/** What a response leaves for what follows it. */
const MARGIN_MS = 500;

/**
 * What the tries of one call share; n8n's Retry On Fail gives each of them the same input object.
 */
interface Tries {
	id: string;
	startedAt: number;
	count: number;
	/** The last rate limit that the call met, and until when the service asked to wait. */
	rateLimit?: { failure: Failure; until: number };
}

const calls = new WeakMap<object, Tries>();

/** One try of a call of the node as a tool of an AI agent, and how much time the call has left. */
export type ToolCall = ReturnType<typeof beginTry>;

/** Begins a try of a call: each run of the node is one. */
export function beginTry(context: IExecuteFunctions) {
	const node = context.getNode();
	const [{ json }] = context.getInputData();
	const caller = callerOf(context);
	const modelId = caller === undefined ? modelIdOf(json, node) : undefined;
	const first = { id: modelId ?? randomUUID(), startedAt: performance.now(), count: 0 };
	const tries: Tries = calls.get(json) ?? first;
	calls.set(json, tries);
	const count = ++tries.count;
	const { tries: maxTries, waitMs } = retryOnFail(node);
	const endsAt = tries.startedAt + LONGEST_CALL_MS - Math.max(0, maxTries - count) * waitMs;
	const leftMs = (keptMs = 0) => Math.max(0, endsAt - performance.now() - keptMs);

	return {
		caller,
		/**
		 * The deadline of everything in the call: milliseconds until then, less those that are kept
		 * for what follows.
		 */
		leftMs,
		/** How long a wait may take, so that a request after it ends within the call. */
		longestWaitMs: () => leftMs(REQUEST_MS),
		/** The same for all tries of the call. */
		id: tries.id,
		/**
		 * What the model itself gave the call, its arguments included. Without an ID, a second call
		 * with the same words counts as a repetition.
		 */
		modelId,
		/** Whether n8n won't run the node again for this call, whatever it answers. */
		isLastTry: count >= maxTries,

		/**
		 * Keeps a request within the call's time. The call waits for one rate limit, and no try sends
		 * earlier than the service asked.
		 */
		limitSend(send: Send): Send {
			return async (request) => {
				const { rateLimit: earlier } = tries;
				if (earlier && earlier.until > performance.now()) return stillRateLimited(earlier);
				const mostMs = leftMs(MARGIN_MS);
				if (mostMs === 0) return { delivery: 'notAttempted', failure: OUT_OF_TIME };

				const result = await send(request, mostMs);
				if (result.delivery !== 'askedToWait') return result;

				const { failure, retryAfterMs = 0 } = result;
				tries.rateLimit = { failure, until: performance.now() + retryAfterMs };
				const isTooLong = retryAfterMs > leftMs(REQUEST_MS);
				return earlier || isTooLong ? stillRateLimited(tries.rateLimit) : result;
			};
		},
	};
}

/**
 * Some models number their calls from 0 in each answer: the ID alone isn't the call, the
 * arguments belong to it.
 */
function modelIdOf(json: IDataObject, { parameters }: INode): string | undefined {
	if (typeof json.toolCallId !== 'string' || json.toolCallId === '') return undefined;
	const passed = JSON.stringify(argumentNames(parameters).map((name) => json[name]));
	return `${json.toolCallId} ${fingerprintOf(passed)}`;
}

/** Rejected, so that nothing waits for it: the agent reads how long to wait. */
function stillRateLimited({ failure, until }: NonNullable<Tries['rateLimit']>): SendResult {
	const retryAfterMs = Math.max(0, Math.ceil(until - performance.now()));
	const n8nCause: Failure['n8nCause'] = { cause: 'rate-limited', retryAfterMs };
	return { delivery: 'rejected', failure: { ...failure, n8nCause } };
}
