import type { IDataObject } from 'n8n-workflow';

import type { Entry, Remembered } from '../delivery/memory';
import { contentOf, entriesIn, Memory, remembered } from '../delivery/memory';
import type { Message } from '../delivery/message';
import type { ToolCall } from './toolCall';

/**
 * What the calls of AI agents have sent in this execution. A call is sent once, whatever runs it again: its own tries, a
 * retry of the agent, or n8n, which runs an approved call once for each item of the agent. n8n gives some agents' calls
 * an ID: with the same arguments, it's the same call. Where it doesn't, two calls with the same recipient and content are
 * the same call. After an uncertain one, the same message isn't sent by any other call either.
 */
export class CallMemory extends Memory {
	/** @param store the node's context, which n8n keeps as long as the execution, and loads for its retries */
	constructor(
		store: IDataObject,
		private readonly call: ToolCall,
		executionId: string,
		retriedSince?: number,
	) {
		super(store, `Call ${call.id}`, executionId, retriedSince);
	}

	/** An item that can't be read now may be another one than the call was sent for. */
	override ofItem(itemIndex: number, url?: string): Remembered | undefined {
		return this.first.item === this.call.item ? super.ofItem(itemIndex, url) : undefined;
	}

	/**
	 * Whether n8n runs the call for another item than the model made it for: then it would send words that are another
	 * customer's.
	 */
	override isForOtherItem({ recipient, request, sendOnceKey }: Message): boolean {
		const target = JSON.stringify([recipient, request.url, sendOnceKey]);
		if (this.first.item !== this.call.item) return this.first.target !== target;
		this.first.target = target;
		return false;
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

	override markInFlight(message: Message): Entry {
		return Object.assign(super.markInFlight(message), { key: message.sendOnceKey });
	}

	/** Whether another message to the same recipient may have been sent in this execution. */
	hasUncertain({ recipient }: Message): boolean {
		return this.otherCalls().some((entry) => entry.recipient === recipient && !entry.record);
	}

	/** Whether the message's send-once key was used for another recipient in this execution. */
	isKeyOfOther({ recipient, sendOnceKey }: Message): boolean {
		if (sendOnceKey === undefined) return false;
		return this.otherCalls().some(
			(entry) => entry.key === sendOnceKey && entry.recipient !== recipient,
		);
	}

	/** Later calls of the execution need it. */
	override forget(): void {}

	/** The item that the call came with first, and where its message goes. */
	private get first(): IDataObject {
		if (!this.call.hasModelId) return { item: this.call.item };
		return (this.store[`first ${this.call.id}`] ??= { item: this.call.item }) as IDataObject;
	}

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
		return Object.values(this.store).flatMap(entriesIn);
	}
}
