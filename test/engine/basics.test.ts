import type { IDataObject } from 'n8n-workflow';

import { useEngine } from './engine';
import { customers, FAILED, toSend } from './workflows';

const engine = useEngine();

it('the output is the record, untouched, with unknown fields', async () => {
	const body = {
		id: 'message 1',
		function_name: 'send_text_message',
		status: 'COMPLETED',
		extra: { success: true, customer_id: 4711, deep: [{ er: null }, 'ü', 1.5] },
		new_field: { a: [1, { b: false }] },
		empty: null,
		'': 'no name',
	};
	engine.sandbox.faults.set([{ what: 'status', status: 200, body, accepted: true }]);
	const execution = await engine.run(toSend(), customers(1));
	expect(execution.json()).toEqual([body]);
	expect(execution.json()[0]).not.toHaveProperty('error');
});

it('for no items nothing comes out, and nothing is sent', async () => {
	const execution = await engine.run(toSend(), []);
	expect(execution.status).toBe('success');
	expect(execution.items()).toEqual([]);
	expect(engine.received()).toEqual([]);
});

it('the credential is read for ten items of the run, and signs every request', async () => {
	await engine.run(toSend(), customers(25));
	expect(engine.credentials).toMatchObject({ decrypted: 10, authenticated: 25 });
	expect(engine.ledger.entries().every(({ keyOk }) => keyOk)).toBe(true);
});

describe('a bad item among good ones', () => {
	const ITEMS = customers(5).with(2, { customer: '', text: 'text 2' });
	const SENT = ['1000', '1001', '1003', '1004'];
	const bad: IDataObject = {
		error: "'Customer ID' is empty",
		details: {
			delivery: 'rejected',
			fix: expect.stringContaining('map a field that has a value') as string,
			code: 'invalidInput',
			itemIndex: 2,
		},
	};

	it('in stop mode nothing is sent, in no try', async () => {
		const execution = await engine.run(toSend({ tries: 3 }), ITEMS);
		expect(engine.received()).toEqual([]);
		expect(execution.words).toContain('item 2 (n8n counts items from 0)');
		expect(execution.error).toMatchObject({
			name: 'NodeOperationError',
			context: { itemIndex: 2 },
			failure: { cause: 'configuration-invalid' },
		});
	});

	it('in continue mode only the bad item fails', async () => {
		const execution = await engine.run(toSend({ onError: 'continueRegularOutput' }), ITEMS);
		expect(engine.accepted()).toEqual(SENT);
		expect(execution.json()).toHaveLength(5);
		expect(execution.json()[2]).toEqual(bad);
	});

	it('it comes out of the error output, with the fields it came with', async () => {
		const execution = await engine.run(toSend({ onError: 'continueErrorOutput' }), ITEMS);
		expect(engine.accepted()).toEqual(SENT);
		expect(execution.items()).toHaveLength(4);
		expect(execution.json(0, FAILED)).toEqual([{ ...ITEMS[2], ...bad }]);
	});
});
