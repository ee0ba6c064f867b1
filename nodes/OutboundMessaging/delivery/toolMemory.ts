import type { IDataObject } from 'n8n-workflow';

import type { Entry, Remembered } from './memory';
import { isObject } from '../isObject';
import { contentOf, Memory, remembered } from './memory';
import type { Message } from './message';
import type { ToolCall } from './toolCall';

/**
 * What the calls of AI agents have sent in this execution. A call is sent once, whatever runs it again: its own tries, a
 * retry of the agent, or n8n, which runs an approved call once for each item of the agent. n8n gives some agents' calls
 * an ID. Where it doesn't, two calls with the same recipient and content are the same call. After an uncertain one, the
 * same message isn't sent by any other call either.
 */
export class ToolMemory extends Memory {
	/** @param store the node's context, which n8n keeps as long as the execution, and loads for its retries */
	constructor(
		store: IDataObject,
		private readonly call: ToolCall,
		executionId: string,
	) {
		super(store, `Call ${call.id}`, executionId);
	}

	override get(message: Message): Remembered | undefined {
		return super.get(message) ?? this.getFromOtherCalls(message);
	}

	override retryKey(message: Message): string | undefined {
		if (super.retryKey(message) === undefined || this.call.hasModelId)
			return super.retryKey(message);
		const { recipient, request } = message;
		return `retry ${String(this.store.id)} ${contentOf(message)} ${recipient} ${request.url}`;
	}

	/** Later calls of the execution need it. */
	override forget(): void {}

	private getFromOtherCalls(message: Message): Remembered | undefined {
		const sent = this.otherCalls()
			.filter(
				({ recipient, url, content }) =>
					recipient === message.recipient &&
					url === message.request.url &&
					content === contentOf(message),
			)
			.map((entry) => remembered(entry, true));
		const accepted = sent.find(({ delivery }) => delivery === 'accepted');
		if (accepted && !this.call.hasModelId) return accepted;
		return sent.find(({ delivery }) => delivery === 'uncertain');
	}

	private otherCalls(): Entry[] {
		return Object.entries(this.store)
			.filter(([key]) => key.startsWith('runCall '))
			.flatMap(([, run]) => (isObject(run) ? Object.values(run).flat() : []) as Entry[])
			.filter(isObject);
	}
}
