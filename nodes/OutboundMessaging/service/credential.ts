import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import type { ErrorText } from '../common/twoLines';
import { misconfigured, RunRejected } from '../delivery/runRejected';
import { storedCredential } from '../n8n/internals';
import { isShared } from '../n8n/sharedValue';
import { hasExpression } from '../validation/usable';
import { connectionFrom } from './connection';

/** The type of the credential, by n8n's name for it. */
export const CREDENTIAL = 'outboundMessagingApi';

type Fields = ICredentialDataDecryptedObject;
type Read = (itemIndex: number) => Promise<Fields>;

/** The run's one credential. @throws RunRejected if it differs between two items, or can't be used */
export async function readRunCredential(context: IExecuteFunctions) {
	const read: Read = async (itemIndex) => await context.getCredentials(CREDENTIAL, itemIndex);
	const credential = await read(0);
	const { length } = context.getInputData();
	if (length > 1) {
		// Each reading costs about 1 ms: n8n asks its database, decrypts, and evaluates.
		const stored = await storedCredential(context, CREDENTIAL).catch(() => undefined);
		if (!stored || mayDiffer(credential, stored)) await requireSame(credential, length, read);
	}
	try {
		return { credential, connection: connectionFrom(credential) };
	} catch (error) {
		throw unusable(error as ErrorText);
	}
}

/** Whether a field isn't as it's stored, for a reason that may differ between items. What isn't stored is a default. */
const mayDiffer = (credential: Fields, stored: Fields): boolean =>
	Object.entries(stored).some(([name, raw]) => {
		return raw !== credential[name] && !(hasExpression(raw) && isShared(raw));
	});

async function requireSame(credential: Fields, count: number, read: Read): Promise<void> {
	const same = JSON.stringify(credential);
	for (let itemIndex = 1; itemIndex < count; itemIndex++) {
		if (JSON.stringify(await read(itemIndex)) !== same) {
			const title = `The credential isn't the same for item 0 and item ${itemIndex} (n8n counts items from 0)`;
			throw misconfigured({ title, description: USE_ONE }, 'invalidInput');
		}
	}
}

const USE_ONE =
	"One step uses one credential. Remove the expressions from the credential's fields. Use one node with its own credential for each service or account";

function unusable({ title, description: fix }: ErrorText): RunRejected {
	const description = `${fix}. You find it in the credential`;
	return new RunRejected({ title, description, n8nCause: { cause: 'credential-invalid' } });
}
