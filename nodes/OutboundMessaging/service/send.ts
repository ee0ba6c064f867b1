import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import type { Send } from '../delivery/port';
import { classifyResponse } from './classifyResponse';
import type { Connection } from './connection';
import { sender } from './request';

/**
 * What delivery sends through: one request over HTTP, and what its response means for the message.
 * @param timeout in milliseconds
 */
export function serviceSender(
	context: IExecuteFunctions,
	credential: ICredentialDataDecryptedObject,
	{ apiKey }: Connection,
	timeout: number,
): Send {
	const post = sender(context, credential, timeout);
	return async (request) => classifyResponse(await post(request), apiKey);
}
