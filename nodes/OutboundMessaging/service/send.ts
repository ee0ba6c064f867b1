import type { ICredentialDataDecryptedObject, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Send } from '../delivery/port';
import { classifyResponse } from './classifyResponse';
import type { Connection } from './connection';
import type { Redact } from './redact';
import { redactor } from './redact';
import { sender } from './request';

/** What a message result may say: an AI agent reads records, and must not read the API key. */
function redactedRecord(value: unknown, redact: Redact): unknown {
	if (Array.isArray(value)) return value.map((each) => redactedRecord(each, redact));
	if (typeof value === 'object' && value !== null) {
		const entries = Object.entries(value).map(([name, each]) => [
			redact(name),
			redactedRecord(each, redact),
		]);
		return Object.fromEntries(entries);
	}
	const text = String(value);
	return redact(text) === text ? value : redact(text);
}

/**
 * What delivery sends through: one request over HTTP, and what its response means for the message.
 * @param timeout for a whole response, in milliseconds
 * @param isTool whether an AI agent reads the records
 */
export function serviceSender(
	context: IExecuteFunctions,
	credential: ICredentialDataDecryptedObject,
	{ apiKey }: Connection,
	timeout: number,
	isTool: boolean,
): Send {
	const post = sender(context, credential, timeout);
	const redact = redactor(apiKey);
	return async (request) => {
		const result = classifyResponse(await post(request), redact);
		if (!isTool || result.delivery !== 'accepted') return result;
		return { ...result, record: redactedRecord(result.record, redact) as IDataObject };
	};
}
