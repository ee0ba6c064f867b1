import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { useEngine } from './engine';
import { customer, customers, FAILED, TEMPLATE, toSend } from './workflows';

const engine = useEngine();

/** Five sound items with a bad one in their middle. */
const mixed = () => {
	const items = customers(5);
	items[2] = { customer: '', text: 'text 2' };
	return items;
};

describe('in stop mode', () => {
	it('one bad item of many means that nothing is sent, and the error names all of it', async () => {
		const execution = await engine.run(toSend(), mixed());
		expect(execution.status).toBe('error');
		expect(engine.ledger.entries()).toEqual([]);
		expect(execution.error?.message).toBe("'Customer ID' is empty");
		expect(execution.words).toContain('Enter the ID, or map a field that has a value');
		expect(execution.words).toContain('Nothing was sent.');
		expect(execution.words).toContain('item 2 (n8n counts items from 0)');
		expect(execution.error).toMatchObject({
			name: 'NodeOperationError',
			context: { itemIndex: 2 },
			failure: { cause: 'configuration-invalid' },
		});
	});

	it('all bad items are named, and the last one is found too', async () => {
		const items = customers(40).map((item, index) => (index % 3 === 0 ? { text: 'x' } : item));
		const execution = await engine.run(toSend(), items);
		expect(execution.words).toContain(
			'All 40 items are checked before the first message is sent. To fix: items 0, 3, 6, 9, 12, 15, 18, 21, 24, 27 and 4 more (n8n counts items from 0).',
		);
		expect(engine.ledger.entries()).toEqual([]);
	});

	it('Retry On Fail sends nothing either', async () => {
		const execution = await engine.run(toSend({ tries: 3 }), mixed());
		expect(execution.status).toBe('error');
		expect(engine.ledger.entries()).toEqual([]);
	});
});

describe('in continue mode', () => {
	it('only the bad items fail', async () => {
		const execution = await engine.run(toSend({ onError: 'continueRegularOutput' }), mixed());
		expect(execution.status).toBe('success');
		expect(engine.ledger.accepted().map(({ recipient }) => recipient)).toEqual(
			[0, 1, 3, 4].map(customer),
		);
		expect(execution.json()).toHaveLength(5);
		expect(execution.json()[2]).toEqual({
			error: "'Customer ID' is empty",
			details: {
				delivery: 'rejected',
				fix: expect.stringContaining('map a field that has a value') as string,
				code: 'invalidInput',
				itemIndex: 2,
			},
		});
	});

	it('the bad items come out of the error output, with the fields they came with', async () => {
		const execution = await engine.run(toSend({ onError: 'continueErrorOutput' }), mixed());
		expect(execution.items(0)).toHaveLength(4);
		expect(execution.json(0, FAILED)).toEqual([
			{
				customer: '',
				text: 'text 2',
				error: "'Customer ID' is empty",
				details: {
					delivery: 'rejected',
					fix: expect.stringContaining('map a field that has a value') as string,
					code: 'invalidInput',
					itemIndex: 2,
				},
			},
		]);
		expect(engine.ledger.summary().received).toBe(4);
	});
});

describe('options', () => {
	const national = (options: IDataObject) => {
		const values = { attribute: [{ value: 'one\ntwo' }] };
		const parameters = { ...TEMPLATE, customerPhone: '={{ $json.phone }}', attributes: values };
		return toSend({ parameters, options: options as INodeParameters });
	};
	const PHONES = [{ phone: '0151 23456789' }, { phone: '+12025550143' }];

	it('of templates: the country of national numbers, and no line breaks', async () => {
		const options = { defaultCountry: 'DE', attributeLineBreaks: 'replace' };
		await engine.run(national(options), PHONES);
		expect(engine.ledger.accepted().map(({ recipient }) => recipient)).toEqual([
			'+4915123456789',
			'+12025550143',
		]);
		for (const { body } of engine.ledger.accepted()) {
			expect(body).toHaveProperty('attributes', { '1': 'one two' });
		}
	});

	it('may come from an expression', async () => {
		const options = { maxConcurrency: '={{ $json.customer - 998 }}' };
		engine.sandbox.faults.set([{ what: 'latency', ms: 20 }]);
		await engine.run(toSend({ options }), customers(10));
		expect(engine.ledger.maxInFlight).toBe(2);
		expect(engine.ledger.summary().accepted).toBe(10);
	});
});
