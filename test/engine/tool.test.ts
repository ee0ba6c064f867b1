/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { useEngine } from './engine';
import type { Sending } from './workflows';
import { NODE, node, sending, to, workflow } from './workflows';
import type { FaultRule as Rule } from '../../sandbox/index.cts';
import { neverShown } from '../docs/troubleshooting.cts';

const engine = useEngine({ latency: 2 });

/** The first runs its tool itself, without an ID for a call; the second lets n8n's engine run it, with one. */
const AGENTS = ['test.agent', 'test.engineAgent'];

const parameters: INodeParameters = {
	customerId: "={{ $fromAI('customer', 'The customer', 'string') }}",
	text: "={{ $fromAI('text', 'The text', 'string') }}",
};

interface Settings extends Sending {
	more?: IDataObject;
}

const agent = (kind: string, { more, ...spec }: Settings = {}) => {
	const type = 'n8n-nodes-outbound-messaging.outboundMessagingTool';
	const tool = sending({
		...spec,
		type,
		parameters: { ...parameters, ...more } as INodeParameters,
	});
	return workflow([node('Start', 'test.start'), node('Agent', kind), tool], {
		Agent: { main: [[]] },
		[NODE]: { ai_tool: [[to({ name: 'Agent' }, 'ai_tool')]] },
	});
};

const CALL = { customer: '7', text: 'the same words' };
const received = () => engine.ledger.entries().map(({ recipient }) => recipient);

/** What an agent read about each of its calls. */
async function answersOf(
	kind: string,
	calls: IDataObject[],
	settings: Settings = {},
): Promise<IDataObject[]> {
	const execution = await engine.run(agent(kind, settings), calls);
	expect(execution.status).toBe('success');
	const answers = execution
		.json(0, 'Agent')
		.map(({ answer, ...item }) =>
			answer === undefined ? item : (JSON.parse(String(answer)) as IDataObject[])[0],
		);
	for (const { failed, error, details, note } of answers) {
		const { fix } = (details ?? {}) as IDataObject;
		textsRead.push(...[failed, error, fix, note].map(String));
	}
	return answers;
}

const textsRead: string[] = [];
afterAll(() => expect(neverShown('AI agents', textsRead)).toEqual([]));

const UNCERTAIN = { details: { delivery: 'uncertain' } };
const ACCEPTED = { extra: { customer_id: 7 } };

it.each([
	['test.agent', 1, 'without an ID for a call they are one call'],
	['test.engineAgent', 2, 'each has an ID of its own'],
])('%s: two calls with the same words are %i message(s): %s', async (kind, count) => {
	const [first, second] = await answersOf(kind, [CALL, CALL]);
	expect(received()).toEqual(new Array(count).fill('7'));
	expect([first, second]).toMatchObject([ACCEPTED, ACCEPTED]);
	expect(first).not.toHaveProperty('alreadySent');
	expect(second.alreadySent).toBe(count === 1 ? true : undefined);
});

it.each<[string, IDataObject, number]>([
	['Max Messages', { maxMessages: 2 }, 2],
	['Repeated Recipients', { repeatedRecipients: 'sendFirst' }, 2],
	['Test Recipient', { testRecipient: '99' }, 3],
])('%s holds over calls at the same time', async (_, safeguards, count) => {
	const calls = ['7', '8', '7', '8', '7'].map((customer, index) => ({
		customer,
		text: `text ${index}`,
	}));
	const answers = await answersOf('test.parallelAgent', calls, { more: { safeguards } });
	expect(engine.ledger.accepted()).toHaveLength(count);
	expect(answers.filter(({ extra }) => extra !== undefined)).toHaveLength(count);
});

it('Stop After Failures holds over calls at the same time', async () => {
	engine.sandbox.faults.set([
		{ what: 'status', status: 400 },
		{ what: 'latency', ms: 50 },
	]);
	const calls = ['1', '2', '3', '4', '5', '6'].map((customer) => ({ ...CALL, customer }));
	const more = { safeguards: { stopAfterFailures: 2 } };
	const answers = await answersOf('test.parallelAgent', calls, { more });
	expect(received()).toHaveLength(2);
	const stopped = JSON.stringify(answers.at(-1));
	expect(stopped).toMatch(/Stop After Failures.*tell the person/);
	expect(stopped).not.toMatch(/\bitems?\b|error output/);
});

describe.each(AGENTS)('%s', (kind) => {
	it.each<[string, IDataObject, string[]]>([
		['Max Messages', { maxMessages: 2 }, ['7', '8']],
		['Repeated Recipients', { repeatedRecipients: 'sendFirst' }, ['7', '8', '9']],
		['Do Not Contact', { doNotContact: '7,9' }, ['8']],
	])('%s holds over all calls of the execution', async (_, safeguards, recipients) => {
		const calls = ['7', '8', '9', '7'].map((customer, index) => ({
			customer,
			text: `text ${index}`,
		}));
		const answers = await answersOf(kind, calls, { more: { safeguards } });
		expect(received()).toEqual(recipients);
		expect(answers).toHaveLength(4);
		for (const answer of answers.filter(({ extra }) => extra === undefined)) {
			expect(JSON.stringify(answer)).toMatch(/Nothing was sent|Don't call this tool again/);
		}
	});

	it('sends calls with other words, or to another customer', async () => {
		await answersOf(kind, [CALL, { ...CALL, text: 'other words' }, { ...CALL, customer: '8' }]);
		expect(received()).toEqual(['7', '7', '8']);
	});

	it('sends what was rejected again in its own tries, until it is accepted', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: [1, 2, 4] } }]);
		const calls = [CALL, { ...CALL, customer: '8' }];
		expect(await answersOf(kind, calls, { tries: 3 })).toMatchObject([
			ACCEPTED,
			{ extra: { customer_id: 8 } },
		]);
		expect(received()).toEqual(['7', '7', '7', '8', '8']);
	});

	it('sends what is uncertain to the same customer neither in its own tries nor in another call', async () => {
		engine.sandbox.faults.set([{ what: 'cutAfter', when: { nth: 1 } }]);
		const calls = [CALL, CALL, { ...CALL, text: 'other words' }];
		expect(await answersOf(kind, calls, { tries: 4 })).toMatchObject([
			UNCERTAIN,
			UNCERTAIN,
			ACCEPTED,
		]);
		expect(received()).toEqual(['7', '7']);
	});

	it('sends it again if On Uncertain Delivery is Resend', async () => {
		engine.sandbox.faults.set([{ what: 'cutAfter', when: { nth: 1 } }]);
		const safeguards = { onUncertainDelivery: 'resend' };
		expect(await answersOf(kind, [CALL, CALL], { more: { safeguards } })).toMatchObject([
			UNCERTAIN,
			ACCEPTED,
		]);
		expect(received()).toEqual(['7', '7']);
	});

	it('sends a call once, though its content is another one in each try', async () => {
		engine.sandbox.faults.set([{ what: 'cutAfter', when: { nth: 1 } }]);
		const more = { text: '={{ Math.random() }}' };
		expect(await answersOf(kind, [CALL], { tries: 3, more })).toMatchObject([UNCERTAIN]);
		expect(received()).toEqual(['7']);
	});

	it('sends once, though n8n repeats a call whose record has an error field', async () => {
		const body = { id: 'm', function_name: 'f', status: 'sent', error: 'none', extra: {} };
		engine.sandbox.faults.set([{ what: 'status', status: 200, body, accepted: true }]);
		expect(await answersOf(kind, [CALL], { tries: 3 })).toMatchObject([{ id: 'm' }]);
		expect(received()).toEqual(['7']);
	});

	it('says in the answer what happened and what to do', async () => {
		engine.sandbox.faults.set([
			{ what: 'status', status: 400, body: { error: 'No such customer' }, when: { nth: 1 } },
		]);
		const [rejected, empty] = await answersOf(kind, [CALL, { ...CALL, customer: '' }]);
		expect(rejected).toMatchObject({
			error: expect.stringContaining('No such customer'),
			details: { delivery: 'rejected', fix: expect.stringContaining('Nothing was sent') },
		});
		expect(empty).toMatchObject({
			error: expect.stringContaining('Customer ID'),
			details: { fix: expect.stringContaining("another value for 'customer'") },
		});
	});

	it('sends nothing in a dry run, and says so', async () => {
		const safeguards = { dryRun: true };
		expect(await answersOf(kind, [CALL], { more: { safeguards } })).toMatchObject([
			{ dryRun: true, note: expect.stringContaining('Nothing was sent') },
		]);
		expect(received()).toEqual([]);
	});
});

describe('one ID for several calls', () => {
	const again = (passed: IDataObject, more: IDataObject = {}) => ({ id: 'one', passed, ...more });

	it('with the same arguments it is one call, with others another one: models restart their IDs', async () => {
		const answers = await answersOf('test.engineAgent', [
			again(CALL),
			again(CALL),
			again({ ...CALL, text: 'other words' }),
			again({ ...CALL, customer: '8' }),
			again({ ...CALL, customer: '' }),
		]);
		expect(received()).toEqual(['7', '7', '8']);
		expect(answers.map(({ alreadySent }) => alreadySent)).toEqual([
			undefined,
			true,
			undefined,
			undefined,
			undefined,
		]);
		expect(answers[4].error).toContain("'Customer ID' is empty");
	});

	const customers = ['7', '8', ''].map((cid) => again({ text: 'Dear Ada' }, { cid }));
	const recipient = { customerId: '={{ $json.cid }}' };
	const OTHER_ITEM = {
		error: expect.stringContaining('for another item too'),
		details: { delivery: 'rejected', fix: expect.stringContaining('one item per run') },
	};

	it.each<[string, IDataObject]>([
		['sent', {}],
		['not sent to', { safeguards: { doNotContact: '7' } }],
	])(
		'n8n runs an approved call for each item: no customer gets the words that were written for the one who was %s',
		async (_, safeguards) => {
			const more = { ...recipient, ...safeguards };
			const answers = await answersOf('test.engineAgent', customers, { more });
			expect(received()).toEqual('safeguards' in more ? [] : ['7']);
			expect(answers[1]).toMatchObject(OTHER_ITEM);
			expect(answers[2].error).toContain("'Customer ID'");
		},
	);

	it('whoever they were written for could not be read', async () => {
		const more = { ...recipient };
		const answers = await answersOf('test.engineAgent', customers.toReversed(), { more });
		expect(received()).toEqual([]);
		expect(answers.slice(1)).toMatchObject([OTHER_ITEM, OTHER_ITEM]);
	});

	it('the same customer, but the message has another send-once key', async () => {
		const orders = ['A', 'B'].map((order) => again(CALL, { order }));
		const more = { safeguards: { sendOnceKey: '={{ $json.order }}' } };
		expect(await answersOf('test.engineAgent', orders, { more })).toMatchObject([
			ACCEPTED,
			OTHER_ITEM,
		]);
		expect(received()).toEqual(['7']);
	});
});

it('a send-once key that was used for another customer: the agent reads that this one got nothing', async () => {
	const more = { safeguards: { sendOnceKey: 'order 1' } };
	const calls = [CALL, { ...CALL, customer: '8' }];
	const [, second] = await answersOf('test.engineAgent', calls, { more });
	expect(received()).toEqual(['7']);
	expect(second).toMatchObject({
		reason: 'keyOfOtherCustomer',
		note: expect.stringContaining('This customer got nothing'),
	});
});

it('words for an agent: no items, no lists, no setting that is not to blame', async () => {
	engine.sandbox.faults.set([
		{ what: 'rateLimit', retryAfter: 3600, when: { recipient: '1' } },
		{ what: 'status', status: 400, when: { recipient: ['2', '3'] } },
		{ what: 'cutAfter', when: { recipient: '4' } },
	]);
	const safeguards = { sendOnceKey: "={{ $fromAI('key') }}" };
	const options = { rateLimitWait: 600 };
	const calls = ['1', '2', '', '4', '4'].map((customer, index) => ({
		customer,
		text: `text ${index}`,
		key: `key ${customer === '4' ? 4 : index}`,
	}));
	const answers = await answersOf('test.engineAgent', calls, { options, more: { safeguards } });
	const [limited, rejected, empty, uncertain, sameKey] = answers.map((answer) =>
		JSON.stringify(answer),
	);
	expect(limited).toMatch(/within 45 seconds.*asks to wait 3600 seconds/);
	expect(rejected).toMatch(/If the error is about 'customer' or 'text' or 'key'/);
	expect(empty).toMatch(/another value for 'customer'/);
	expect(uncertain).toMatch(/may have been sent/);
	expect(sameKey).toMatch(/send-once key may have been sent.*Don't call this tool again/);
	for (const answer of answers) {
		expect(JSON.stringify(answer)).not.toMatch(
			/\bitems?\b|\bmap\b|error output|Rate Limit Wait|another execution/i,
		);
	}
});

const OTHER_WORDS = { ...CALL, text: 'other words' };
const afterUncertain: Rule[] = [
	{ what: 'cutAfter', when: { nth: 1 } },
	{ what: 'status', status: 400 },
];
const withError = { id: 'm', function_name: 'f', status: 'sent', error: 'none' };
const repeated: Rule[] = [{ what: 'status', status: 200, body: withError, accepted: true }];
const never = { window: { from: '08:00', until: '08:01', days: [], timezone: 'UTC' } };
it.each`
	text                                                         | calls                                    | more                                                              | rules
	${'uses "$(\'Start\').item", which can be another item'}     | ${[CALL]}                                | ${{ customerId: "={{ $('Start').item.json.customer }}" }}         | ${[]}
	${'uses $json.text, which the agent can replace'}            | ${[CALL]}                                | ${{ customerId: '={{ $json.text }}' }}                            | ${[]}
	${"uses $json.cid, and the agent passed a 'cid' of its own"} | ${[{ ...CALL, cid: '5' }]}               | ${{ customerId: '={{ $json.cid }}' }}                             | ${[]}
	${"another value for 'customer' and 'shop'"}                 | ${[{ ...CALL, customer: '', shop: '' }]} | ${{ customerId: "={{ $fromAI('customer') + $fromAI('shop') }}" }} | ${[]}
	${'with different content'}                                  | ${[CALL]}                                | ${{ text: '={{ Math.random() }}' }}                               | ${repeated}
	${'this send-once key was already sent'}                     | ${[CALL, OTHER_WORDS]}                   | ${{ safeguards: { sendOnceKey: 'order 1' } }}                     | ${[]}
	${'an earlier message to this customer may have been'}       | ${[CALL, OTHER_WORDS]}                   | ${{}}                                                             | ${afterUncertain}
	${'got a message before in this execution'}                  | ${[CALL, OTHER_WORDS]}                   | ${{ safeguards: { repeatedRecipients: 'reject' } }}               | ${[]}
	${"Don't call this tool again before that time."}            | ${[CALL]}                                | ${{ safeguards: { allowedHours: never } }}                        | ${[]}
`('an agent reads: $text', async ({ text, calls, more, rules }: Read) => {
	jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 10, 23, 3));
	engine.sandbox.faults.set(rules);
	const tries = rules === repeated ? 2 : 0;
	const answers = await answersOf('test.engineAgent', calls, { tries, more });
	jest.restoreAllMocks();
	expect(JSON.stringify(answers.at(-1)).replaceAll('\\"', '"')).toContain(text);
});
interface Read {
	text: string;
	calls: IDataObject[];
	more: IDataObject;
	rules: Rule[];
}

it('a tool whose error output would keep each result from the agent sends nothing, and says so', async () => {
	const flow = agent('test.engineAgent', { onError: 'continueErrorOutput' });
	const execution = await engine.run(flow, [CALL]);
	textsRead.push(String(execution.runs()[0].error?.message));
	expect(textsRead.at(-1)).toContain("set 'On Error' to 'Continue'");
	expect(received()).toEqual([]);
});

it('a call that has no time left sends nothing, and says so', async () => {
	const now = performance.now.bind(performance);
	jest.spyOn(engine.credentials, 'getDecrypted').mockImplementationOnce(async () => {
		// The clock stays ahead: what is left of the call must not get its time back.
		jest.spyOn(performance, 'now').mockImplementation(() => now() + 50_000);
		return engine.credentials.data;
	});
	const [answer] = await answersOf('test.agent', [CALL]);
	expect(answer).toMatchObject({ error: expect.stringContaining('no time left') });
	expect(received()).toEqual([]);
});

it('an agent in batches, for which n8n reads the arguments of another call: nothing goes to the wrong customer', async () => {
	const calls = ['7', '8', '9'].map((customer) => ({ ...CALL, customer }));
	const answers = await answersOf('test.batchAgent', calls);
	expect(received()).toEqual(['7']);
	expect(answers[0]).toMatchObject(ACCEPTED);
	for (const { error, details } of answers.slice(1)) {
		expect(error).toContain('arguments of another call');
		expect((details as IDataObject).fix).toMatch(/^Nothing was sent.*'Batch Processing'/);
	}
});

it.each([
	['7', '007'],
	['007', '7'],
])('%s and %s are one customer', async (customer, other) => {
	const safeguards = { repeatedRecipients: 'sendFirst' };
	const more = { safeguards: { ...safeguards, doNotContact: '08' } };
	const calls = [customer, other, '8', '0008'].map((each, index) => ({
		customer: each,
		text: `text ${index}`,
	}));
	await answersOf('test.engineAgent', calls, { more });
	expect(received()).toEqual([customer]);

	engine.ledger.clear();
	engine.sandbox.faults.set([{ what: 'cutAfter', when: { nth: 1 } }]);
	const words = [CALL, CALL].map((call, index) => ({
		...call,
		customer: [customer, other][index],
	}));
	expect(await answersOf('test.agent', words)).toMatchObject([UNCERTAIN, UNCERTAIN]);
	expect(received()).toEqual([customer]);
});

it('the API key is in nothing that an agent reads, though the service repeats it', async () => {
	const { apiKey } = engine.sandbox;
	const extra = { [apiKey]: [btoa(apiKey), `Key ${apiKey}`] };
	const body = { id: 'm', function_name: 'f', status: 'sent', extra };
	engine.sandbox.faults.set([{ what: 'status', status: 200, body, accepted: true }]);
	const [first, second] = await answersOf('test.agent', [CALL, CALL]);
	expect(first).toEqual({ ...body, extra: { '***': ['***', 'Key ***'] } });
	expect(second).toMatchObject({ ...first, alreadySent: true });
});

it('a try after a delivered one answers with its record, though a field or a setting is bad now', async () => {
	const body = { id: 'm', function_name: 'f', status: 'sent', error: 'none', extra: {} };
	engine.sandbox.faults.set([
		{ what: 'status', status: 200, body, accepted: true },
		{ what: 'latency', ms: 100 },
	]);
	process.env.N8N_BLOCK_ENV_ACCESS_IN_NODE = 'false';
	for (const settings of [
		{ more: { text: '={{ $env.WORDS }}' } },
		{ options: { timeout: '={{ $env.WORDS === "" ? -1 : 1000 }}' } },
	]) {
		process.env.WORDS = 'on its way';
		const answers = answersOf('test.engineAgent', [CALL], { tries: 3, ...settings });
		let isOver = false;
		void answers.finally(() => (isOver = true));
		while (!isOver && received().length === 0) await new Promise(setImmediate);
		process.env.WORDS = '';
		expect(await answers).toMatchObject([{ id: 'm' }]);
		expect(received()).toEqual(['7']);
		engine.ledger.clear();
	}
});

it('calls that an agent makes at the same time: the second one waits for the first', async () => {
	const answers = await answersOf('test.parallelAgent', [CALL, CALL]);
	expect(received()).toEqual(['7']);
	expect(answers).toMatchObject([ACCEPTED, ACCEPTED]);
	expect(answers.filter(({ alreadySent }) => alreadySent)).toHaveLength(1);
});

it('a retry that is clicked twice on one failed execution sends a call once', async () => {
	const flow = agent('test.agentThatFails');
	const failed = await engine.run(flow, [CALL]);
	expect(failed.status).toBe('error');
	expect(received()).toEqual(['7']);
	await failed.retry();
	await failed.retry();
	expect(received()).toEqual(['7']);
});
