import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Field } from '../../nodes/OutboundMessaging/parameters/field';
import { options } from '../../nodes/OutboundMessaging/operations/options';
import { safeguards } from '../../nodes/OutboundMessaging/safeguards';
import { useEngine } from './engine';
import { time } from './virtualTime';
import type { Row, Sending } from './workflows';
import { CONTINUE, customer, customers, cuts, ERROR_OUTPUT, FAILED, looped } from './workflows';
import * as flows from './workflows';

const engine = useEngine();

const closed = { window: { from: '08:00', until: '20:00', timezone: 'UTC' } };
const [sent, shown, late] = ['accepted', 'dryRun', 'notAttempted'];
const BY_ZONE = { allowedHours: { window: { ...closed.window, timezone: '={{ $json.zone }}' } } };
const LATER = { window: { ...closed.window, from: '=0{{ $itemIndex * 2 }}:00' } };
const TO_99 = '3 messages are addressed to your test recipient 99 instead of customers';
const NOT_MANUAL = "Dry run: this execution wasn't started in the editor, and it sent nothing.";
const UNKNOWN = 'Dry run: n8n no longer knows whether this execution was started in the editor';
const NO_LOOKUP =
	"Send-once keys aren't looked up: what was sent before shows as a message to send.";

const none = new Array<string>(5).fill('notAttempted');
const BLOCKED_FIRST = { doNotContact: '1000', repeatedRecipients: 'sendFirst' };
const KEY = { sendOnceKey: '={{ $json.order }}' };
type Ended = Pick<Row, 'safeguards' | 'deliveries' | 'hints'>;
type Columns = 'what' | 'rules' | 'items' | 'first' | 'spec' | 'deliveries' | 'accepted';
type Retried = Pick<Row, Columns>;

it.each<Ended>([
	{
		safeguards: { doNotContact: '={{ $json.blocked }}' },
		deliveries: [sent, 'doNotContact', sent, sent, 'doNotContact'],
		hints: ["3 of 5 messages accepted, 2 skipped (2 on 'Do Not Contact')"],
	},
	{
		safeguards: { repeatedRecipients: 'sendFirst' },
		deliveries: [sent, sent, 'repeatedRecipient', sent, sent],
		hints: ['4 of 5 messages accepted, 1 skipped (1 repeated recipient)'],
	},
	{
		safeguards: BLOCKED_FIRST,
		deliveries: ['doNotContact', sent, 'doNotContact', sent, sent],
		hints: ["3 of 5 messages accepted, 2 skipped (2 on 'Do Not Contact')"],
	},
	{
		safeguards: { doNotContact: '={{ 1001 }}', maxMessages: 4 },
		deliveries: [sent, 'doNotContact', sent, sent, sent],
		hints: ['4 of 5 messages accepted, 1 skipped'],
	},
	{
		safeguards: { maxMessages: '={{ 4 }}' },
		deliveries: none,
		hints: ["Why: 'Max Messages' is 4, and this step would send 5 (5)"],
	},
	{
		safeguards: { ...KEY, maxMessages: 4 },
		deliveries: [sent, sent, late, sent, sent],
		hints: [
			"4 of 5 messages accepted, 1 not attempted. Why: 'Max Messages' is 4, and this execution " +
				'has that many already: this message is kept back (1)',
		],
	},
	{
		safeguards: { ...KEY, dryRun: true, maxMessages: 4 },
		deliveries: [shown, shown, shown, shown, late],
		hints: ['Dry run: 4 of 5 messages would be sent to 3 recipients, 1 not attempted', NOT_MANUAL],
	},
	{
		safeguards: { testRecipient: '99', maxMessages: 3 },
		deliveries: [sent, sent, sent, 'testRun', 'testRun'],
		hints: ['3 of 5 messages accepted, 2 skipped (2 test run)', TO_99],
	},
	{
		safeguards: { ...KEY, testRecipient: '99', maxMessages: 2 },
		deliveries: none,
		hints: ["Why: 'Max Messages' is 2, and this step would send 3 (5)"],
	},
	{
		safeguards: { allowedHours: LATER },
		deliveries: [sent, sent, late, late, late],
		hints: ["Why: This message wasn't sent: it's outside"],
	},
	{
		safeguards: { dryRun: true, doNotContact: '1001,99', testRecipient: '99' },
		deliveries: [shown, 'doNotContact', shown, shown, 'testRun'],
		hints: [
			'Dry run: 3 of 5 messages would be sent to 1 recipient, 2 skipped (1 on ' +
				"'Do Not Contact', 1 test run)",
			NOT_MANUAL,
			TO_99,
		],
	},
	{
		safeguards: { dryRun: true, allowedHours: closed },
		deliveries: [late, late, late, late, late],
		hints: ['Dry run: 0 of 5 messages would be sent, 5 not att', NOT_MANUAL],
	},
	{
		safeguards: { dryRun: true, sendOnceKey: '={{ $json.customer }}' },
		deliveries: [shown, shown, 'alreadySent', shown, shown],
		hints: [
			'Dry run: 4 of 5 messages would be sent to 4 recipients, 1 skipped (1 already sent). ' +
				`Other safeguards: Send Once Key. ${NO_LOOKUP}`,
			NOT_MANUAL,
		],
	},
])(
	'$safeguards: what becomes of five messages',
	async ({ safeguards, deliveries, hints }: Ended) => {
		const blocked = ['1001', ' 1003 '];
		const list = customers(4).map((item): IDataObject => ({ ...item, blocked }));
		const items = [0, 1, 0, 2, 3].map((index, order): IDataObject => {
			return { ...list[index], order };
		});
		const execution = await engine.send({ ...CONTINUE, safeguards }, items);
		const ended = execution.json().map(({ reason, ...json }, index) => {
			if (reason !== undefined) expect(json.recipient).toBe(items[index].customer);
			if (reason === 'repeatedRecipient') expect(json.firstItemIndex).toBe(0);
			if (reason === 'testRun') expect(json.testRecipient).toBe('99');
			return reason ?? execution.deliveries()[index];
		});
		expect(ended).toEqual(deliveries);
		expect(engine.received()).toHaveLength(deliveries.filter((each) => each === sent).length);
		expect(execution.hints()).toEqual(hints.map((hint) => expect.stringContaining(hint) as string));
	},
);

it('a dry run shows as uncertain what is kept back and was uncertain before', async () => {
	const items = customers(2).map((item, order): IDataObject => {
		return { ...item, order, details: { delivery: 'uncertain' } };
	});
	const safeguards = { ...KEY, maxMessages: 1, onUncertainDelivery: 'resend' };
	const dryRun = await engine.send(
		{ ...CONTINUE, safeguards: { ...safeguards, dryRun: true } },
		items,
	);
	expect(dryRun.deliveries()).toEqual([shown, 'uncertain']);

	const inEarnest = await engine.send({ ...CONTINUE, safeguards }, items);
	expect(inEarnest.deliveries()).toEqual([sent, 'uncertain']);
});

it.each<Sending>([{}, CONTINUE, ERROR_OUTPUT])('a dry run shows all items, %j', async (spec) => {
	const safeguards = { dryRun: true, repeatedRecipients: 'reject' };
	const list = [...customers(2), { customer: '', text: 'Hi' }, ...customers(1)];
	const execution = await engine.send({ ...spec, safeguards, tries: 2 }, list);
	expect(execution.status).toBe('success');
	const failed = execution.json(0, spec === ERROR_OUTPUT ? FAILED : flows.NODE);
	const error = "'Customer ID' is 1000, the same as in item 0 (n8n counts items from 0)";
	const bad = [{ error: "'Customer ID' is empty" }, { error }];
	expect(failed.filter(({ error }) => error)).toMatchObject(bad);
	// The row is shown with what is wrong in it. At the error output, n8n adds its fields.
	const row = failed.find(({ error }) => error === bad[0].error);
	expect(spec === ERROR_OUTPUT ? row : row?.input).toMatchObject({ customer: '', text: 'Hi' });
	expect(execution.deliveries().filter((each) => each === shown)).toHaveLength(2);
	const hint = 'Dry run: 2 of 4 messages would be sent to 2 recipients, 2 rejected. Why: ';
	const message = expect.stringContaining(hint) as string;
	const shownAt = { type: 'warning', location: 'outputPane' };
	expect(execution.runs()[0].hints?.at(-2)).toEqual({ message, ...shownAt });
	const saysNone = execution.hints().join().includes('none of them is sent until the rejected');
	expect(saysNone).toBe(spec.onError === undefined);
});

it.each<Mode>([
	{
		dryRun: 'always',
		mode: 'manual',
		callerMode: undefined,
		sources: undefined,
		isDry: true,
		words: '',
	},
	{
		dryRun: 'always',
		mode: 'webhook',
		callerMode: undefined,
		sources: undefined,
		isDry: true,
		words: NOT_MANUAL,
	},
	{
		dryRun: true,
		mode: 'trigger',
		callerMode: undefined,
		sources: undefined,
		isDry: true,
		words: NOT_MANUAL,
	},
	{
		dryRun: '={{ "true" }}',
		mode: 'retry',
		callerMode: undefined,
		sources: ['webhook'],
		isDry: true,
		words: NOT_MANUAL,
	},
	{
		dryRun: 'manualExecutions',
		mode: 'manual',
		callerMode: undefined,
		sources: undefined,
		isDry: true,
		words: '',
	},
	{
		dryRun: 'manualExecutions',
		mode: 'evaluation',
		callerMode: undefined,
		sources: undefined,
		isDry: true,
		words: '',
	},
	{
		dryRun: 'manualExecutions',
		mode: 'integrated',
		callerMode: 'manual',
		sources: undefined,
		isDry: true,
		words: '',
	},
	{
		dryRun: 'manualExecutions',
		mode: 'integrated',
		callerMode: 'trigger',
		sources: undefined,
		isDry: false,
		words: '',
	},
	{
		dryRun: 'manualExecutions',
		mode: 'integrated',
		callerMode: undefined,
		sources: ['integrated', 'manual'],
		isDry: true,
		words: '',
	},
	{
		dryRun: 'manualExecutions',
		mode: 'integrated',
		callerMode: 'integrated',
		sources: ['integrated', 'integrated', 'manual'],
		isDry: true,
		words: '',
	},
	{
		dryRun: 'manualExecutions',
		mode: 'integrated',
		callerMode: undefined,
		sources: Array(4).fill('integrated'),
		isDry: true,
		words: UNKNOWN,
	},
	{
		dryRun: 'manualExecutions',
		mode: 'trigger',
		callerMode: undefined,
		sources: undefined,
		isDry: false,
		words: '',
	},
	{
		dryRun: 'manualExecutions',
		mode: 'error',
		callerMode: undefined,
		sources: ['error'],
		isDry: false,
		words: '',
	},
	{
		dryRun: 'manualExecutions',
		mode: 'retry',
		callerMode: undefined,
		sources: ['manual'],
		isDry: true,
		words: '',
	},
	{
		dryRun: 'manualExecutions',
		mode: 'retry',
		callerMode: undefined,
		sources: ['trigger'],
		isDry: false,
		words: '',
	},
	{
		dryRun: 'manualExecutions',
		mode: 'retry',
		callerMode: undefined,
		sources: ['webhook'],
		isDry: false,
		words: '',
	},
	{
		dryRun: 'manualExecutions',
		mode: 'retry',
		callerMode: 'retry',
		sources: undefined,
		isDry: true,
		words: UNKNOWN,
	},
])('Dry Run $dryRun: $mode, by $callerMode, stored as $sources: $isDry', async (row: Mode) => {
	const { dryRun, isDry, words: told, ...modes } = row;
	Object.assign(engine, modes);
	const execution = await engine.send({ safeguards: { dryRun } });
	expect(execution.deliveries()).toEqual(Array(2).fill(isDry ? shown : sent));
	expect(engine.received()).toHaveLength(isDry ? 0 : 2);
	const hints = execution.runs()[0].hints?.map(({ type, message }) => `${type}: ${message}`) ?? [];
	const warning: unknown[] = told ? [expect.stringContaining(`warning: ${told}`)] : [];
	const sentences =
		'Dry run: 2 of 2 messages would be sent to 2 recipients. No other safeguards are set.';
	const info = `info: ${sentences}`;
	expect(hints).toEqual(isDry ? [info, ...warning] : []);
});

it.each<[object, string]>([
	[{ dryRun: true }, 'No other safeguards are set'],
	[{ dryRun: true, maxMessages: 0 }, 'No other safeguards are set'],
	[{ dryRun: true, maxmessages: 5, 'Send Once Key': 'a' }, 'No other safeguards are set'],
	[
		{ dryRun: true, maxMessages: 5, repeatedRecipients: 'sendFirst' },
		'Other safeguards: Repeated Recipients, Max Messages',
	],
])('a dry run says which safeguards are active: %j', async (safeguards, told) => {
	const execution = await engine.send({ safeguards: safeguards as IDataObject }, customers(1));
	expect(execution.hints()[0]).toContain(told);
});

it('Default Country says what it made of the numbers', async () => {
	const national = ['0151 23456789', '0151-23400781'];
	const wide =
		'\uff0b\uff14\uff19\uff11\uff15\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff11';
	const list = ['+12025550101', ...national, '(0049) 15123456780', wide];
	const spec = { parameters: flows.TEMPLATE, options: { defaultCountry: 'DE' } };
	const items = list.map((phone) => ({ phone }));
	const message =
		"'Default Country' completed 2 phone numbers without a plus sign, e.g. \"0151 " +
		'23456789" to +4915123456789';
	const { hints } = (await engine.run(flows.toSend(spec), items)).runs()[0];
	expect(hints).toMatchObject([{ type: 'info', message }]);
	const dry = await engine.run(flows.toSend({ ...spec, safeguards: { dryRun: true } }), items);
	expect(dry.hints()[2]).toContain('Recipients by country: Germany 4, United States 1');
});

it.each([{}, { dryRun: true }])('Execute Once says it uses one item: %j', async (safeguards) => {
	const workflow = flows.toSend({ safeguards });
	workflow.nodes.find(({ name }) => name === flows.NODE)!.executeOnce = true;
	const hint = "Only the first of 5 items was read: 'Execute Once' is on in this node's Settings";
	const execution = await engine.run(workflow, customers(5));
	expect(execution.items()).toMatchObject([{ pairedItem: { item: 0 } }]);
	expect(execution.hints()).toContain(hint);
	expect((await engine.run(workflow, customers(1))).hints()).not.toContain(hint);
});

const [OLD, NEW] = ['+55 31 8765-4321', '+55 31 98765-4321'];
it.each<[IDataObject, string[], string[]]>([
	[{ repeatedRecipients: 'sendFirst' }, [NEW, OLD], ['+5531987654321']],
	[{ doNotContact: OLD }, [NEW, OLD], []],
	[{ testRecipient: OLD }, [OLD, NEW], ['+553187654321', '+553187654321']],
	[{ sendOnceKey: 'k' }, [OLD, NEW], ['+553187654321']],
])('%j: %j are one account; messages go to %j, as written', async (safeguards, phones, sentTo) => {
	const options = { defaultCountry: 'BR' };
	const spec = { ...CONTINUE, parameters: flows.TEMPLATE, options, safeguards };
	const items = phones.map((phone) => ({ phone }));
	const execution = await engine.send(spec, items);
	expect(engine.received()).toEqual(sentTo);
	const skipped = execution.json().filter(({ skipped }) => skipped === true);
	const left = phones.slice(sentTo.length).map((phone) => phone.replace(/[ -]/g, ''));
	expect(skipped.map(({ recipient }) => recipient)).toEqual(left);
});

it('an item that is rejected still says which country the list is from', async () => {
	const options = { defaultCountry: '={{ $json.country }}' };
	const safeguards = { doNotContact: '0151 23456789' };
	const good = { phone: '202 555 0143', country: 'US' };
	for (const items of [[{ phone: '1', country: 'DE' }], [good, { phone: '1', country: 'DE' }]]) {
		const spec = { ...CONTINUE, parameters: flows.TEMPLATE, options, safeguards };
		const execution = await engine.send(spec, items);
		expect(execution.json().at(-1)?.error).toContain('"1" isn\'t a valid phone number in Germany');
		expect(execution.deliveries()[0]).toBe(items[0] === good ? sent : 'rejected');
	}
});

type Mode = { dryRun: string | boolean; isDry: boolean; words: string } & Modes;
type Modes = { mode: string; callerMode?: string; sources?: string[] };
type Added = { name: keyof typeof safeguards; sends: number; words: string };
const EMPTY = (label: string) => `'${label}' is empty\nEnter a value, or remove this setting`;

it.each`
	name                     | sends  | words
	${'allowedHours'}        | ${0}   | ${'outside'}
	${'doNotContact'}        | ${0}   | ${EMPTY('Do Not Contact')}
	${'dryRun'}              | ${0}   | ${''}
	${'maxMessages'}         | ${0}   | ${"'Max Messages' is 100, and this step would send 102"}
	${'onUncertainDelivery'} | ${102} | ${''}
	${'repeatedRecipients'}  | ${101} | ${''}
	${'sendOnceKey'}         | ${0}   | ${EMPTY('Send Once Key')}
	${'stopAfterFailures'}   | ${102} | ${''}
	${'testRecipient'}       | ${0}   | ${EMPTY('Test Recipient')}
`('$name acts as soon as it is added: $sends sent', async ({ name, sends, words }: Added) => {
	const list = customers(101);
	// What the editor stores for a safeguard that is left as it is: without times that
	// are the default.
	const added = safeguards[name].default;
	const execution = await engine.send({ safeguards: { [name]: added } }, [...list, list[0]]);
	expect(execution.words).toContain(words);
	expect(engine.received()).toHaveLength(sends);
});

/**
 * What becomes of a value, as a workflow stores it: `=` is an expression field that was left empty.
 */
const LOST = ['=', '', ' '];
LOST.push(
	'={{ null }}',
	'={{ undefined }}',
	'={{ "" }}',
	'={{ " " }}',
	'={{ $json.gone }}',
	'={{ $("Start").first().json.gone }}',
	'={{ $("Never").first().json.x }}',
	'={{ {} }}',
	'={{ [] }}',
);
/**
 * An empty list blocks no one, None is a country of the list, and a template's text
 * is no expression.
 */
const FINE = {
	doNotContact: ['={{ [] }}'],
	defaultCountry: ['', '={{ "" }}'],
	templateText: ['={{ {} }}'],
};

it.each(
	Object.entries({ options, safeguards }).flatMap(([collection, fields]) =>
		Object.entries<Field>(fields).map(([name, field]) => ({ collection, name, field })),
	),
)('$name that has lost its value: nothing is sent', async ({ collection, name, field }) => {
	const [operation = 'sendTemplate'] = field.displayOptions?.show?.['/operation'] ?? [];
	const question = { ...flows.TEMPLATE, operation, message: 'Hi', sendAs: 'template' };
	const attachmentUrl = 'https://example.com/a.png';
	const text = { operation, customerId: '1', text: 'Hi', attachmentUrl };
	const items = [{ phone: '+15550100200' }];
	for (const lost of LOST) {
		const parameters = { ...text, ...question, [collection]: { [name]: lost } } as INodeParameters;
		const workflow = flows.toSend({ parameters });
		workflow.nodes.push(flows.node('Never', 'test.pass'));
		const { status, words: said } = await engine.run(workflow, items);
		const isFine = (FINE as Record<string, string[]>)[name]?.includes(lost) === true;
		expect({ lost, status, said }).toMatchObject({ lost, status: isFine ? 'success' : 'error' });
		if (!isFine) expect(said).toContain(`'${field.displayName}'`);
		expect(engine.received().splice(0)).toHaveLength(isFine ? 1 : 0);
		engine.ledger.clear();
	}
});

it.each<[INodeParameters, string]>([
	[{ maxMessages: '={{ 100 - 100 }}' }, "'Max Messages' is 0"],
	[{ stopAfterFailures: '={{ Number("") }}' }, "'Stop After Failures' is 0"],
	[{ testRecipient: '=99{{ $json.gone }}' }, "'Test Recipient' is incomplete"],
	[{ doNotContact: '=101\n{{ $json.gone }}' }, "'Do Not Contact' is incomplete"],
	[{ sendOnceKey: '={{ "null" }}' }, '\'Send Once Key\' "null" stands for no value'],
	[{ sendOnceKey: '={{ (0 * NaN).toString() }}-r' }, "'Send Once Key' is incomplete"],
	[{ repeatedRecipients: 'reject', sendOnceKey: '={{ $itemIndex }}' }, 'the same as in item 0'],
])('%j: nothing is sent', async (safeguards, said) => {
	const execution = await engine.send({ safeguards }, [...customers(2), ...customers(1)]);
	expect([execution.status, engine.received()]).toEqual(['error', []]);
	expect(execution.words).toContain(said);
});

it("an item whose hours end before its turn isn't sent; the others are", async () => {
	time.setDate('2026-11-23T19:59:57Z');
	const zones = ['UTC', 'America/New_York'];
	const items = customers(10).map((item, index) => ({ ...item, zone: zones[index % 2] }));
	const spec = { options: { messagesPerSecond: 1 }, safeguards: BY_ZONE };
	const { words } = await engine.send(spec, items);
	const accepted = engine.accepted();
	expect(accepted).toEqual(expect.arrayContaining([1, 3, 5, 7, 9].map(customer)));
	expect(accepted).not.toContain(customer(8));
	const left = 10 - accepted.length;
	expect(words).toContain(`${accepted.length} of 10 messages accepted, ${left} not attempted`);
	expect(words).toContain('begin again on Tuesday 2026-11-24 08:00 (UTC)');
});

it('Allowed Hours in stop mode: the error says when, and a Retry sends the others', async () => {
	time.setDate('2026-11-22T21:00:00Z');
	const zones = ['UTC', 'Asia/Tokyo', 'UTC'];
	const items = customers(3).map((item, index) => ({ ...item, zone: zones[index] }));
	const early = await engine.send({ safeguards: BY_ZONE }, items);
	expect(early.words).toContain("choose 'Retry with currently saved workflow'");
	time.setDate('2026-11-23T19:00:00Z');
	const failed = await early.retry();
	expect([failed.status, engine.received()]).toEqual(['error', ['1000', '1002']]);
	expect(failed.words).toMatch(
		/begin again on Tuesday 2026-11-24 08:00 \(Asia\/Tokyo\)[^]*'Retry with/,
	);
	time.setDate('2026-11-23T23:30:00Z');
	expect((await failed.retry()).status).toBe('success');
	expect(engine.received()).toEqual(['1000', '1002', '1001']);
});

it('Max Messages with keys: each execution sends as many new ones', async () => {
	const safeguards = { sendOnceKey: '={{ $json.customer }}', maxMessages: 2 };
	for (const left of [3, 1, 0]) {
		const execution = await engine.send({ ...CONTINUE, safeguards }, customers(5));
		const kept = execution.json().filter(({ error }) => error !== undefined);
		expect(kept).toMatchObject(new Array(left).fill({ details: { code: 'maxMessages' } }));
	}
	expect(engine.timesDelivered(5)).toEqual([1, 1, 1, 1, 1]);
	engine.faults(cuts({ nth: 1 }), flows.rejects({ nth: 2 }));
	const spec = { ...flows.ONE_BY_ONE, safeguards: { maxMessages: 2 } };
	const failed = await engine.send(spec, customers(2));
	engine.faults();
	const resend = { maxMessages: 2, onUncertainDelivery: 'resend' };
	expect((await failed.retry(flows.toSend({ safeguards: resend }))).status).toBe('success');
	const again = { ...safeguards, sendOnceKey: '={{ $json.customer }} again' };
	engine.faults(cuts());
	await engine.send({ ...CONTINUE, safeguards: again }, customers(2));
	engine.faults();
	const one = { ...again, ...flows.RESEND, maxMessages: 1 };
	const before = engine.received().length;
	await engine.send({ tries: 2, safeguards: one }, customers(2));
	expect(engine.received()).toHaveLength(before + 1);
	// In an item that had another customer in the try before, each counts once.
	const to = (id: string, safeguards: IDataObject) =>
		flows.toSend({ parameters: { customerId: id }, safeguards });
	engine.faults(cuts());
	const first = await engine.run(to('1', resend), customers(1));
	expect((await first.retry(to('2', { ...resend, maxMessages: 1 }))).words).toContain('is 1');
	const second = await first.retry(to('2', resend));
	engine.faults();
	expect((await second.retry(to('2', resend))).status).toBe('success');
});

it('Max Messages with keys: rows that the service rejects take no place from others', async () => {
	engine.faults(flows.rejects({ recipient: [customer(0), customer(1)] }));
	const safeguards = { sendOnceKey: 'spring', maxMessages: 2 };
	const execution = await engine.send({ ...CONTINUE, safeguards }, customers(5));
	expect(engine.accepted()).toEqual([customer(2), customer(3)]);
	expect(execution.json()[4]).toMatchObject({ details: { code: 'maxMessages' } });
});

it("a key with the item's place in the list is a hint", async () => {
	const hintsOf = async (sendOnceKey: string) =>
		(await engine.send({ safeguards: { sendOnceKey } }, customers(1))).hints().join();
	expect(await hintsOf('={{ $itemIndex }}')).toContain("the item's place in the list");
	expect(await hintsOf('={{ $json.customer }}')).not.toContain('place');
});

it('Send First: the customer gets the next row if the service rejects the first one', async () => {
	engine.faults(flows.rejects({ nth: 1 }));
	const rows = ['a', 'b', 'c'].map((text) => ({ customer: customer(0), text }));
	const safeguards = { repeatedRecipients: 'sendFirst', maxMessages: 1 };
	const execution = await engine.send({ ...CONTINUE, safeguards }, rows);
	expect(execution.deliveries()).toEqual(['rejected', 'accepted', 'skipped']);
	expect(execution.json()[2]).toMatchObject({ reason: 'repeatedRecipient', firstItemIndex: 1 });
});

it('Repeated Recipients: with keys, Send First sends what was not sent before', async () => {
	const items = ['a', 'b', 'c'].map((text) => ({ customer: customer(0), text }));
	const results: unknown[] = [];
	for (const dryRun of [false, false, false, true]) {
		const sendOnceKey = '={{ $json.text }}';
		const safeguards = { repeatedRecipients: 'sendFirst', sendOnceKey, dryRun };
		const ended = (await engine.run(looped({ safeguards }, 2), items)).json(0, 'Done');
		const { firstItemIndex, firstRunIndex } = ended[2];
		// And whose repetition the third one is.
		results.push([...ended.map(({ reason = 'sent' }) => reason), firstItemIndex, firstRunIndex]);
	}
	// What was sent before doesn't use up the turn of the customer. A dry run can't look up keys.
	const [old, later] = ['alreadySent', 'repeatedRecipient'];
	const first = ['sent', later, later, 0, 0];
	const last = [old, old, 'sent', undefined, undefined];
	expect(results).toEqual([first, [old, 'sent', later, 1, 0], last, first]);
	const safeguards = { repeatedRecipients: 'sendFirst', sendOnceKey: 'one for all' };
	expect((await engine.send({ safeguards }, items)).status).toBe('success');
	expect(engine.accepted()).toHaveLength(4);
});

it.each([
	['one of two equal rows, and nothing once it is accepted', ['1', '2', '1', '1', '1', '2']],
	['also after another message to the customer, which is skipped', ['1', '2', '1, other', '1']],
])('Send First in a loop, with Resend: %s', async (_, texts) => {
	const rows = texts.map((text, row) => ({ row, text, customer: text[0] }));
	for (const key of [{}, { sendOnceKey: '={{ $json.row }}' }]) {
		engine.reset();
		engine.faults(cuts({ nth: 1 }));
		const safeguards = { ...flows.RESEND_FIRST, ...key };
		await engine.run(looped({ ...CONTINUE, safeguards }, 2), rows);
		expect(engine.ledger.entries().map(({ body }) => body?.text)).toEqual(['1', '2', '1']);
	}
});

const RESEND_NONE = { doNotContact: customer(0), onUncertainDelivery: 'resend' };
const FIVE = [0, 1, 2, 3, 4].map(customer);

it.each<Retried>([
	{
		what: 'Send First, switched on, sees what the first try sent',
		rules: [flows.rejects({ nth: 2 })],
		items: [...customers(1), ...customers(1)],
		first: {},
		spec: { safeguards: { repeatedRecipients: 'sendFirst' } },
		deliveries: [sent, 'skipped'],
		accepted: ['1000'],
	},
	{
		what: 'a failed test leaves nothing behind: every customer is sent the message',
		rules: [flows.rejects({ nth: 2 })],
		items: customers(5),
		first: { testRecipient: customer(0) },
		spec: { safeguards: { maxMessages: 5 } },
		deliveries: [sent, sent, sent, sent, sent],
		accepted: [...FIVE, '1000'],
	},
	{
		what: 'a dry run shows what was sent before, and what would be sent now',
		rules: [cuts({ nth: 2 }), flows.rejects({ nth: 3 })],
		items: customers(3),
		first: {},
		spec: { safeguards: { dryRun: true } },
		deliveries: [sent, 'uncertain', shown],
		accepted: ['1000', '1001'],
	},
	{
		what: 'Max Messages that is lower now rejects nothing where nothing is left to send',
		rules: [flows.rejects({ nth: 3 })],
		items: customers(3),
		first: {},
		spec: { safeguards: { maxMessages: 1, doNotContact: customer(2) } },
		deliveries: [sent, sent, 'skipped'],
		accepted: ['1000', '1001'],
	},
	{
		what: 'Max Messages counts what is resent, also if the first try sent nothing',
		rules: [],
		items: customers(2).map((item) => ({ ...item, details: { delivery: 'uncertain' } })),
		first: { maxMessages: 1, onUncertainDelivery: 'resend' },
		spec: { safeguards: { maxMessages: 1, onUncertainDelivery: 'resend' } },
		deliveries: ['notAttempted', 'notAttempted'],
		accepted: [],
	},
	{
		what: 'what an earlier try left uncertain stays uncertain, whatever they say now',
		rules: [cuts({ nth: 1 })],
		items: customers(1),
		first: {},
		spec: { safeguards: RESEND_NONE },
		deliveries: ['uncertain'],
		accepted: ['1000'],
	},
	{
		what: 'a message whose recipient was corrected is a different message, and is sent',
		rules: [flows.rejects({ nth: 2 })],
		items: customers(2),
		first: {},
		spec: { parameters: { customerId: '=1{{ $json.customer }}' } },
		deliveries: [sent, sent],
		accepted: ['1000', '11000', '11001'],
	},
])('in a retry: $what', async ({ rules, items, first, spec, deliveries, accepted }: Retried) => {
	engine.faults(...rules);
	const failed = await engine.send({ ...flows.ONE_BY_ONE, safeguards: first }, items);
	expect(failed.status).toBe('error');
	const retried = await failed.retry(flows.toSend({ ...CONTINUE, ...spec }));
	expect(retried.deliveries()).toEqual(deliveries);
	expect(engine.accepted().sort()).toEqual(accepted.sort());
});

it('25 failures with accepted messages between them do not stop the list', async () => {
	const everyOther = Array.from({ length: 25 }, (_, index) => customer(2 * index + 1));
	engine.faults(flows.rejects({ recipient: everyOther }));
	const execution = await engine.send({ ...CONTINUE, ...flows.ONE_BY_ONE }, customers(51));
	const count = (of: string) => execution.deliveries().filter((each) => each === of).length;
	const counts = { accepted: count(sent), rejected: count('rejected'), notAttempted: count(late) };
	expect(counts).toEqual({ accepted: 26, rejected: 25, notAttempted: 0 });
});

describe('a list in batches of ten', () => {
	const to = (from: number, until: number) =>
		Array.from({ length: until - from }, (_, index) => customer(from + index));
	const KEYED = { ...CONTINUE, safeguards: { sendOnceKey: 'spring' } };

	it('Stop After Failures is 25 when not set', async () => {
		engine.faults(flows.rejects());
		const execution = await engine.run(looped(KEYED, 10), customers(26));
		expect(engine.received()).toEqual(to(0, 25));
		const { details } = execution.json(0, 'Done')[25];
		const fix = expect.stringContaining("none with 'uncertain' in 'details.delivery' or") as string;
		expect(details).toMatchObject({ delivery: 'notAttempted', fix, code: 'stopAfterFailures' });
	});

	it(
		'while the service accepts nothing, each later batch of a loop risks one message, ' +
			'not several',
		async () => {
			// What another execution has left uncertain says nothing of the service as it is now.
			engine.faults(cuts());
			await engine.send(KEYED, [customers(41)[40]]);
			engine.ledger.clear();
			// It works again when the sixth batch comes.
			engine.faults(flows.rejects({ recipient: to(0, 50) }));
			await engine.run(looped(KEYED, 10), customers(60));
			const ofBatch = (number: number) => to(10 * number - 10, 10 * number);
			const requests = (number: number) =>
				engine.received().filter((each) => ofBatch(number).includes(String(each))).length;
			const perBatch = [1, 2, 3, 4, 5, 6].map((number) => [`batch ${number}`, requests(number)]);
			expect(Object.fromEntries(perBatch)).toEqual({
				'batch 1': 10,
				'batch 2': 10,
				'batch 3': 5,
				'batch 4': 1,
				'batch 5': 1,
				'batch 6': 10,
			});
			// In batch 5, it isn't the uncertain one.
			expect(engine.received()[26]).toBe(customer(41));
		},
	);
});
