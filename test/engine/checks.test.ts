import type { IDataObject, INodeParameters, OnError } from 'n8n-workflow';

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

describe('what is wrong is said with parameter, value and fix', () => {
	const text = (values: IDataObject): INodeParameters => values as INodeParameters;
	const attachment = (url: string): INodeParameters => ({
		operation: 'sendAttachment',
		customerId: '1',
		attachmentType: 'image',
		attachmentUrl: url,
	});
	const template = (values: IDataObject): INodeParameters =>
		({ ...TEMPLATE, customerPhone: '+15550100200', ...values }) as INodeParameters;

	const table: Array<[INodeParameters, IDataObject, string, string]> = [
		[
			text({}),
			{ customer: 2 ** 53 + 2, text: 'x' },
			`'Customer ID' "9007199254740994"`,
			'Store it as text',
		],
		[text({}), { customer: 1.5, text: 'x' }, `'Customer ID' "1.5" isn't a whole number`, 'whole'],
		[text({}), { customer: '1', text: ' \n' }, "'Text' is empty", 'Enter text'],
		[
			text({}),
			{ customer: '1' },
			"'Text' is empty: the expression found no value",
			'Check that the input item has that field',
		],
		[template({ customerPhone: '={{ $json.p }}' }), { p: '555 0100' }, '"555 0100"', 'plus sign'],
		[template({ customerPhone: '+0151 2345678' }), {}, '"+0151 2345678"', 'country code'],
		[template({ customerPhone: '+1 23' }), {}, '"+1 23" has 3 digits', 'missing or extra'],
		[template({ templateId: ' ' }), {}, "'Template ID' is empty", 'Enter the ID'],
		[template({ channelId: '={{ "" }}' }), {}, "'Channel ID' is empty", 'Enter the ID'],
		[
			template({ attributes: { attribute: [{ value: 'a' }, { value: '={{ $json.no }}' }] } }),
			{},
			"'Attributes' value 2 is empty: the expression found no value",
			'Check that the input item has that field',
		],
		[
			template({ specifyAttributes: 'json', attributesJson: '{"1":"a","3":"b"}' }),
			{},
			"'Attributes (JSON)' has no value for position 2",
			'without gaps',
		],
		[
			template({ specifyAttributes: 'json', attributesJson: '{"1":' }),
			{},
			"'Attributes (JSON)' isn't valid JSON: expected a value at line 1, column 6",
			'["Ada", "Friday"]',
		],
		[
			template({ headerMedia: { media: { type: 'image', url: 'http://localhost/a.png' } } }),
			{},
			`'Header Media' "http://localhost/a.png" points to a private network`,
			'without signing in',
		],
		[
			attachment('http://10.0.0.1/a'),
			{},
			`'Attachment URL' "http://10.0.0.1/a"`,
			'anyone on the internet',
		],
		[attachment('ftp://example.com/a'), {}, `"ftp://example.com/a" isn't a URL`, 'https'],
		[
			attachment('https://u:p@example.com'),
			{},
			'has a user name or password',
			'without signing in',
		],
	];

	it.each(table)('%j of %j', async (parameters, item, what, mend) => {
		for (const onError of ['stopWorkflow', 'continueRegularOutput'] as OnError[]) {
			const execution = await engine.run(toSend({ parameters, onError }), [item]);
			const said =
				onError === 'stopWorkflow' ? execution.words : JSON.stringify(execution.json()[0]);
			const quote = (words: string) =>
				onError === 'stopWorkflow' ? words : JSON.stringify(words).slice(1, -1);
			expect(said).toContain(quote(what));
			expect(said).toContain(quote(mend));
		}
		expect(engine.ledger.entries()).toEqual([]);
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

	it.each([
		[{ defaultCountry: 'Germany' }, `'Default Country' is "Germany"`],
		[{ defaultCountry: '={{ $json.land }}' }, "'Default Country' is empty: the expression found"],
		[{ attributeLineBreaks: 'drop' }, `'Line Breaks in Attributes' is "drop"`],
		[
			{ attributeLineBreaks: 'reject', defaultCountry: 'DE' },
			"'Attributes' value 1 has a line break",
		],
		[{ defaultCountry: 'US' }, 'possible in United States'],
	])('of templates: %j, nothing is sent', async (options, what) => {
		const execution = await engine.run(national(options), PHONES);
		expect(execution.status).toBe('error');
		expect(execution.words).toContain(what);
		expect(engine.ledger.entries()).toEqual([]);
	});

	it('may come from an expression', async () => {
		const options = { maxConcurrency: '={{ $json.customer - 998 }}' };
		engine.sandbox.faults.set([{ what: 'latency', ms: 20 }]);
		await engine.run(toSend({ options }), customers(10));
		expect(engine.ledger.maxInFlight).toBe(2);
		expect(engine.ledger.summary().accepted).toBe(10);
	});
});
