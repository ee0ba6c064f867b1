import { RunRejected } from '../delivery/runRejected';
import type { Message } from '../delivery/message';
import { identifier } from '../validation/identifier';
import { InvalidValue, quoteForError } from '../validation/invalidValue';
import { isInvisible } from '../validation/whitespace';
import type { Parameters } from './parameters';

export const SEND_ONCE_KEY = { name: 'safeguards.sendOnceKey', label: 'Send Once Key' };

/** What JavaScript writes into a text in place of a value that isn't there. */
const NO_VALUE =
	/(?<![\p{L}\p{N}])(undefined|null|NaN|Invalid Date(Time)?)(?![\p{L}\p{N}])|\[object Object\]/u;
const FIX =
	'Check that the input item has this field: without it, several messages would share one key, and only the first one would be sent';

/**
 * Checks a send-once key. A part that comes out empty would make different messages share a key.
 * @param emptyPart finds an expression in the key that has no value
 * @throws InvalidValue
 */
export function sendOnceKey(emptyPart: () => string | undefined): (value: unknown) => string {
	return (value) => {
		const key = identifier(value);
		const [word] = NO_VALUE.exec(key) ?? [];
		if (word !== undefined)
			throw new InvalidValue(`has "${word}" in it: ${quoteForError(key)}`, FIX);
		const part = emptyPart();
		if (part === undefined) return key;
		throw new InvalidValue(`is incomplete: ${quoteForError(part)} found no value`, FIX);
	};
}

/** A field of an item that an expression reads, not one of its methods. */
const FIELD =
	/(?:\$json|\$\((?:'[^']*'|"[^"]*")\)\.item\.json)(?:\.\w+\b(?!\()|\[(?:'[^']*'|"[^"]*"|\d+)\])+/g;

/**
 * The parts of a key, each as an expression with its braces. n8n reads the key as a whole; these are evaluated in
 * addition, only to see whether they have a value. Of a key that is one expression, the parts are the fields that it
 * joins; one that has another value for an empty field (`??`, `||`, `?:`) has none.
 */
function partsOf(raw: unknown): string[] {
	if (typeof raw !== 'string' || !raw.startsWith('=')) return [];
	const parts = Array.from(raw.matchAll(/\{\{.*?\}\}/gs), ([part]) => part);
	if (parts[0] !== raw.slice(1)) return parts;
	const [code] = parts;
	if (/[?]|\|\|/.test(code)) return [];
	return Array.from(code.matchAll(FIELD), ([field]) => `{{ ${field} }}`);
}

/** @returns a function that finds the first part of the key that comes out empty for an item */
export function emptyParts(parameters: Parameters): (itemIndex: number) => string | undefined {
	const parts = partsOf(parameters.raw(SEND_ONCE_KEY.name));
	return (itemIndex) => parts.find((part) => isEmpty(parameters, part, itemIndex));
}

function isEmpty(parameters: Parameters, part: string, itemIndex: number): boolean {
	let value: unknown;
	try {
		value = parameters.evaluate(part, itemIndex);
	} catch {
		// Not a part in n8n's eyes, e.g. because of an escaped brace: n8n has read the whole key without an error.
		return false;
	}
	return value === null || value === undefined || Number.isNaN(value) || isInvisible(String(value));
}

/**
 * Two messages with one key must be the same message: otherwise one of them would be skipped unseen.
 * @throws RunRejected
 */
export function requireSameContentForSameKey(messages: Message[]): void {
	const first = new Map<string, Message>();
	for (const message of messages) {
		const { sendOnceKey: key } = message;
		if (key === undefined) continue;
		const other = first.get(key);
		if (other === undefined) first.set(key, message);
		else if (contentOf(other) !== contentOf(message)) throw sharedKey(key, other, message);
	}
}

function contentOf({ recipient, request }: Message): string {
	return JSON.stringify([recipient, request]);
}

function sharedKey(key: string, one: Message, other: Message): RunRejected {
	const label = SEND_ONCE_KEY.label;
	return new RunRejected({
		title: `'${label}' is ${quoteForError(key)} for both item ${one.itemIndex} and item ${other.itemIndex} (n8n counts items from 0), but their messages differ`,
		description: `Add to '${label}' what tells the messages apart, e.g. the customer's ID or the kind of message`,
		reason: 'invalidInput',
		n8nCause: { cause: 'configuration-invalid' },
	});
}
