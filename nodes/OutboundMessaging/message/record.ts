import type { IDataObject } from 'n8n-workflow';

/**
 * Whether an answer is a message result record (specification 2.1): the three fields that say which message
 * it is, what produced it and how it stands. Other fields may come or go without a message being doubted.
 */
export function isMessageRecord(body: unknown): body is IDataObject {
	if (!isObject(body)) return false;
	return isText(body.id) && isText(body.function_name) && isText(body.status);
}

/** Whether the record says that the message failed all the same. */
export function saysFailed(record: IDataObject): boolean {
	return isObject(record.extra) && record.extra.success === false;
}

export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
	return typeof value === 'string' && value !== '';
}
