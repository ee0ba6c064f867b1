import type { IExecuteFunctions } from 'n8n-workflow';

import type { EventLoop } from '../delivery/eventLoop';
import type { Message } from '../delivery/message';
import { identifier } from '../validation/identifier';
import { InvalidValue } from '../validation/invalidValue';
import type { Operation } from '../operations/operation';
import { Parameters } from './parameters';
import type { Failure } from '../delivery/failure';

/** A message, or why its item cannot become one. */
export type ReadItem = { message: Message } | { refused: Failure };

const SEND_ONCE_KEY = 'options.sendOnceKey';

/**
 * Turns every item into a message, before the first one is sent.
 * @param url where the operation's requests go
 */
export async function readMessages(
	context: IExecuteFunctions,
	operation: Operation,
	url: string,
	eventLoop: EventLoop,
): Promise<ReadItem[]> {
	const parameters = new Parameters(context);
	const hasKeys = !['', null].includes(parameters.raw(SEND_ONCE_KEY) as string | null);
	const items: ReadItem[] = [];
	const count = context.getInputData().length;
	for (let itemIndex = 0; itemIndex < count; itemIndex++) {
		const item = readItem(itemIndex, parameters, operation, url, hasKeys);
		items.push(item);
		await eventLoop.yieldIfDue();
	}
	return items;
}

function readItem(
	itemIndex: number,
	parameters: Parameters,
	operation: Operation,
	url: string,
	hasKeys: boolean,
): ReadItem {
	let label = 'Operation';
	const checked = <T>(name: string, itsLabel: string, check: (value: unknown) => T): T => {
		label = itsLabel;
		return check(parameters.read(name, itemIndex));
	};
	try {
		const raw = (name: string) => parameters.read(name, itemIndex);
		const { recipient, body } = operation.toMessage({ raw, checked });
		// A key that is set but comes out empty would leave this item without the protection it was meant to have.
		const sendOnceKey = hasKeys ? checked(SEND_ONCE_KEY, 'Send Once Key', identifier) : undefined;
		return { message: { itemIndex, recipient, request: { url, body }, sendOnceKey } };
	} catch (error) {
		return { refused: refusal(label, error) };
	}
}

function refusal(label: string, error: unknown): Failure {
	if (error instanceof InvalidValue) {
		return {
			title: `'${label}' ${error.message}`,
			description: error.fix,
			code: 'invalidInput',
			n8nCause: { cause: 'configuration-invalid' },
		};
	}
	const { message, description } = error as { message?: string; description?: string };
	return {
		title: `'${label}' couldn't be read: ${message}`,
		description: description ?? 'Check the expression of this parameter',
		code: 'invalidInput',
		n8nCause: { cause: 'configuration-invalid' },
	};
}
