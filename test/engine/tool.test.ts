import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { AddedField } from '../../nodes/OutboundMessaging/parameters/field';
import { options } from '../../nodes/OutboundMessaging/operations/options';
import { safeguards } from '../../nodes/OutboundMessaging/safeguards';
import { useEngine } from './engine';
import { failing } from './nodeTypes';
import { time } from './virtualTime';
import type { Row, Sending } from './workflows';
import { afterSheet, agent, cuts, ERROR_OUTPUT, rejects, TEMPLATE } from './workflows';
import type { FaultRule as Rule } from '../../sandbox/index.cts';

const engine = useEngine({ latency: 2 });

/** What an agent read about each of its calls. */
async function answersOf(kind: string, calls: IDataObject[], spec: Sending = {}) {
	const execution = await engine.run(agent(kind, spec), calls);
	expect(execution.status).toBe('success');
	return execution.json(0, 'Agent').map(({ answer, ...item }) => {
		return answer === undefined ? item : (JSON.parse(String(answer)) as IDataObject[])[0];
	});
}

/**
 * The first runs its tool itself, without an ID for a call; the second lets n8n's engine
 * run it, with one.
 */
const AGENTS = ['test.agent', 'test.engineAgent'];
const [, BY_ENGINE] = AGENTS;
const AT_ONCE = 'test.parallelAgent';

const CALL = { customer: '7', text: 'the same words' };
const OTHER_WORDS = { ...CALL, text: 'other words' };
const TO_8 = { ...CALL, customer: '8' };
/** Calls with words of their own. */
const callsTo = (...customers: string[]) =>
	customers.map((customer, index) => ({ customer, text: `text ${index}` }));
/** A call by the ID that all of these have. */
const byOneId = (passed: IDataObject, more: IDataObject = {}) => ({ id: 'one', passed, ...more });

const ACCEPTED = { extra: { customer_id: 7 } };
const ACCEPTED_8 = { extra: { customer_id: 8 } };
const UNCERTAIN = { details: { delivery: 'uncertain' } };
const BLOCKED = { skipped: true, reason: 'doNotContact' };
const TWICE = { skipped: true, reason: 'repeatedRecipient' };
const words = (part: string) => expect.stringContaining(part) as string;
const REPEATED = { ...ACCEPTED, alreadySent: true, note: words("wasn't sent again") };
const failed = (delivery: string, error: string, fix: string) => {
	return { error: words(error), details: { delivery, fix: words(fix) } };
};
const rejected = (error: string, fix = 'Nothing was sent') => failed('rejected', error, fix);
const late = (fix: string) => failed('notAttempted', 'no time left', fix);
const UNSAFE = rejected("'Customer ID' is", '$fromAI()');
const EMPTY = rejected("'Customer ID' is empty", "another value for 'customer'.");

const CUT = [cuts({ nth: 1 })];
const REJECTED = rejects();
const ERROR_FIELD = { id: 'm', function_name: 'f', status: 'sent', error: 'none', extra: {} };
const HAS_ERROR: Rule = { what: 'status', status: 200, body: ERROR_FIELD, accepted: true };

const guarded = (safeguards: IDataObject): Sending => ({ safeguards });
const ONE_KEY = guarded({ sendOnceKey: 'order 1' });
const closed = { window: { from: '08:00', until: '08:01', timezone: 'UTC' } };
const mapped = (customerId: string): Sending => ({ parameters: { customerId } });
const RANDOM_TEXT: Sending = { parameters: { text: '={{ Math.random() }}' } };
const template = (parameters: INodeParameters): Sending => {
	const customerPhone = "={{ $fromAI('customer') }}";
	return { parameters: { ...TEMPLATE, customerPhone, ...parameters } };
};
const PHONE = { customer: '+15550100200' };
const MEDIA = { type: "={{ $fromAI('type') }}", url: "={{ $fromAI('url') }}" };
const WITH_HEADER = template({ headerMedia: { media: MEDIA } });
const attachmentUrl = 'https://example.com/a.png';
const ATTACHMENT: Sending = {
	parameters: { operation: 'sendAttachment', attachmentType: MEDIA.type, attachmentUrl },
};
/** The customer comes from the item, and the words from the model. */
const BY_ITEM = mapped('={{ $json.cid }}');
const BY_ORDER = guarded({ sendOnceKey: '={{ $json.order }}' });
const forEachItem = (passed: IDataObject) => ['7', '8', ''].map((cid) => byOneId(passed, { cid }));

type Case = Pick<Row, 'rule' | 'spec' | 'rules' | 'received' | 'ended'> & Calls;
type Calls = { agents: string[]; calls: IDataObject[] };
type Called = Pick<Case, 'rule' | 'spec' | 'calls'>;
type Reply = Pick<Case, 'calls' | 'spec' | 'rules'> & { text: string };

describe.each([
	{
		rule: 'without an ID, calls with the same words are one',
		agents: ['test.agent'],
		spec: ERROR_OUTPUT,
		rules: [],
		calls: [CALL, CALL],
		received: ['7'],
		ended: [ACCEPTED, REPEATED],
	},
	{
		rule: 'each call with an ID is a message of its own',
		agents: [BY_ENGINE],
		spec: {},
		rules: [],
		calls: [CALL, CALL],
		received: ['7', '7'],
		ended: [ACCEPTED, ACCEPTED],
	},
	{
		rule: 'other words, or another customer',
		agents: AGENTS,
		spec: {},
		rules: [],
		calls: [CALL, OTHER_WORDS, TO_8],
		received: ['7', '7', '8'],
		ended: [ACCEPTED, ACCEPTED, ACCEPTED_8],
	},
	{
		rule: 'Max Messages',
		agents: AGENTS,
		spec: guarded({ maxMessages: 2 }),
		rules: [],
		calls: callsTo('7', '8', '9', '7'),
		received: ['7', '8'],
		ended: [ACCEPTED, ACCEPTED_8, rejected('Max Messages'), rejected('Max Messages')],
	},
	{
		rule: 'rejected: sent again in its own tries',
		agents: AGENTS,
		spec: { tries: 3 },
		rules: [rejects({ nth: [1, 2, 4] })],
		calls: [CALL, TO_8],
		received: ['7', '7', '7', '8', '8'],
		ended: [ACCEPTED, ACCEPTED_8],
	},
	{
		rule: 'uncertain: not sent again in its own tries, nor in another call',
		agents: AGENTS,
		spec: { tries: 4 },
		rules: CUT,
		calls: [CALL, CALL, OTHER_WORDS],
		received: ['7', '7'],
		ended: [UNCERTAIN, UNCERTAIN, ACCEPTED],
	},
	{
		rule: 'uncertain: sent again if If Delivery Is Uncertain is Resend',
		agents: AGENTS,
		spec: guarded({ onUncertainDelivery: 'resend' }),
		rules: CUT,
		calls: [CALL, CALL],
		received: ['7', '7'],
		ended: [UNCERTAIN, ACCEPTED],
	},
	{
		rule: 'uncertain: … with Send First too, but no more once it is accepted',
		agents: [BY_ENGINE],
		spec: guarded({ repeatedRecipients: 'sendFirst', onUncertainDelivery: 'resend' }),
		rules: CUT,
		calls: [CALL, CALL, CALL],
		received: ['7', '7'],
		ended: [UNCERTAIN, ACCEPTED, TWICE],
	},
	{
		rule: 'uncertain: … with Send First too, without IDs, but no more once it is accepted',
		agents: ['test.agent'],
		spec: guarded({ repeatedRecipients: 'sendFirst', onUncertainDelivery: 'resend' }),
		rules: CUT,
		calls: [CALL, CALL, CALL],
		received: ['7', '7'],
		ended: [UNCERTAIN, ACCEPTED, REPEATED],
	},
	{
		rule: 'uncertain: a resend counts for Max Messages',
		agents: AGENTS,
		spec: guarded({ onUncertainDelivery: 'resend', maxMessages: 1 }),
		rules: CUT,
		calls: [CALL, CALL],
		received: ['7'],
		ended: [UNCERTAIN, rejected('Max Messages')],
	},
	{
		rule: 'uncertain: once, though each try has other content',
		agents: AGENTS,
		spec: { tries: 3, ...RANDOM_TEXT },
		rules: CUT,
		calls: [CALL],
		received: ['7'],
		ended: [UNCERTAIN],
	},
	{
		rule: 'once, though n8n repeats a call whose record has an error field',
		agents: AGENTS,
		spec: { tries: 3 },
		rules: [HAS_ERROR],
		calls: [CALL],
		received: ['7'],
		ended: [ERROR_FIELD],
	},
	{
		rule: 'the answer says what happened and what to do',
		agents: AGENTS,
		spec: {},
		rules: [{ ...REJECTED, body: { error: 'No such customer' } }],
		calls: [CALL, { ...CALL, customer: '' }],
		received: ['7'],
		ended: [rejected('No such customer'), EMPTY],
	},
	{
		rule: 'no try asks before the time that the service named',
		agents: AGENTS,
		spec: { tries: 3 },
		rules: [{ what: 'rateLimit', retryAfter: 3600 }],
		calls: [CALL],
		received: ['7'],
		ended: [
			rejected(
				'rate limit',
				'The service asks to wait 3600 seconds: call this tool again after that.',
			),
		],
	},
	{
		rule: 'a rate limit is waited for once',
		agents: AGENTS,
		spec: {},
		rules: [{ what: 'rateLimit', retryAfter: 2 }],
		calls: [CALL],
		received: ['7', '7'],
		ended: [rejected('rate limit', 'seconds: call this tool again after that')],
	},
	{
		rule: 'a rate limit that lasts',
		agents: AGENTS,
		spec: { options: { rateLimitWait: 0 } },
		rules: [{ what: 'rateLimit' }],
		calls: [CALL],
		received: ['7'],
		ended: [
			rejected(
				"longer than 'Rate Limit Wait (Seconds)'",
				'Nothing was sent. Call this tool again later. If that fails too, tell the person',
			),
		],
	},
	{
		rule: 'header media that the model leaves empty is none',
		agents: AGENTS,
		spec: WITH_HEADER,
		rules: [],
		calls: [{ ...PHONE, type: '', url: '' }],
		received: ['+15550100200'],
		ended: [{ extra: { success: true } }],
	},
	{
		rule: 'a dry run sends nothing, and says so',
		agents: AGENTS,
		spec: guarded({ dryRun: true }),
		rules: [],
		calls: [CALL],
		received: [],
		ended: [{ dryRun: true }],
	},
	{
		rule: 'one ID: with other arguments it is another call',
		agents: [BY_ENGINE],
		spec: {},
		rules: [],
		calls: [CALL, CALL, OTHER_WORDS, TO_8, { ...CALL, customer: '' }].map((call) => byOneId(call)),
		received: ['7', '7', '8'],
		ended: [ACCEPTED, REPEATED, ACCEPTED, ACCEPTED_8, EMPTY],
	},
	{
		rule: 'one ID and the same arguments: one call, also if it cannot be read',
		agents: [BY_ENGINE],
		spec: { parameters: { text: '={{ $runIndex === 0 ? "Hi" : "" }}' } },
		rules: [],
		calls: [CALL, CALL].map((call) => byOneId(call)),
		received: ['7'],
		ended: [ACCEPTED, REPEATED],
	},
	{
		rule: 'an approved call that n8n runs for each item goes to the customer once',
		agents: [BY_ENGINE],
		spec: {},
		rules: [],
		calls: forEachItem(CALL),
		received: ['7'],
		ended: [ACCEPTED, REPEATED, REPEATED],
	},
	{
		rule: '… and not sent if that one is not to be contacted',
		agents: [BY_ENGINE],
		spec: guarded({ doNotContact: '7' }),
		rules: [],
		calls: forEachItem(CALL),
		received: [],
		ended: [BLOCKED, BLOCKED, BLOCKED],
	},
	{
		rule: '… or could not be read',
		agents: [BY_ENGINE],
		spec: {},
		rules: [],
		calls: forEachItem({ ...CALL, customer: '' }),
		received: [],
		ended: [EMPTY, EMPTY, EMPTY],
	},
	{
		rule: '… or if the item says which customer it is',
		agents: [BY_ENGINE],
		spec: BY_ITEM,
		rules: [],
		calls: forEachItem({ text: 'Dear Ada' }),
		received: [],
		ended: [UNSAFE, UNSAFE, UNSAFE],
	},
	{
		rule: '… or which send-once key',
		agents: [BY_ENGINE],
		spec: BY_ORDER,
		rules: [],
		calls: ['A', 'B'].map((order) => byOneId(CALL, { order })),
		received: [],
		ended: [1, 2].map(() => rejected("'Send Once Key' is", '$fromAI()')),
	},
	{
		rule: 'an MCP client reads errors, with exactly these words',
		agents: ['test.mcpTrigger'],
		spec: { tries: 2 },
		rules: [...CUT, { ...REJECTED, body: { error: 'ECONNREFUSED' } }],
		calls: [CALL, TO_8],
		received: ['7', '8', '8'],
		ended: [{ failed: words("Don't call this tool again") }, { failed: words('ECONNREFUSED') }],
	},
	{
		rule: 'a send-once key is another one for another customer',
		agents: [BY_ENGINE],
		spec: ONE_KEY,
		rules: [],
		calls: [CALL, TO_8],
		received: ['7', '8'],
		ended: [ACCEPTED, { status: 'sent' }],
	},
	{
		rule: 'in batches n8n reads the arguments of another call: that goes to no one',
		agents: ['test.batchAgent'],
		spec: {},
		rules: [],
		calls: ['7', '8', '9'].map((customer) => ({ ...CALL, customer })),
		received: ['7'],
		ended: [
			ACCEPTED,
			...[1, 2].map(() => rejected('arguments of another call', "'Batch Processing'")),
		],
	},
	{
		rule: '007 and 7 are one customer',
		agents: AGENTS,
		spec: guarded({ repeatedRecipients: 'sendFirst', doNotContact: '08' }),
		rules: [],
		calls: callsTo('007', '7', '8', '0008'),
		received: ['007'],
		ended: [{}, TWICE, BLOCKED, BLOCKED],
	},
	{
		rule: '7 and 007 are one customer when the first call is uncertain',
		agents: ['test.agent'],
		spec: { tries: 2 },
		rules: CUT,
		calls: [CALL, { ...CALL, customer: '007' }],
		received: ['7'],
		ended: [{ ...UNCERTAIN, error: words('The connection') }, UNCERTAIN],
	},
] as Case[])('$rule', ({ agents, spec, rules, calls, received, ended }: Case) => {
	it.each(agents)('%s', async (kind) => {
		engine.faults(...rules);
		const read = await answersOf(kind, calls, spec);
		expect(engine.received()).toEqual(received);
		expect(read).toMatchObject(ended);
		const isRepeated = ended.map((answer) => 'alreadySent' in answer);
		if (spec.tries === undefined)
			expect(read.map(({ alreadySent }) => alreadySent === true)).toEqual(isRepeated);
		for (const answer of read.filter(({ extra }) => extra === undefined)) {
			const words = /Nothing was sent|This customer got nothing|Don't call this tool again/;
			expect(JSON.stringify(answer)).toMatch(words);
		}
	});
});

describe('calls at the same time', () => {
	const SLOW: Rule = { what: 'latency', ms: 50 };
	const FAIL = [REJECTED, SLOW];
	it.each<
		[safeguards: IDataObject | undefined, count: number, people: number, sent: number, Rule[]]
	>([
		[{ maxMessages: 2 }, 5, 2, 2, []],
		[{ repeatedRecipients: 'sendFirst' }, 5, 2, 2, []],
		[{ stopAfterFailures: 2 }, 5, 2, 2, FAIL],
		[undefined, 60, 60, 25, FAIL],
		[{ stopAfterFailures: 0 }, 30, 30, 30, FAIL],
	])('%j: of %i to %i customers, %i are sent', async (safeguards, count, people, sent, rules) => {
		engine.faults(...rules);
		const to = Array.from({ length: count }, (_, index) => String(100 + (index % people)));
		const answers = await answersOf(AT_ONCE, callsTo(...to), { safeguards });
		expect(answers).toHaveLength(count);
		expect(engine.received()).toHaveLength(sent);
		const accepted = answers.filter(({ extra }) => extra !== undefined);
		expect(accepted).toHaveLength(engine.accepted().length);
	});

	const OFF = { maxMessages: 0, repeatedRecipients: 'sendAll', stopAfterFailures: 0 };
	it.each([undefined, OFF])('they go one after the other: %j', async (safeguards) => {
		engine.faults(SLOW);
		const answers = await answersOf(AT_ONCE, [CALL, TO_8, CALL], { safeguards });
		expect(engine.received().sort()).toEqual(['7', '8']);
		expect(engine.ledger.maxInFlight).toBe(1);
		expect(answers).toMatchObject([ACCEPTED, ACCEPTED_8, ACCEPTED]);
		expect(answers.filter(({ alreadySent }) => alreadySent)).toHaveLength(1);
	});
});

it('a call that is planned while an equal one is under way claims its key, too', async () => {
	engine.faults(rejects({ nth: 1 }));
	await answersOf(AT_ONCE, [CALL, CALL], ONE_KEY);
	engine.faults();
	await answersOf(AT_ONCE, [CALL], ONE_KEY);
	expect([engine.received(), engine.accepted()]).toEqual([['7', '7'], ['7']]);
});

describe('an agent reads', () => {
	const TELL = "Calling this tool again won't help: tell the person who runs this workflow.";
	const MAYBE =
		"The message may have been sent. Don't call this tool again for this customer: that could " +
		'send the message twice.';
	const MAYBE_BEFORE =
		"an earlier message to this customer may have been. Don't call this tool again for this " +
		'customer: that could send the message twice.';

	it.each<Reply>([
		{
			text:
				"value for 'customer': a phone number with a plus sign and the country " +
				'code, e.g. +15550100200.',
			calls: [{ ...CALL, customer: '030 1234' }],
			spec: template({}),
			rules: [],
		},
		{
			text: "value for 'name' or 'day': a text of one line that isn't empty.",
			calls: [{ ...PHONE, name: 'Ada', day: '' }],
			spec: template({
				attributes: {
					attribute: [{ value: "={{ $fromAI('name') }}" }, { value: "={{ $fromAI('day') }}" }],
				},
			}),
			rules: [],
		},
		{
			text: 'value for \'all\': JSON with the positions as keys, e.g. {"1": "Ada", "2": "Friday"}.',
			calls: [{ ...PHONE, all: '{"x": "1"}' }],
			spec: template({ specifyAttributes: 'json', attributesJson: "={{ $fromAI('all') }}" }),
			rules: [],
		},
		{
			text:
				"value for 'type' or 'url': image, audio, video or document as its type, and " +
				"the file's public URL",
			calls: [{ ...PHONE, type: 'image', url: 'a.png' }],
			spec: WITH_HEADER,
			rules: [],
		},
		{
			text: "another value for 'from'.",
			calls: [{ ...CALL, from: 'noon' }],
			spec: guarded({
				allowedHours: { window: { ...closed.window, from: "={{ $fromAI('from') }}" } },
			}),
			rules: [],
		},
		{
			text: "value for 'type': image, video or document.",
			calls: [{ ...CALL, type: 'gif' }],
			spec: ATTACHMENT,
			rules: [],
		},
		{
			text: "This tool is set to wait for a person's answer, which a call can't do",
			calls: [CALL],
			spec: { parameters: { operation: 'sendAndWait' } },
			rules: [],
		},
		{
			text: 'with different content',
			calls: [CALL],
			spec: { tries: 2, ...RANDOM_TEXT },
			rules: [HAS_ERROR],
		},
		{
			text: 'this send-once key was already sent',
			calls: [CALL, OTHER_WORDS],
			spec: ONE_KEY,
			rules: [],
		},
		{
			text: 'an earlier message to this customer may have been',
			calls: [CALL, OTHER_WORDS],
			spec: {},
			rules: [...CUT, REJECTED],
		},
		{
			text: 'may already have a message of this execution',
			calls: [CALL, OTHER_WORDS],
			spec: guarded({ repeatedRecipients: 'reject' }),
			rules: [],
		},
		{
			text: "Nothing was sent. If the error is about 'customer' or 'text', call",
			calls: [CALL, TO_8],
			spec: {},
			rules: [...CUT, REJECTED],
		},
		{ text: MAYBE, calls: [CALL], spec: {}, rules: CUT },
		{
			text: 'send-once key may have been sent before',
			calls: [CALL, OTHER_WORDS],
			spec: ONE_KEY,
			rules: CUT,
		},
		{
			text: "Don't call this tool again before that time.",
			calls: [CALL],
			spec: guarded({ allowedHours: closed }),
			rules: [],
		},
		{
			text: `Nothing was sent. ${TELL}`,
			calls: [CALL],
			spec: { parameters: { text: '={{ "" }}' } },
			rules: [],
		},
		{
			text: TELL,
			calls: [CALL],
			spec: { parameters: { customerId: '7', text: 'Hi' } },
			rules: [REJECTED],
		},
		{ text: TELL, calls: [CALL], spec: {}, rules: [{ what: 'status', status: 401 }] },
		{
			text: 'Call this tool again later. If that fails too',
			calls: [CALL],
			spec: {},
			rules: [{ what: 'status', status: 425 }],
		},
		{
			text: TELL,
			calls: callsTo('7', '8', '9'),
			spec: guarded({ stopAfterFailures: 2 }),
			rules: [REJECTED],
		},
		{
			text: MAYBE,
			calls: [CALL],
			spec: {},
			rules: [{ what: 'status', status: 409 }],
		},
		{
			text: MAYBE_BEFORE,
			calls: [{ ...CALL, details: { delivery: 'uncertain' } }],
			spec: {},
			rules: [],
		},
	])('$text', async ({ text, calls, spec, rules }: Reply) => {
		engine.faults(...rules);
		const answers = await answersOf(BY_ENGINE, calls, spec);
		expect(JSON.stringify(answers.at(-1)).replaceAll('\\"', '"')).toContain(text);
	});

	/** A value that none of the settings takes, with data of a customer whom the call isn't about. */
	const OTHERS = 'Bo Diaz bo@example.com 5550109999';
	const settings = Object.entries({ options, safeguards }).flatMap(([of, fields]) =>
		Object.entries<AddedField>(fields)
			.filter(([, { displayOptions }]) => displayOptions === undefined)
			.map(([name, { displayName }]) => ({ label: displayName, of, name })),
	);
	it.each([
		...settings.filter(({ name }) => name !== 'sendOnceKey'),
		{ label: 'Default Country', of: 'options', name: 'defaultCountry' },
		{ label: 'Line Breaks in Attributes', of: 'options', name: 'attributeLineBreaks' },
		{ label: 'Customer Phone', of: 'parameters', name: 'customerPhone' },
		{ label: 'Header Media', of: 'parameters', name: 'headerMedia' },
	])("nothing that its call didn't pass, but that '$label' is at fault", async (setting) => {
		const { label, of, name } = setting;
		const { parameters } = template({});
		const value = name === 'headerMedia' ? { media: { type: OTHERS, url: OTHERS } } : OTHERS;
		const isField = of === 'parameters';
		const spec = { parameters: { ...parameters, ...(isField && { [name]: value }) } };
		const answers = await answersOf(
			BY_ENGINE,
			[PHONE],
			isField ? spec : { ...spec, [of]: { [name]: value } },
		);
		const [said] = answers.map((answer) => JSON.stringify(answer));
		expect(said).toContain(`'${label}'`);
		expect(said).not.toMatch(/Diaz|example\.com|0109999/);
		expect(engine.received()).toEqual([]);
	});

	it('less than whoever looks at the execution: why, and how to fix it', async () => {
		const safeguards = { sendOnceKey: '={{ $execution.id }}' };
		const execution = await engine.run(agent(BY_ENGINE, { safeguards }), [byOneId(CALL)]);
		const [hint] = execution.hints();
		expect(hint).toMatch(/^'Send Once Key' changes by itself.* Use what the message is about/);
		expect(JSON.stringify(execution.json(0, 'Agent'))).not.toContain('changes by itself');
	});

	it("no value of the workflow's own next to an argument", async () => {
		const [PASSED, OWN] = ["={{ $fromAI('name') }}", "={{ $('Start').first().json.vip + '\\n' }}"];
		const attributes = { attribute: [{ value: PASSED }, { value: OWN }] };
		const item = byOneId({ ...PHONE, name: 'Ada' }, { vip: OTHERS });
		const [answer] = await answersOf(BY_ENGINE, [item], template({ attributes }));
		expect(answer).toMatchObject(rejected("'Attributes' has a value that can't be used"));
	});

	const FROM_ELSEWHERE = "={{ $('Start').first().json.vip }}";
	it.each<Called>([
		{
			rule: 'a test run that skips it names no test recipient',
			spec: guarded({ testRecipient: '0109999' }),
			calls: callsTo('7', '8', '9', '10'),
		},
		{
			rule: "a key's text isn't quoted",
			spec: guarded({ sendOnceKey: FROM_ELSEWHERE }),
			calls: [CALL, OTHER_WORDS],
		},
		{
			rule: "a dry run shows nothing of the workflow's data",
			spec: { ...guarded({ dryRun: true }), ...{ parameters: { text: FROM_ELSEWHERE } } },
			calls: [CALL],
		},
	])('$rule', async ({ spec, calls }: Called) => {
		const items = calls.map((passed, index) => ({ id: `call ${index}`, passed, vip: OTHERS }));
		const answers = await answersOf(BY_ENGINE, items, spec);
		expect(JSON.stringify(answers.at(-1))).not.toMatch(/Diaz|example\.com|0109999/);
		expect(JSON.stringify(answers.at(-1))).toContain('Nothing was sent');
	});

	it(
		"a dry run's message, if the model passed all of it " + "that isn't the workflow's own words",
		async () => {
			const spec = { parameters: { text: "=Hi! {{ $fromAI('text') }}" } };
			const off = { doNotContact: "={{ $('Start').all().map((item) => '5') }}", dryRun: true };
			const [answer] = await answersOf(BY_ENGINE, [CALL], { ...spec, safeguards: off });
			expect(answer).toMatchObject({ dryRun: true, recipient: '7', text: 'Hi! the same words' });
		},
	);

	it('how to set a tool whose error output would keep each result from it', async () => {
		const execution = await engine.run(agent(BY_ENGINE, ERROR_OUTPUT), [CALL]);
		const message = String(execution.runs()[0].error?.message);
		expect(message).toContain("set 'On Error' to 'Continue'");
		expect(engine.received()).toEqual([]);
	});

	const hang = async () => {
		time.leap(50_000);
		return await new Promise<never>(() => undefined);
	};

	it.each<[string | undefined, IDataObject[], Rule[], object[]]>([
		[undefined, [CALL], [], [late('Call this tool again later.')]],
		['other words', [CALL, OTHER_WORDS], CUT, [UNCERTAIN, late('may have been')]],
		['\u0000accepted ', [CALL], [], [ACCEPTED]],
		['\u0000ended ', [CALL], CUT, [UNCERTAIN]],
	])('what is known when the time is up, while n8n keeps %j', async (kept, calls, rules, known) => {
		const { credentials, deduplication } = engine;
		engine.faults(...rules);
		if (kept === undefined) jest.spyOn(credentials, 'getDecrypted').mockImplementation(hang);
		deduplication.around = async ({ entries }, work) => {
			return await (entries.some((entry) => entry.includes(kept ?? '-')) ? hang() : work());
		};
		const spec = guarded({ sendOnceKey: "={{ $fromAI('text') }}" });
		const answers = await answersOf(AGENTS[0], calls, spec);
		expect(answers).toMatchObject(known);
		// Not even when its key is written too slowly, it was sent before.
		if (calls.length === 1) expect(JSON.stringify(answers)).not.toMatch(/again\."|earlier try/);
		expect(engine.received()).toEqual(kept === undefined ? [] : ['7']);
	});

	it.each([
		[CUT, UNCERTAIN],
		[[HAS_ERROR], { id: 'm' }],
	])('how the first try ended when the second one has no time: %j', async (rules, known) => {
		engine.faults(...rules);
		const { credentials } = engine;
		const decrypted = credentials.getDecrypted.bind(credentials);
		const late: typeof decrypted = async (...asks) =>
			await (engine.received().length > 0 ? hang() : decrypted(...asks));
		jest.spyOn(credentials, 'getDecrypted').mockImplementation(late);
		expect(await answersOf(BY_ENGINE, [CALL], { tries: 2 })).toMatchObject([known]);
		expect(engine.received()).toEqual(['7']);
	});
});

it('a retry that is clicked twice on one failed execution sends a call once', async () => {
	engine.faults(rejects({ nth: 1 }));
	failing.times = 3;
	const asked = jest.spyOn(engine.deduplication, 'around');
	const failed = await engine.run(agent(AGENTS[0]), [CALL]);
	expect([failed.status, asked.mock.calls]).toEqual(['error', []]);
	await failed.retry();
	await failed.retry();
	expect(engine.received()).toEqual(['7', '7']);
	expect(engine.accepted()).toEqual(['7']);
});

it('in a retry, calls by IDs of their own are messages of their own', async () => {
	failing.times = 1;
	const failed = await engine.run(afterSheet(agent(BY_ENGINE)), [CALL, CALL]);
	await failed.retry();
	expect(engine.accepted()).toEqual(['7', '7']);
});

it('a retry at another service sends a call again', async () => {
	failing.times = 1;
	const failed = await engine.run(agent(AGENTS[0]), [CALL]);
	engine.useCredential({ baseUrl: engine.sandbox.url.replace('127.0.0.1', 'localhost') });
	await failed.retry();
	expect(engine.accepted()).toEqual(['7', '7']);
});
