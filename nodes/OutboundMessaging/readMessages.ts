import type { IExecuteFunctions } from 'n8n-workflow';

import type { EventLoop } from './delivery/eventLoop';
import type { Message } from './delivery/message';
import { identifier } from './message/identifier';
import { InvalidValue } from './message/invalidValue';
import type { Operation } from './operations/operation';
import type { Failure } from './service/failure';

/** A message, or why its item cannot become one. */
export type ReadItem = { message: Message } | { refused: Failure };

type Read = (name: string, itemIndex: number) => unknown;

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
	const read = parameterReader(context);
	const hasKeys = rawParameter(context, SEND_ONCE_KEY) !== '';
	const items: ReadItem[] = [];
	const count = context.getInputData().length;
	for (let itemIndex = 0; itemIndex < count; itemIndex++) {
		items.push(readItem(itemIndex, read, operation, url, hasKeys));
		await eventLoop.turn();
	}
	return items;
}

function readItem(
	itemIndex: number,
	read: Read,
	operation: Operation,
	url: string,
	hasKeys: boolean,
): ReadItem {
	let label = 'Operation';
	const checked = <T>(name: string, itsLabel: string, check: (value: unknown) => T): T => {
		label = itsLabel;
		return check(read(name, itemIndex));
	};
	try {
		const raw = (name: string) => read(name, itemIndex);
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
			error: `${label} ${error.message}`,
			message: error.mend,
			code: 'invalidInput',
			cause: { cause: 'configuration-invalid' },
		};
	}
	const { message, description } = error as { message?: string; description?: string };
	return {
		error: `${label} could not be read: ${message}`,
		message: description ?? 'Check the expression of this parameter',
		code: 'invalidInput',
		cause: { cause: 'configuration-invalid' },
	};
}

/**
 * Reads each parameter once per item, and once for the whole run when no expression is in it: an expression costs
 * n8n about a millisecond.
 */
function parameterReader(context: IExecuteFunctions): Read {
	const fixed = new Map<string, unknown>();
	const varies = new Set<string>();
	return (name, itemIndex) => {
		if (fixed.has(name)) return fixed.get(name);
		const value = context.getNodeParameter(name, itemIndex, null) as unknown;
		if (varies.has(name)) return value;
		if (hasExpression(rawParameter(context, name))) varies.add(name);
		else fixed.set(name, value);
		return value;
	};
}

function rawParameter(context: IExecuteFunctions, name: string): unknown {
	return context.getNodeParameter(name, 0, '', { rawExpressions: true }) as unknown;
}

function hasExpression(raw: unknown): boolean {
	if (typeof raw === 'string') return raw.startsWith('=');
	if (typeof raw !== 'object' || raw === null) return false;
	return Object.values(raw).some(hasExpression);
}
