import { WorkflowExpression } from 'n8n-workflow';

import { evaluated, expressions, items, jsons, paths } from '../expressions.cts';
import { useEngine } from './engine';
import type { Sending } from './workflows';
import { agent, customers, node, sending, TEMPLATE, toSend, workflow } from './workflows';

const engine = useEngine();

/** What a dry run shows, of items that come from another node. */
async function output(parameters: Sending['parameters']) {
	const spec = { safeguards: { dryRun: true }, onError: 'continueRegularOutput' } as const;
	const nodes = [node('Start', 'test.start'), node('Items', 'test.pass')];
	return (await engine.run(workflow([...nodes, sending({ parameters, ...spec })]), items)).json();
}

/** How many expressions n8n evaluates meanwhile. */
async function evaluations(work: () => Promise<unknown>): Promise<number> {
	const evaluate = jest.spyOn(WorkflowExpression.prototype, 'resolveSimpleParameterValue');
	await work();
	const count = evaluate.mock.calls.filter(([value]) => String(value).startsWith('=')).length;
	evaluate.mockRestore();
	return count;
}

describe('a parameter is what n8n makes of it', () => {
	it.each([...expressions, ...paths])('%j', async (text) => {
		expect(await output({ text })).toEqual(await output({ text: evaluated(text) }));
	});

	it('in the fields of a template as well', async () => {
		const fields = (as: (expression: string) => string) => ({
			...TEMPLATE,
			attributes: {
				attribute: [
					'=Dear {{ $json.name }}',
					'={{ $json.text }}',
					'fixed',
					// n8n rewrites the whole code that an extension of its own is in.
					'={{ $json.customer?.[$itemIndex * 0] }}',
					'={{ $json.phone.toTitleCase() }}',
				].map((value) => ({ value: as(value) })),
			},
		});
		const results = await output(fields((expression) => expression));
		expect(results).toEqual(await output(fields(evaluated)));
		expect(results.filter(({ request }) => request).length).toBeGreaterThan(1);
	});

	it.each(jsons)('as JSON: %s', async (attributesJson) => {
		const parameters = { ...TEMPLATE, specifyAttributes: 'json' };
		expect(await output({ ...parameters, attributesJson })).toEqual(
			await output({ ...parameters, attributesJson: evaluated(attributesJson) }),
		);
	});
});

describe('n8n evaluates', () => {
	it('nothing for plain paths and fixed values, of the item or of another node', async () => {
		const parameters = {
			customerId: "={{ $('Start').item.json['customer'] }}",
			text: '=Dear {{ $json.name }}, {{ $json["a b"][0].c }}',
		};
		const list = customers(10).map((item) => ({ ...item, name: 'Ada', 'a b': [{ c: 1 }] }));
		const count = await evaluations(async () => await engine.run(toSend({ parameters }), list));
		expect(engine.ledger.accepted().map(({ body }) => body.text)).toContain('Dear Ada, 1');
		expect(engine.ledger.entries()).toHaveLength(10);
		expect(count).toBe(0);
	});

	it('every other expression once per item, one by one', async () => {
		const parameters = { customerId: '={{ $json.customer.trim() }}', text: '={{ $json.text }}' };
		const run = async () => await engine.run(toSend({ parameters }), customers(10));
		expect(await evaluations(run)).toBe(10);
		expect(engine.ledger.entries()).toHaveLength(10);
	});

	it('only the items whose value is not plain', async () => {
		const list = customers(6).map((item, index) => (index === 3 ? { ...item, text: {} } : item));
		const spec = { onError: 'continueRegularOutput' } as const;
		const count = await evaluations(async () => {
			const execution = await engine.run(toSend(spec), list);
			expect(execution.json()[3]).toMatchObject({ error: expect.stringContaining('Text') });
		});
		expect(count).toBe(1);
		const texts = engine.ledger.accepted().map(({ body }) => body.text);
		expect(texts.sort()).toEqual(['text 0', 'text 1', 'text 2', 'text 4', 'text 5']);
	});

	it('everything of a tool', async () => {
		const parameters = { customerId: '={{ $json.customer }}', text: '={{ $json.text }}' };
		const run = async () => await engine.run(agent('test.agent', { parameters }), customers(1));
		expect(await evaluations(run)).toBe(2);
	});
});
