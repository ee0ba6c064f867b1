import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import type { ErrorText } from '../common/twoLines';
import { requireSame, RunRejected } from '../delivery/runRejected';
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
	// n8n gives nothing but the values, but to evaluate an expression it looks up the item: an index that is an object
	// notices that.
	let hasExpressions = false;
	const index: unknown = { [Symbol.toPrimitive]: () => ((hasExpressions = true), 0) };
	// It fails for an expression that takes no such index.
	if (count > 1) await read(index as number).catch(() => (hasExpressions = true));
	const credential = await requireSame('The credential', USE_ONE, hasExpressions ? count : 1, read);
	try {
		return { credential, connection: connectionFrom(credential) };
	} catch (error) {
		throw unusable(error as ErrorText);
	}
}

function unusable({ title, description: fix }: ErrorText): RunRejected {
	const description = `${fix}. You find it in the credential`;
	return new RunRejected({ title, description, n8nCause: { cause: 'credential-invalid' } });
}

const USE_ONE =
	"One step uses one credential. Remove the expressions from the credential's fields. Use one node with its own credential for each service or account";
