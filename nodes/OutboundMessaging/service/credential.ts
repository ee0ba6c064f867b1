import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import { requireSame, RunRejected } from '../delivery/runRejected';
import type { InvalidValue } from '../validation/invalidValue';
import { connectionFrom } from './connection';

/** The type of the credential, by n8n's name for it. */
export const CREDENTIAL = 'outboundMessagingApi';

/**
 * The one credential of the run, as n8n has it and tidied. Its fields can hold expressions: then it's read for every
 * item, which costs a database access each.
 * @throws RunRejected when two differ (messages would go to the service of another item), or a field can't be used
 */
export async function readRunCredential(context: IExecuteFunctions) {
	const read = async (itemIndex: number) =>
		await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL, itemIndex);
	const count = context.getInputData().length;
	const isOne = count === 1 || !(await hasExpressions(read));
	const credential = await requireSame('The credential', USE_ONE, isOne ? 1 : count, read);
	try {
		return { credential, connection: connectionFrom(credential) };
	} catch (error) {
		throw unusable(error as InvalidValue);
	}
}

function unusable({ message, fix }: InvalidValue): RunRejected {
	const text = { title: message, description: `${fix}. You find it in the credential` };
	return new RunRejected({ ...text, n8nCause: { cause: 'credential-invalid' } });
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

const USE_ONE =
	"One step uses one credential. Remove the expressions from the credential's fields. Use one node with its own credential for each service or account";
