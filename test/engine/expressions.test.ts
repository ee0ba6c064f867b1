/* eslint-disable @typescript-eslint/no-require-imports */
import type { IDataObject } from 'n8n-workflow';
import { WorkflowExpression } from 'n8n-workflow';

import { useEngine } from './engine';
import { customers, TEMPLATE, toSend } from './workflows';

const { items, expressions, jsons } = require('../expressions.js') as {
	items: IDataObject[];
	expressions: string[];
	jsons: string[];
};

const engine = useEngine();

const dryRun = (parameters: IDataObject) =>
	toSend({
		parameters: parameters as never,
		options: { dryRun: true },
		onError: 'continueRegularOutput',
	});

/** How many expressions n8n evaluates meanwhile. */
async function evaluations(work: () => Promise<unknown>): Promise<number> {
	const evaluate = jest.spyOn(WorkflowExpression.prototype, 'resolveSimpleParameterValue');
	await work();
	const count = evaluate.mock.calls.filter(([value]) => String(value).startsWith('=')).length;
	evaluate.mockRestore();
	return count;
}

describe('several expressions of an item are read at once', () => {
	it.each(expressions)('%j gives what n8n makes of it on its own', async (expression) => {
		const workflow = dryRun({ text: expression });
		const alone: IDataObject[] = [];
		for (const item of items) alone.push(...(await engine.run(workflow, [item])).json());
		const unnumbered = ({ details, ...json }: IDataObject) => ({
			...json,
			details: details && { ...(details as IDataObject), itemIndex: undefined },
		});
		// The other way round another item is the first, which is the model for the rest.
		for (const order of [
			(list: IDataObject[]) => list,
			(list: IDataObject[]) => [...list].reverse(),
		]) {
			const together = (await engine.run(workflow, order(items))).json();
			expect(together.map(unnumbered)).toEqual(order(alone).map(unnumbered));
		}
	});

	it('and in the fields of a template as well', async () => {
		const attribute = ['=Dear {{ $json.name }}', '={{ $json.text }}', 'fixed'].map((value) => ({
			value,
		}));
		const workflow = dryRun({ ...TEMPLATE, attributes: { attribute } });
		const alone: unknown[] = [];
		for (const item of items) alone.push((await engine.run(workflow, [item])).json()[0].request);
		const together = (await engine.run(workflow, items)).json().map(({ request }) => request);
		expect(together).toEqual(alone);
		expect(together.filter(Boolean).length).toBeGreaterThan(3);
	});

	it.each(jsons)('and as JSON: %s', async (attributesJson) => {
		const workflow = dryRun({ ...TEMPLATE, specifyAttributes: 'json', attributesJson });
		const alone: unknown[] = [];
		const essence = ({ request, error, message }: IDataObject) => ({ request, error, message });
		for (const item of items) alone.push(essence((await engine.run(workflow, [item])).json()[0]));
		expect((await engine.run(workflow, items)).json().map(essence)).toEqual(alone);
	});

	it('with one evaluation per item, once the first has shown that it works', async () => {
		const count = await evaluations(async () => await engine.run(toSend(), customers(10)));
		expect(count).toBe(2 + 1 + 9);
	});

	it('not with one or two items, and not where there is one expression only', async () => {
		expect(await evaluations(async () => await engine.run(toSend(), customers(2)))).toBe(4);
		const workflow = toSend({ parameters: { text: 'the same for all' } });
		expect(await evaluations(async () => await engine.run(workflow, customers(10)))).toBe(10);
	});

	it('not where reading them at once gives something else', async () => {
		const workflow = dryRun({ text: '={{ $json.text }} {{ $json.customer' });
		const count = await evaluations(async () => await engine.run(workflow, customers(10)));
		expect(count).toBe(20 + 1);
	});

	it('an item without a sound value among others does not change theirs', async () => {
		const list = customers(6).map((item, index) => (index === 3 ? { ...item, text: {} } : item));
		const execution = await engine.run(toSend({ onError: 'continueRegularOutput' }), list);
		expect(execution.json()[3]).toMatchObject({ error: expect.stringContaining('Text') });
		const texts = engine.ledger.entries().map(({ body }) => body.text);
		expect(texts.sort()).toEqual(['text 0', 'text 1', 'text 2', 'text 4', 'text 5']);
	});
});
