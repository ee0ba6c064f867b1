import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../common/isObject';
import type { Redact } from './redact';

/**
 * Whether a body is a message result record (specification 2.1), by the three fields without which
 * no message is known.
 */
export function isMessageRecord(body: unknown): body is IDataObject {
	if (!isObject(body)) return false;
	const hasId = isText(body.id) || Number.isFinite(body.id);
	return hasId && isText(body.function_name) && isText(body.status) && isShallow(body);
}

/**
 * Far deeper than any record, and far from what makes a program that walks through it
 * run out of stack.
 */
const DEEPEST = 100;

function isShallow(value: unknown, depth = 0): boolean {
	if (typeof value !== 'object' || value === null) return true;
	return depth < DEEPEST && Object.values(value).every((each) => isShallow(each, depth + 1));
}

/** The record in a response without the API key, in its names and values. */
export const redactedRecord = (json: string, redact: Redact): IDataObject =>
	JSON.parse(json, (_, value: unknown) => {
		if (Array.isArray(value)) return value;
		if (isObject(value))
			return Object.fromEntries(Object.entries(value).map(([name, each]) => [redact(name), each]));
		const shown = redact(String(value));
		return shown === String(value) ? value : shown;
	}) as IDataObject;

/** Whether a response says that the message wasn't sent, in `success` at its top or in `extra`. */
export function isMarkedFailed(body: unknown) {
	if (!isObject(body)) return false;
	return isFalse(body.success) || (isObject(body.extra) && isFalse(body.extra.success));
}

const isFalse = (value: unknown) =>
	value === false || (typeof value === 'string' && value.toLowerCase() === 'false');

export const isText = (value: unknown): value is string =>
	typeof value === 'string' && value !== '';
