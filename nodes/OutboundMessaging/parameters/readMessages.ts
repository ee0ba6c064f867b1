import type { IExecuteFunctions } from 'n8n-workflow';

import type { EventLoop } from '../delivery/eventLoop';
import type { Failure } from '../delivery/failure';
import type { Message } from '../delivery/message';
import type { Operation } from '../operations/operation';
import { Parameters } from './parameters';
import {
	emptyParts,
	requireSameContentForSameKey,
	SEND_ONCE_KEY,
	sendOnceKey,
} from './sendOnceKey';
import { UNCERTAIN_ITEM, uncertainItems } from './uncertainItems';
import { failureOf } from './unreadable';

/** A message, or why its item can't become one. */
export type ReadItem = { message: Message } | { refused: Failure };

/**
 * Turns every item into a message, before the first one is sent.
 * @param url where the operation's requests go
 * @param resendUncertain whether an item from a message that was left uncertain may be sent
 * @throws RunRejected when two messages share a send-once key, but not their content
 */
export async function readMessages(
	context: IExecuteFunctions,
	operation: Operation,
	url: string,
	eventLoop: EventLoop,
	resendUncertain: boolean,
): Promise<ReadItem[]> {
	const parameters = new Parameters(context);
	const readItem = itemReader(parameters, operation, url);
	const isUncertain = resendUncertain ? () => false : uncertainItems(context, parameters);

	const items: ReadItem[] = [];
	const count = context.getInputData().length;
	for (let itemIndex = 0; itemIndex < count; itemIndex++) {
		items.push(isUncertain(itemIndex) ? { refused: UNCERTAIN_ITEM } : readItem(itemIndex));
		await eventLoop.yieldIfDue();
	}
	requireSameContentForSameKey(items.flatMap((item) => ('message' in item ? [item.message] : [])));
	return items;
}

function itemReader(parameters: Parameters, operation: Operation, url: string) {
	const rawKey = parameters.raw(SEND_ONCE_KEY.name);
	// A key that is set but comes out empty would leave the item without the protection it was meant to have.
	const hasKeys = rawKey !== null && rawKey !== '';
	const emptyPart = emptyParts(parameters);

	return (itemIndex: number): ReadItem => {
		let label = 'Operation';
		const checked = <T>(name: string, itsLabel: string, check: (value: unknown) => T): T => {
			label = itsLabel;
			return check(parameters.read(name, itemIndex));
		};
		try {
			const { recipient, body } = operation.toMessage({ checked });
			const checkKey = sendOnceKey(() => emptyPart(itemIndex));
			const key = hasKeys ? checked(SEND_ONCE_KEY.name, SEND_ONCE_KEY.label, checkKey) : undefined;
			return { message: { itemIndex, recipient, request: { url, body }, sendOnceKey: key } };
		} catch (error) {
			return { refused: failureOf(label, error) };
		}
	};
}
