import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { RunRejected } from '../../../nodes/OutboundMessaging/delivery/runRejected';
import { readRunCredential } from '../../../nodes/OutboundMessaging/parameters/credential';

const ONE = { baseUrl: 'https://one.example', apiKey: 'secret' };

/** The credential of a run of so many items, and which of them were asked for it. */
async function readFrom(count: number, credentialOf: (itemIndex: number) => IDataObject) {
	const asked: number[] = [];
	const context = {
		getInputData: () => new Array(count),
		getCredentials: async (name: string, itemIndex: number) => {
			expect(name).toBe('outboundMessagingApi');
			asked.push(itemIndex);
			return credentialOf(itemIndex);
		},
	};
	return { credential: await readRunCredential(context as never as IExecuteFunctions), asked };
}

it.each([
	[1, [0]],
	[11, [0, 1, 2, 3, 4, 6, 7, 8, 9, 10]],
	[1000, [0, 111, 222, 333, 444, 555, 666, 777, 888, 999]],
])('of %i items, these are asked: %j', async (count, indexes) => {
	const read = await readFrom(count, () => ({ ...ONE }));
	expect(read).toEqual({ credential: ONE, asked: indexes });
});

it.each<[string, (itemIndex: number) => IDataObject]>([
	['the last item', (index) => ({ ...ONE, baseUrl: `https://${index < 99}.example` })],
	['every second item', (index) => ({ ...ONE, apiKey: `key ${index % 2}` })],
	['a field that others lack', (index) => (index === 99 ? { ...ONE, apiKeyHeader: 'X' } : ONE)],
])('a credential that differs for %s rejects the run, without its values', async (_, of) => {
	const error: unknown = await readFrom(100, of).catch((thrown: unknown) => thrown);
	expect(error).toBeInstanceOf(RunRejected);
	const { failure } = error as RunRejected;
	expect(failure.title).toMatch(/^The credential isn't the same for item 0 and item \d+ \(/);
	const n8nCause = { cause: 'configuration-invalid' };
	expect(failure).toMatchObject({ reason: 'invalidInput', n8nCause });
	expect(failure.description).toContain('One run uses one credential');
	expect(JSON.stringify(failure)).not.toMatch(/example|secret|key \d/);
});
