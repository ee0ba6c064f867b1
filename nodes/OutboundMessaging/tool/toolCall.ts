import { createHash, randomUUID } from 'node:crypto';

import type { IDataObject, IExecuteFunctions, INode } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Failure } from '../delivery/failure';
import type { Lines } from '../delivery/mutex';
import { withMutex } from '../delivery/mutex';
import type { Send } from '../delivery/port';

/** Clients of an MCP server give up after 60 s and call again, which would be a second message. */
const LONGEST_CALL_MS = 44_000;
/** What a wait leaves for the request that follows it. */
const REQUEST_MS = 15_000;
/** What a response leaves for what follows it. */
const MARGIN_MS = 500;
const POLL_MS = 100;

/** The tries of one call; n8n gives them the same arguments object. */
interface Tries {
	id: string;
	startedAt: number;
	count: number;
}

export const OUT_OF_TIME: Failure = {
	title: "This message wasn't sent: there was no time left for it",
	description:
		'A call of a tool ends within 45 seconds, because callers give up after 60 and call again',
	n8nCause: { cause: 'temporarily-unavailable' },
};

const calls = new WeakMap<object, Tries>();

/** One call of the node as a tool of an AI agent, and how much time it has left. */
export class ToolCall {
	/** The same for all tries of the call. */
	readonly id: string;
	/** A fingerprint of everything that the call came with: n8n runs an approved call for other items too. */
	readonly item: string;
	private readonly endsAt: number;

	private constructor(
		readonly node: INode,
		tries: Tries,
		json: IDataObject,
		/** Whether the ID is the model's own: then two calls with the same words are two calls. */
		readonly hasModelId: boolean,
		/** What calls the tool within its own run: an agent up to 2.x, an MCP Server Trigger. Undefined: n8n's engine does. */
		readonly caller: 'agent' | 'mcp' | undefined,
	) {
		this.id = tries.id;
		this.item = fingerprint(json);
		const { maxTries, waitMs } = retriesOf(node);
		this.isLastTry = tries.count >= maxTries;
		const waitsToCome = Math.max(0, maxTries - tries.count) * waitMs;
		this.endsAt = tries.startedAt + LONGEST_CALL_MS - waitsToCome;
	}

	/** Whether n8n won't run the node again for this call, whatever it answers. */
	readonly isLastTry: boolean;

	/**
	 * The call that a run of the node is; undefined when it isn't a tool. Ask once for each run: it counts the tries.
	 * @param names of the arguments that the tool asks the model for
	 */
	static of(context: IExecuteFunctions, names: () => string[]): ToolCall | undefined {
		const node = context.getNode();
		// n8n gives a node that is a tool a type of its own. One that asks a person before a tool runs isn't called by an agent.
		if (!/(?<!Hitl)Tool$/.test(node.type)) return undefined;
		const [{ json }] = context.getInputData();
		const caller = callerOf(context);
		const { toolCallId } = json;
		// Some models number their calls from 0 in each answer: the ID alone isn't the call.
		const modelId =
			caller === undefined && typeof toolCallId === 'string' && toolCallId !== ''
				? `${toolCallId} ${fingerprint(names().map((name) => json[name]))}`
				: undefined;
		const tries = triesOf(json, modelId);
		tries.count++;
		return new ToolCall(node, tries, json, modelId !== undefined, caller);
	}

	/** Milliseconds until the call has to end. */
	remainingMs(): number {
		return Math.max(0, this.endsAt - performance.now());
	}

	isOver(): boolean {
		return this.remainingMs() === 0;
	}

	/** Cuts a wait so that it, and a request after it, end within the call. */
	limitWait(milliseconds: number): number {
		return Math.min(milliseconds, Math.max(0, this.remainingMs() - REQUEST_MS));
	}

	/**
	 * Cuts the time for a response so that it ends within the call; nothing is sent after that.
	 * @param senderWith makes a sender with a timeout in milliseconds
	 */
	limitSend(timeout: number, senderWith: (timeout: number) => Send): Send {
		return async (request) => {
			const remaining = this.remainingMs() - MARGIN_MS;
			if (remaining <= 0) return { delivery: 'rejected', failure: OUT_OF_TIME };
			return await senderWith(Math.min(timeout, remaining))(request);
		};
	}

	/**
	 * Ends with the call's time at the latest.
	 * @param work must not send anything once the call is over
	 * @param late what's known when the time is up first
	 */
	async withinTime<T>(work: () => Promise<T>, late: () => T): Promise<T> {
		let isDone = false;
		const result = work().finally(() => (isDone = true));
		result.catch(() => undefined);
		const timeIsUp = async () => {
			while (!isDone && !this.isOver()) await sleep(Math.min(POLL_MS, this.remainingMs()));
			return isDone ? await result : late();
		};
		return await Promise.race([result, timeIsUp()]);
	}
}

function fingerprint(value: unknown): string {
	return createHash('sha256').update(JSON.stringify(value)).digest('base64').slice(0, 16);
}

function triesOf(json: object, modelId: string | undefined): Tries {
	const known = calls.get(json);
	if (known) return known;
	const tries = { id: modelId ?? randomUUID(), startedAt: performance.now(), count: 0 };
	calls.set(json, tries);
	return tries;
}

/** The limits are n8n's own. */
function retriesOf({ retryOnFail, maxTries, waitBetweenTries }: INode) {
	if (retryOnFail !== true) return { maxTries: 1, waitMs: 0 };
	return {
		maxTries: Math.min(5, Math.max(2, maxTries || 3)),
		waitMs: Math.min(5000, Math.max(0, waitBetweenTries || 1000)),
	};
}

function callerOf(context: IExecuteFunctions): ToolCall['caller'] {
	// Older releases of n8n don't tell, but only the context of such a call knows its next run index.
	const isWithinCaller = context.isToolExecution?.() ?? 'getNextRunIndex' in context;
	if (!isWithinCaller) return undefined;
	const { parentNode } = context as { parentNode?: INode };
	return parentNode?.type.endsWith('mcpTrigger') === true ? 'mcp' : 'agent';
}

/** The lines in which the calls of an execution wait for each other, by the node's context. */
const executions = new WeakMap<IDataObject, Lines>();

/**
 * Runs the calls of an execution that have the same key one after the other, so that the second one knows how the first
 * one ended.
 * @param store the node's context in the execution
 */
export async function oneByOne<T>(
	store: IDataObject,
	key: string,
	work: () => Promise<T>,
): Promise<T> {
	const lines = executions.get(store) ?? new Map();
	executions.set(store, lines);
	return await withMutex(lines, key, work);
}
