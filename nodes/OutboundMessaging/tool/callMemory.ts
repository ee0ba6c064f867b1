import type { IExecuteFunctions } from 'n8n-workflow';

import type { MessageEntry } from '../n8n/nodeState';
import { beginningOf, entriesOfRun, isUncertainEntry, nodeState } from '../n8n/nodeState';
import { Memory } from '../delivery/memory';
import { type Message, contentOf } from '../delivery/message';
import type { ToolCall } from './toolCall';

/** What agents' calls have sent in this execution: each is sent once, and after an uncertain one no other sends the same. */
export class CallMemory extends Memory {
	constructor(
		context: IExecuteFunctions,
		private readonly call: ToolCall,
	) {
		super(nodeState(context), beginningOf(context), 'calls', call.id);
	}

	/** In the first try of a call, an entry under its ID is another call's: some models call the first one of each answer `call_0`. */
	override ofItem(itemIndex: number, of?: Partial<MessageEntry>): MessageEntry | undefined {
		return this.call.isFirstTry ? undefined : super.ofItem(itemIndex, of);
	}

	override get(message: Message): MessageEntry | undefined {
		const withSameId = super.get(message);
		if (withSameId !== undefined) return withSameId;
		const equal = this.ofAllCalls().filter(
			({ url, content }) => url === message.request.url && content === contentOf(message),
		);
		const uncertain = equal.find(isUncertainEntry);
		// With an ID of the model, an accepted one is another call. Without one, it's taken for the same call.
		if (this.call.modelId !== undefined) return uncertain;
		return equal.find((entry) => !isUncertainEntry(entry)) ?? uncertain;
	}

	/** Calls have no order by which equal ones could be numbered. The model's ID takes its place, if there is one. */
	protected override whichOfEqual(): string {
		return this.call.modelId ?? '';
	}

	/** Whether another message to the same recipient may have been sent in this execution. */
	hasUncertain({ recipient }: Message): boolean {
		return this.ofAllCalls().some((each) => each.recipient === recipient && isUncertainEntry(each));
	}

	private ofAllCalls(): MessageEntry[] {
		return Object.values(this.state.calls ?? {}).flatMap((call) => entriesOfRun(call));
	}
}
