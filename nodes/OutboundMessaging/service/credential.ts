import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import { type ErrorText, twoLines, misconfigured, RunRejected } from '../common/failure';
import { storedCredential } from '../n8n/internals';
import { isShared } from '../n8n/sharedValue';
import { connectionFrom } from './connection';

/** The type of the credential, by n8n's name for it. */
export const CREDENTIAL = 'outboundMessagingApi';

/**
 * The run's one credential.
 * @throws RunRejected if it differs between two items, or can't be used
 */
export async function readRunCredential(context: IExecuteFunctions) {
	const credential = await context.getCredentials(CREDENTIAL, 0);
	if (await mayDiffer(context)) await requireSame(context, credential);
	try {
		return { credential, connection: connectionFrom(credential) };
	} catch (error) {
		throw unusable(error as ErrorText);
	}
}

const unusable = ({ title, description }: ErrorText) =>
	new RunRejected({
		title,
		description: `${description}. The field is in the credential`,
		n8nCause: { cause: 'credential-invalid' },
	});

/**
 * Whether a field has an expression that may differ between the items; also if n8n doesn't say
 * how it's stored.
 */
async function mayDiffer(context: IExecuteFunctions): Promise<boolean> {
	if (context.getInputData().length <= 1) return false;
	const stored = await storedCredential(context, CREDENTIAL).catch(() => undefined);
	return !stored || !Object.values(stored).every(isShared);
}

/** Each reading costs about 1 ms: n8n asks its database, decrypts, and evaluates. */
async function requireSame(context: IExecuteFunctions, first: ICredentialDataDecryptedObject) {
	const same = JSON.stringify(first);
	const { length } = context.getInputData();
	for (let itemIndex = 1; itemIndex < length; itemIndex++) {
		const credential = await context.getCredentials(CREDENTIAL, itemIndex);
		if (JSON.stringify(credential) === same) continue;
		const text = twoLines`The credential isn't the same for item 0 and item ${itemIndex} \
				(n8n counts items from 0)
			One step uses one credential. Remove the expressions from the credential's fields. Use one \
				node with its own credential for each service or account`;
		throw misconfigured(text, 'invalidInput');
	}
}
