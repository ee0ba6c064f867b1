import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import type { ErrorText } from '../common/twoLines';
import { RunRejected, misconfigured } from '../delivery/runRejected';
import { connectionFrom } from './connection';

/** The type of the credential, by n8n's name for it. */
export const CREDENTIAL = 'outboundMessagingApi';

/** The run's one credential; one with expressions is read for each item. @throws RunRejected if two differ, or it can't be used */
export async function readRunCredential(context: IExecuteFunctions) {
	const read = async (itemIndex: number) =>
		await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL, itemIndex);
	const { length } = context.getInputData();
	const count = length > 1 && (await hasExpressions(read)) ? length : 1;
	const credential = await read(0);
	for (let itemIndex = 1; itemIndex < count; itemIndex++) {
		if (JSON.stringify(await read(itemIndex)) === JSON.stringify(credential)) continue;
		const title = `The credential isn't the same for item 0 and item ${itemIndex} (n8n counts items from 0)`;
		throw misconfigured({ title, description: USE_ONE }, 'invalidInput');
	}
	try {
		return { credential, connection: connectionFrom(credential) };
	} catch (error) {
		throw unusable(error as ErrorText);
	}
}

/** To evaluate an expression, n8n looks up the item by its index: an index that is an object notices that. */
async function hasExpressions(read: (index: number) => Promise<unknown>): Promise<boolean> {
	let isLookedUp = false;
	const index: unknown = { [Symbol.toPrimitive]: () => ((isLookedUp = true), 0) };
	// It fails for an expression that takes no such index.
	await read(index as number).catch(() => (isLookedUp = true));
	return isLookedUp;
}

function unusable({ title, description: fix }: ErrorText): RunRejected {
	const description = `${fix}. You find it in the credential`;
	return new RunRejected({ title, description, n8nCause: { cause: 'credential-invalid' } });
}

const USE_ONE =
	"One step uses one credential. Remove the expressions from the credential's fields. Use one node with its own credential for each service or account";
