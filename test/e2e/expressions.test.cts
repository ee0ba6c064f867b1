/** Expressions in a real n8n: what the node reads on its own has to be n8n's own value, or end in n8n's own error. */
import { evaluated, expressions, items as list, jsons, paths } from '../expressions.cts';
import { graph, items, manualTrigger, node, outboundMessaging } from '../n8n/workflow.cts';
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
type Way = (as: (expression: string) => string) => object;

const nested = [
	...paths.filter((_, index) => index % 4 === 0),
	// n8n rewrites the whole code that an extension of its own is in, here `.toTitleCase()` below.
	'={{ $json.customer?.[$itemIndex * 0] }}',
];

/** Each entry becomes two nodes: one with the expression, one with what only n8n can read. */
const ways = [
	...[...expressions, ...paths].map(
		(expression): Way =>
			(as) => ({
				...textOf({}, { dryRun: true }),
				text: as(expression),
			}),
	),
	...jsons.map(
		(expression): Way =>
			(as) => ({
				...TEMPLATE,
				specifyAttributes: 'json',
				attributesJson: as(expression),
			}),
	),
	...nested.map(
		(expression): Way =>
			(as) => ({
				...TEMPLATE,
				attributes: {
					attribute: [expression, '={{ $json.phone.toTitleCase() }}', 'fixed'].map((value) => ({
						value: as(value),
					})),
				},
				headerMedia: {
					media: { type: 'image', url: as(`=https://example.com/a?b=${expression.slice(1)}`) },
				},
			}),
	),
];

const direct = (index: number) => `Direct ${index}`;
const byN8n = (index: number) => `By n8n ${index}`;

function bothWays() {
	const sender = (name: string, parameters: object) =>
		outboundMessaging({
			name,
			parameters,
			credentialId: used.credentialId,
			settings: { onError: 'continueRegularOutput' },
		});
	/** Adds what JSON can't hold: a date, and what is not a number. */
	const field = (name: string, type: string, value: string) => ({ id: name, name, type, value });
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
			...senders.map(({ name }): [string, string] => [fields.name, name]),
			[senders[0].name, 'Later'],
		],
	);
}

test('a value is the same, read by the node or evaluated by n8n', async () => {
	const { id } = await used.client.createWorkflow(bothWays());
	const execution = await used.client.run(id);
	expect(execution.status).toBe('success');
	const results = (name: (index: number) => string) =>
		ways.map((parameters, index) => ({
			parameters: parameters((expression) => expression),
			items: execution
				.runs(name(index))
				.flatMap(({ data }) => data?.main?.[0] ?? [])
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
