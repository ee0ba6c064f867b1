/** Expressions in a real n8n: what the node reads on its own has to be n8n's own value, or end in n8n's own error. */
import { evaluated, expressions, items as list, jsons, paths } from '../expressions.cts';
import {
	graph,
	items,
	manualTrigger,
	node,
	outboundMessaging,
	type Link,
} from '../n8n/workflow.cts';
import { useN8n, textOf } from './help.cts';

const used = useN8n();

const TEMPLATE = {
	operation: 'sendTemplate',
	templateId: 'order_confirmation',
	channelId: '1024',
	customerPhone: '={{ $json.phone }}',
	safeguards: { dryRun: true },
};

/** Parameters of the node, with each expression as it shall be written. */
type Parameters = (expression: string, as: (expression: string) => string) => object;

const inText: Parameters = (expression, as) => ({
	...textOf({}, { dryRun: true }),
	text: as(expression),
});

const asJson: Parameters = (expression, as) => ({
	...TEMPLATE,
	specifyAttributes: 'json',
	attributesJson: as(expression),
});

const inLists: Parameters = (expression, as) => ({
	...TEMPLATE,
	attributes: {
		attribute: [expression, '={{ $json.phone.toTitleCase() }}', 'fixed'].map((value) => ({
			value: as(value),
		})),
	},
	headerMedia: {
		media: { type: 'image', url: as(`=https://example.com/a?b=${expression.slice(1)}`) },
	},
});

const all: Array<[string, Parameters]> = [
	...[...expressions, ...paths].map((each): [string, Parameters] => [each, inText]),
	...jsons.map((each): [string, Parameters] => [each, asJson]),
	...[
		...paths.filter((_, index) => index % 4 === 0),
		// n8n rewrites the whole code that an extension of its own is in, here `.toTitleCase()`.
		'={{ $json.customer?.[$itemIndex * 0] }}',
	].map((each): [string, Parameters] => [each, inLists]),
];

/** Each becomes two nodes: one with the expression, one with what only n8n can read. */
const WAYS = { Direct: (expression: string) => expression, 'By n8n': evaluated };

function bothWays() {
	const senders = Object.entries(WAYS).flatMap(([way, as]) =>
		all.map(([expression, parametersOf], index) =>
			outboundMessaging({
				name: `${way} ${index}`,
				parameters: parametersOf(expression, as),
				credentialId: used.credentialId,
				settings: { onError: 'continueRegularOutput' },
			}),
		),
	);
	/** Adds what JSON can't hold: a date, and what is not a number. */
	const fields = node("It's (1)", 'n8n-nodes-base.set', 3.4, {
		assignments: {
			assignments: [
				{ id: 'date', name: 'date', type: 'object', value: '={{ new Date(0) }}' },
				{ id: 'nan', name: 'nan', type: 'number', value: '={{ NaN }}' },
			],
		},
		includeOtherFields: true,
		options: { ignoreConversionErrors: true },
	});
	const later = node('Later', 'n8n-nodes-base.noOp', 1);
	return graph(
		'Expressions',
		[manualTrigger(), items(list), fields, ...senders, later],
		[
			['Start', 'Items'],
			['Items', fields.name],
			...senders.map(({ name }): Link => [fields.name, name]),
			[senders[0].name, later.name],
		],
	);
}

test('a value is the same, read by the node or evaluated by n8n', async () => {
	const { id } = await used.client.createWorkflow(bothWays());
	const execution = await used.client.run(id);
	expect(execution.status).toBe('success');
	const resultsOf = (way: keyof typeof WAYS) =>
		all.map(([expression], index) => [expression, execution.items(`${way} ${index}`)]);
	const direct = resultsOf('Direct');
	expect(direct).toEqual(resultsOf('By n8n'));
	// All of them, and not because everything was rejected.
	const results = direct.flatMap(([, each]) => each as Array<{ dryRun?: boolean }>);
	expect(results).toHaveLength(all.length * list.length);
	expect(results.filter(({ dryRun }) => dryRun).length).toBeGreaterThan(800);
});
