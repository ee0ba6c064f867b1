/** Expressions in n8n's own sandbox for them: several read at once have to give what each one gives alone. */
const { changing, expressions, items: list, jsons } = require('../expressions');
const { graph, items, manualTrigger, node, outboundMessaging } = require('../n8n/workflow');
const { useN8n, textOf } = require('./help');

const used = useN8n();

const ways = [
	...expressions.map((expression) => ({
		expression,
		parameters: { ...textOf({ dryRun: true }), text: expression },
	})),
	...jsons.map((expression) => ({
		expression,
		parameters: {
			operation: 'sendTemplate',
			templateId: 'order_confirmation',
			channelId: '1024',
			customerPhone: '={{ $json.phone }}',
			specifyAttributes: 'json',
			attributesJson: expression,
			options: { dryRun: true },
		},
	})),
];

/** What one expression does to the data must not be seen by the next. */
const attributesOf = (...values) => ({
	operation: 'sendTemplate',
	templateId: 'order_confirmation',
	channelId: '1024',
	customerPhone: '={{ $json.phone }}',
	attributes: { attribute: values.map((value) => ({ value })) },
	options: { dryRun: true },
});
for (const expression of changing) {
	const parameters = attributesOf(expression, '={{ $json.list.join() }}', '={{ $json.text }}');
	ways.push({ expression, parameters });
}

const together = (index) => `Together ${index}`;
const alone = (index) => `Alone ${index}`;

/** The whole list goes to one node per expression at once, and item by item to a twin of each. */
function bothWays() {
	const sender = (name, parameters) =>
		outboundMessaging({
			name,
			credentialId: used.credentialId,
			parameters,
			settings: { onError: 'continueRegularOutput' },
		});
	const loop = node('Loop', 'n8n-nodes-base.splitInBatches', 3, { batchSize: 1, options: {} });
	const last = alone(ways.length - 1);
	return graph(
		'Expressions',
		[
			manualTrigger(),
			items(list),
			loop,
			...ways.flatMap(({ parameters }, index) => [
				sender(together(index), parameters),
				sender(alone(index), parameters),
			]),
		],
		[
			['Start', 'Items'],
			['Items', 'Loop'],
			...ways.flatMap((_, index) => [
				['Items', together(index)],
				['Loop', alone(index), { output: 1 }],
			]),
			[last, 'Loop'],
		],
	);
}

const unnumbered = ({ details, ...json }) => ({
	...json,
	details: details && { ...details, itemIndex: undefined },
});

test('an expression gives the same, read with others or on its own', async () => {
	const { id } = await used.client.createWorkflow(bothWays());
	const execution = await used.client.run(id);
	expect(execution.status).toBe('success');
	const seen = (name) =>
		execution
			.runs(name)
			.flatMap(({ data }) => data.main[0])
			.map(({ json }) => unnumbered(json));
	const results = (name) =>
		ways.map(({ expression }, index) => ({ expression, items: seen(name(index)) }));
	expect(results(together).every((each) => each.items.length === list.length)).toBe(true);
	expect(results(together)).toEqual(results(alone));
	// Not because everything was refused.
	const sound = results(together).filter((each) => each.items.some(({ dryRun }) => dryRun));
	expect(sound.length).toBeGreaterThan(ways.length / 2);
});
