import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import { requireSame, RunRejected } from '../delivery/runRejected';
import type { InvalidValue } from '../validation/invalidValue';
import { type Connection, connectionFrom } from './connection';

/** The type of the credential, by n8n's name for it. */
export const CREDENTIAL = 'outboundMessagingApi';

/**
 * The one credential of the run. Its fields can hold expressions: then it's read for every item, which costs a database
 * access each.
 * @throws RunRejected when two differ: messages would go to the service of another item
 */
export async function readRunCredential(
	context: IExecuteFunctions,
): Promise<ICredentialDataDecryptedObject> {
	const read = async (itemIndex: number) =>
		await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL, itemIndex);
	const count = context.getInputData().length;
	const isOne = count === 1 || !(await hasExpressions(read));
	return await requireSame('The credential', USE_ONE, isOne ? 1 : count, read);
}

/**
 * Whether fields of the credential hold expressions. n8n gives nothing but their values, but to evaluate one it always
 * looks up the item, and an index that is an object notices that.
 */
async function hasExpressions(read: (itemIndex: number) => Promise<unknown>): Promise<boolean> {
	let isLookedUp = false;
	const index = {
		[Symbol.toPrimitive]() {
			isLookedUp = true;
			return 0;
		},
	};
	try {
		await read(index as unknown as number);
		return isLookedUp;
	} catch {
		// An expression that takes no such index.
		return true;
	}
}

/** @throws RunRejected when a field of the credential can't be used */
export function connect(credential: ICredentialDataDecryptedObject): Connection {
	let invalid: InvalidValue;
	try {
		return connectionFrom(credential);
	} catch (error) {
		invalid = error as InvalidValue;
	}
	const description = `${invalid.fix}. You find it in the credential`;
	throw new RunRejected({
		title: invalid.message,
		description,
		n8nCause: { cause: 'credential-invalid' },
	});
}

const USE_ONE =
	"One step uses one credential. Remove the expressions from the credential's fields. Use one node with its own credential for each service or account";
