import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import type { Send } from '../delivery/port';
import { classifyResponse } from './classifyResponse';
import type { Connection } from './connection';
import { httpPoster } from './http';
import { redactor } from './redact';

/**
 * What delivery sends through: one request over HTTP, and what its response means for the message.
 * @param timeout for a whole response, in milliseconds
 */
export function serviceSender(
	context: IExecuteFunctions,
	credential: ICredentialDataDecryptedObject,
	{ apiKey }: Connection,
	timeout: number,
): Send {
	const post = httpPoster(context, credential, timeout);
	const redact = redactor(apiKey);
	return async (request) => classifyResponse(await post(request), redact);
}
