import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import { RunRejected } from '../delivery/runRejected';

const CREDENTIAL = 'outboundMessagingApi';

/** How many items between the first and the last are asked for their credential; each costs a database access. */
const SAMPLES = 8;

/**
 * The one credential of the run. Its fields can hold expressions, so it's read for the first item, the last one and up
 * to eight between, evenly spread.
 * @throws RunRejected when they differ: messages would go to the service of another item
 */
export async function readRunCredential(
	context: IExecuteFunctions,
): Promise<ICredentialDataDecryptedObject> {
	const [firstIndex, ...others] = sampledIndexes(context.getInputData().length);
	const read = async (itemIndex: number) =>
		await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL, itemIndex);
	const credential = await read(firstIndex);
	for (const itemIndex of others) {
		if (isSame(credential, await read(itemIndex))) continue;
		throw new RunRejected({
			title: `The credential isn't the same for item ${firstIndex} and item ${itemIndex} (n8n counts items from 0)`,
			description:
				"One run uses one credential. Remove the expressions from the credential's fields. Use one node with its own credential for each service or account",
			reason: 'invalidInput',
			n8nCause: { cause: 'configuration-invalid' },
		});
	}
	return credential;
}

/** The first, the last and up to eight between; each index once. */
function sampledIndexes(count: number): number[] {
	const steps = Math.min(count - 1, SAMPLES + 1);
	const indexes = Array.from({ length: steps + 1 }, (_, step) =>
		Math.round((step * (count - 1)) / Math.max(steps, 1)),
	);
	return indexes;
}

function isSame(
	one: ICredentialDataDecryptedObject,
	other: ICredentialDataDecryptedObject,
): boolean {
	const names = new Set([...Object.keys(one), ...Object.keys(other)]);
	return [...names].every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]));
}
