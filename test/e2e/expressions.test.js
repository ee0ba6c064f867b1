/** Expressions in a real n8n: what the node reads on its own has to be n8n's own value, or end in n8n's own error. */
const { evaluated, expressions, items: list, jsons, paths } = require('../expressions.cts');
const { graph, items, manualTrigger, node, outboundMessaging } = require('../n8n/workflow.cts');
const { useN8n, textOf } = require('./help.cts');

const used = useN8n();

const TEMPLATE = {
	operation: 'sendTemplate',
	templateId: 'order_confirmation',
	channelId: '1024',
	customerPhone: '={{ $json.phone }}',
	safeguards: { dryRun: true },
};
const nested = [
	...paths.filter((_, index) => index % 4 === 0),
	// n8n rewrites the whole code that an extension of its own is in, here `.toTitleCase()` below.
	'={{ $json.customer?.[$itemIndex * 0] }}',
];

/** Each entry becomes two nodes: one with the expression, one with what only n8n can read. */
const ways = [
	...[...expressions, ...paths].map((expression) => (as) => ({
		...textOf({}, { dryRun: true }),
		text: as(expression),
	})),
	...jsons.map((expression) => (as) => ({
		...TEMPLATE,
		specifyAttributes: 'json',
		attributesJson: as(expression),
	})),
	...nested.map((expression) => (as) => ({
		...TEMPLATE,
		attributes: {
			attribute: [expression, '={{ $json.phone.toTitleCase() }}', 'fixed'].map((value) => ({
				value: as(value),
			})),
		},
		headerMedia: {
			media: { type: 'image', url: as(`=https://example.com/a?b=${expression.slice(1)}`) },
		},
	})),
];

const direct = (index) => `Direct ${index}`;
const byN8n = (index) => `By n8n ${index}`;

function bothWays() {
	const sender = (name, parameters) =>
		outboundMessaging({
			name,
			parameters,
			credentialId: used.credentialId,
			settings: { onError: 'continueRegularOutput' },
		});
	/** Adds what JSON can't hold: a date, and what is not a number. */
	const field = (name, type, value) => ({ id: name, name, type, value });
	const fields = node("It's (1)", 'n8n-nodes-base.set', 3.4, {
		assignments: {
			assignments: [
				field('date', 'object', '={{ new Date(0) }}'),
				field('nan', 'number', '={{ NaN }}'),
			],
		},
		includeOtherFields: true,
		options: { ignoreConversionErrors: true },
	});
	const senders = ways.flatMap((parameters, index) => [
		sender(
			direct(index),
			parameters((expression) => expression),
		),
		sender(byN8n(index), parameters(evaluated)),
	]);
	return graph(
		'Expressions',
		[manualTrigger(), items(list), fields, ...senders, node('Later', 'n8n-nodes-base.noOp', 1)],
		[
			['Start', 'Items'],
			['Items', fields.name],
			...senders.map(({ name }) => [fields.name, name]),
			[senders[0].name, 'Later'],
		],
	);
}

test('a value is the same, read by the node or evaluated by n8n', async () => {
	const { id } = await used.client.createWorkflow(bothWays());
	const execution = await used.client.run(id);
	expect(execution.status).toBe('success');
	const results = (name) =>
		ways.map((parameters, index) => ({
			parameters: parameters((expression) => expression),
			items: execution
				.runs(name(index))
				.flatMap(({ data }) => data.main[0])
				.map(({ json }) => json),
		}));
	const all = results(direct);
	expect(all.every((each) => each.items.length === list.length)).toBe(true);
	expect(all).toEqual(results(byN8n));
	// Enough of them, and not because everything was rejected.
	expect(ways.length * list.length).toBeGreaterThan(2_500);
	const sound = all.flatMap((each) => each.items).filter(({ dryRun }) => dryRun);
	expect(sound.length).toBeGreaterThan(800);
});
