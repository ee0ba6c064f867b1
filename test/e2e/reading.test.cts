/** What the node reads before it sends, judged by what arrives at the service. */
import type { Execution } from '../n8n/execution.cts';
import { graph, items, manualTrigger, node, outboundMessaging } from '../n8n/workflow.cts';
import { useN8n, textOf, NODE, type Definition } from './help.cts';

const used = useN8n();
const list = [0, 1, 2, 3, 4].map((n) => ({ customer: String(8000 + n), text: `text ${n}`, n }));

beforeEach(() => {
	used.sandbox.ledger.clear();
	used.sandbox.faults.clear();
});

const arrived = () => used.sandbox.ledger.entries();
const sentTo = (recipient: string) =>
	arrived().filter((entry) => entry.recipient === recipient).length;
/** What the last run of a node has put out. */
const outputOf = (execution: Execution, name = NODE, output = 0) =>
	execution.runs(name).at(-1)?.data?.main?.[output] ?? [];

/** A run that is rejected as a whole: one failed item for each item, and nothing at the service. */
async function expectRejected(definition: Definition, words: string) {
	const settings = { onError: 'continueRegularOutput' };
	const execution = await used.send({ list, settings, ...definition });
	const errors = outputOf(execution).map(({ json }) => json.error);
	expect(errors).toEqual(list.map(() => expect.stringContaining(words)));
	expect(arrived()).toEqual([]);
}

test.each<[object, string, object?]>([
	[{ dryRun: '={{ "yes" }}' }, `'Dry Run' is "yes"`],
	[{ dryRun: '={{ 1 }}' }, `'Dry Run' is "1"`],
	[{ sendOnceKey: '={{ $json.order }}-confirmation' }, '"{{ $json.order }}" found no value'],
	[{ sendOnceKey: '=order-{{ $json.n % 2 }}' }, `'Send Once Key' is "order-0" for both item 0`],
	[{}, `'Timeout (Milliseconds)' is "2147484648"`, { timeout: 2 ** 31 + 1000 }],
])('%j rejects the run: %s', async (safeguards, words, options = {}) => {
	await expectRejected({ parameters: textOf(options, safeguards) }, words);
});

test('dry run from an expression that yields "true" sends nothing', async () => {
	const execution = await used.send({ list, parameters: textOf({}, { dryRun: '={{ "true" }}' }) });
	expect(outputOf(execution).every(({ json }) => json.dryRun === true)).toBe(true);
	expect(arrived()).toEqual([]);
});

test('a credential that differs between items rejects the run', async () => {
	const url = used.sandbox.url;
	const credentialId = await used.createCredential({
		baseUrl: `={{ $json.n === 3 ? '${url}/other' : '${url}' }}`,
	});
	await expectRejected(
		{ credentialId, parameters: textOf() },
		"The credential isn't the same for item 0 and item 3",
	);
});

test('an uncertain item is not sent by the next node, even if a node in between drops what says so', async () => {
	used.sandbox.faults.set([{ what: 'cutAfter', when: { recipient: '8001', nth: [1] } }]);
	const sender = (name: string) =>
		outboundMessaging({
			name,
			parameters: textOf(),
			credentialId: used.credentialId,
			settings: { onError: 'continueErrorOutput' },
		});
	const fields = ['customer', 'text'].map((name) => ({
		...{ id: name, name, type: 'string' },
		value: `={{ $json.${name} }}`,
	}));
	const drop = node('Edit Fields', 'n8n-nodes-base.set', 3.4, {
		assignments: { assignments: fields },
		options: {},
	});
	const definition = graph(
		'Uncertain',
		[manualTrigger(), items(list), sender(NODE), sender('Same fields'), drop, sender('Dropped')],
		[
			['Start', 'Items'],
			['Items', NODE],
			[NODE, 'Same fields', { output: 1 }],
			[NODE, drop.name, { output: 1 }],
			[drop.name, 'Dropped'],
		],
	);
	const { id } = await used.client.createWorkflow(definition);
	const execution = await used.client.run(id);
	for (const name of ['Same fields', 'Dropped']) {
		const [{ json }] = outputOf(execution, name, 1);
		expect(json.error).toContain('sent this message without a clear response');
	}
	expect(sentTo('8001')).toBe(1);
	expect(arrived()).toHaveLength(list.length);
});
