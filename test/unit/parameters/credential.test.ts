import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { RunRejected } from '../../../nodes/OutboundMessaging/delivery/runRejected';
import { readRunCredential } from '../../../nodes/OutboundMessaging/parameters/credential';

/** A run of so many items, and which of them were asked for their credential. */
function run(count: number, credentialOf: (itemIndex: number) => IDataObject) {
	const asked: number[] = [];
	const context = {
		getInputData: () => Array.from({ length: count }, () => ({ json: {} })),
		getCredentials: async (name: string, itemIndex: number) => {
			expect(name).toBe('outboundMessagingApi');
			asked.push(itemIndex);
			return credentialOf(itemIndex);
		},
	};
	return {
		asked,
		read: async () => await readRunCredential(context as never as IExecuteFunctions),
	};
}

const ONE = { baseUrl: 'https://one.example', apiKey: 'secret' };

it.each([
	[1, [0]],
	[2, [0, 1]],
	[10, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
	[11, [0, 1, 2, 3, 4, 6, 7, 8, 9, 10]],
	[1000, [0, 111, 222, 333, 444, 555, 666, 777, 888, 999]],
])('of %i items, these are asked: %j', async (count, indexes) => {
	const { asked, read } = run(count, () => ({ ...ONE }));
	expect(await read()).toEqual(ONE);
	expect(asked).toEqual(indexes);
});

it.each<[string, (itemIndex: number) => IDataObject]>([
	['the last item', (index) => ({ ...ONE, baseUrl: `https://${index < 99}.example` })],
	['every second item', (index) => ({ ...ONE, apiKey: `key ${index % 2}` })],
	['a field that others lack', (index) => (index === 99 ? { ...ONE, apiKeyHeader: 'X' } : ONE)],
])('a credential that differs for %s rejects the run, without its values', async (_, of) => {
	const error: unknown = await run(100, of)
		.read()
		.catch((thrown: unknown) => thrown);
	expect(error).toBeInstanceOf(RunRejected);
	const { failure } = error as RunRejected;
	expect(failure.title).toMatch(/^The credential isn't the same for item 0 and item \d+ \(/);
	expect(failure.description).toContain('One run uses one credential');
	expect(JSON.stringify(failure)).not.toMatch(/example|secret|key \d/);
});
