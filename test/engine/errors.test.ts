/**
 * Each error as n8n shows it: message, description and item. Which value leads to which text
 * is in test/unit.
 */
import type { IDataObject } from 'n8n-workflow';

// First: it lets time be virtual for the node that the others load.
import type { Given } from './situations';
import * as given from './situations';
import type { Execution } from './engine';
import { CONTINUE, customers, cuts, NODE, ONE_BY_ONE, rejects } from './workflows';
import * as flows from './workflows';
import { ExecuteContext } from 'n8n-core';

type Row = { message: string; situation: Given };

/** What the node wrote into n8n's log. */
const logLines: string[] = [];
const log = (line: string) => void logLines.push(line);
const logger = { info: log, warn: log, error: log };
Object.defineProperty(ExecuteContext.prototype, 'logger', { value: logger });

const MAYBE = 'the message may or may not have been sent';
const OPTED_OUT = { what: 'status', status: 400, body: { error: 'Opted out' } } as const;
const RECORD_OF_1001 = { id: 1, function_name: 'f', status: 'sent', extra: { customer_id: 1001 } };
const NO_WAIT = { options: { rateLimitWait: 0 } };
const NO_TEXT = { text: '={{ "" }}' };

/**
 * Every third one has no customer, nor have two more; and the last one of them has no text either.
 */
const WITH_BAD_ITEMS = customers(40).map((item, index) => {
	if (index === 39) return { ...item, text: '' };
	return index % 3 === 0 || index === 4 || index === 5 ? { text: 'x' } : item;
});

/**
 * Each way from a rule to the item or the run: which values are rejected with which words
 * is in test/unit.
 */
it.each<Given>([
	given.text({ text: 'Hi {{name}}' }),
	...['={{ $json.no }}', '={{ $json.a( }}', '={{ $now }}'].map((text) => given.text({}, { text })),
	given.text({}, { customerId: '=10{{ $json.no }}' }),
	{ items: [{ text: 'Hi', skipped: true, reason: 'alreadySent' }] },
	given.text({ details: { delivery: 'uncertain' } }),
	given.template({ customerPhone: '030 12345678' }, { defaultCountry: 'Germanistan' }),
	given.template({ attributes: { attribute: [{ value: 'a\nb' }] } }),
	...[{ timezone: '={{ $json.no }}' }, { days: ['={{ $json.no }}'] }].map(given.hours),
	// One key for all orders would skip all of them but the first.
	...['=order-{{ $json.order }}', 'order-{{ $json.order }}', "={{ 'order-' + $json.order }}"].map(
		(sendOnceKey) => ({ safeguards: { sendOnceKey } }),
	),
	{ items: given.SAME, safeguards: { repeatedRecipients: 'reject' }, item: 1 },
	{ items: given.AGAIN, safeguards: { ...flows.RESEND, repeatedRecipients: 'reject' }, item: 1 },
	{ items: given.AGAIN, safeguards: { ...flows.RESEND, maxMessages: 1 }, item: -1 },
	...[
		...[{ dryRun: 'yes' }, { onUncertainDelivery: 'no' }, { repeatedRecipients: 'no' }],
		...[{ stopAfterFailures: 1.5 }, { maxMessages: -1 }, { maxMessages: 1 }],
		...[{ doNotContact: '1000 1001' }, { testRecipient: '' }],
		// Settings of the run that differ between its items.
		...[{ dryRun: '={{ $itemIndex === 1 }}' }, { testRecipient: '={{ $parameter.customerId }}' }],
		{ doNotContact: '={{ $json.customer === "1000" ? [] : $json.a.b }}' },
		...[
			'$input . item.json.customer',
			"$input['it' + 'em'].json.customer",
			'(({ item }) => item.json.customer)($input)',
			"[$('Start')].map(({ item }) => item.json.customer)[0]",
			'[$input].map((each) => each.item.json.customer)[0]',
		].map((code) => ({ testRecipient: `={{ ${code} }}` })),
	].map((safeguards) => ({ safeguards, item: -1 })),
	...[
		...[{ maxConcurrency: 0 }, { rateLimitWait: 'soon' }, { messagesPerSecond: -1 }],
		...[{ timeout: '={{ $json.a( }}' }, { timeout: '={{ $json.customer }}' }],
	].map((options) => ({ options, item: -1 })),
	{ ...given.template({}, { attributeLineBreaks: 'no' }), item: -1 },
	{ ...given.template({}, { templateText: '{{name}}' }), item: -1 },
	{ parameters: { operation: 'sendFax' }, item: -1 },
	{ before: given.changeCredential, item: -1 },
	{
		safeguards: { sendOnceKey: 'order' },
		items: ['Hi', 'Bye'].map((text) => ({ ...customers(1)[0], text })),
		item: -1,
	},
])('rejected before anything is sent: %j', async (situation) => {
	const { item = 0, items = customers(2) } = situation;
	const stopped = await given.run(situation);
	expect(stopped.words).toContain('Nothing was sent.');
	const cause = expect.stringMatching(/^(?:configuration|credential)-invalid$/) as string;
	expect(stopped).toMatchObject({ status: 'error', error: { failure: { cause } } });
	expectShown(stopped, item);
	expect(given.engine.received()).toEqual([]);
	const execution = await continued(situation);
	expect(execution.json()).toHaveLength(items.length);
	for (const index of item === -1 ? items.keys() : [item]) expectShown(execution, index);
	// A sub-workflow knows it by nothing else.
	const isKnown = JSON.stringify(execution.json()).includes('uncertainDelivery');
	if (item === -1) expect(isKnown).toBe('details' in items[0]);
});

/** What is said of a message that is rejected or uncertain. */
it.each<Row>([
	{
		message:
			"The service's rate limit was reached (429): Too many requests, code rate_limited. It " +
			"asked to wait for longer than 'Rate Limit Wait (Seconds)'",
		situation: given.answer({ what: 'rateLimit' }, NO_WAIT),
	},
	{
		message:
			'The service is unavailable and asked to wait (503): The service is unavailable, code ' +
			"unavailable. It asked to wait for longer than 'Rate Limit Wait (Seconds)'",
		situation: given.answer({ what: 'unavailable', retryAfter: 9 }, NO_WAIT),
	},
	{
		message: "The service asked to wait for longer than 'Rate Limit Wait (Seconds)'",
		situation: given.answer(
			{ what: 'rateLimit', retryAfter: 9 },
			{ ...given.SECOND, options: { maxConcurrency: 1, rateLimitWait: 0 } },
		),
	},
	{
		message:
			"This message wasn't sent now: the step ended first. The service didn't accept " +
			'the API key (401): No',
		situation: { ...given.status(401), ...given.SECOND, options: { messagesPerSecond: 1 } },
	},
	{
		message: "The execution was canceled before this message's turn came",
		situation: given.answer({ what: 'hang' }, { ...given.SECOND, run: given.canceled }),
	},
	{
		message: 'The execution was canceled before all messages were sent',
		situation: given.answer({ what: 'hang' }, { run: given.canceled }),
	},
	{
		message:
			"An earlier try got no clear response, so this message wasn't sent again. The connection " +
			`broke before the service responded; ${MAYBE}`,
		situation: given.answer(cuts({ nth: 1 }), { run: given.retried }),
	},
	{
		message:
			"An earlier try may have sent this message, and it couldn't be resent. This message wasn't " +
			"sent now: the step ended first. The service didn't accept the API key (401): " +
			'Invalid API key provided',
		situation: given.partlyThen(
			{
				...CONTINUE,
				options: { messagesPerSecond: 1 },
				parameters: { customerId: '={{ $json.customer.replace("1000", "2000") }}' },
				safeguards: { onUncertainDelivery: 'resend' },
			},
			{ item: 1, rules: [cuts({ nth: 2 }), { what: 'status', status: 401, when: { nth: 3 } }] },
		),
	},
	{
		message:
			"An earlier try may have sent this message, and it couldn't be resent. It was " +
			"skipped: on 'Do Not Contact'",
		situation: given.partlyThen(
			{ safeguards: { doNotContact: '1000', onUncertainDelivery: 'resend' } },
			{ items: customers(1), rules: [cuts({ nth: 1 })] },
		),
	},
	{
		message:
			"An earlier try may have sent this message, and it couldn't be resent. The service " +
			'rejected the message (400): No',
		situation: { ...given.status(400), items: given.AGAIN.slice(1), safeguards: flows.RESEND },
	},
	{
		message: 'Another retry of this execution may have sent this message',
		situation: {
			items: customers(1),
			rules: [rejects({ nth: 1 }), cuts({ nth: 2 })],
			run: given.retriedTwice,
		},
	},
	{
		message:
			'This step has 20001 messages, more than the 20000 that it can keep from being sent twice',
		situation: {
			items: customers(20_002),
			...ONE_BY_ONE,
			rules: [rejects({ nth: 2 })],
			run: given.retried,
			item: -1,
		},
	},
	{
		message:
			'This step has 10002 messages, more than the 10000 that it can keep from being sent twice',
		situation: {
			items: customers(10_002),
			...ONE_BY_ONE,
			rules: [rejects({ nth: 2 })],
			safeguards: given.KEY,
			run: given.retried,
			item: -1,
		},
	},
	{
		message:
			"Whether this message was sent before couldn't be checked: SQLITE_BUSY: database is locked",
		situation: {
			items: customers(1),
			rules: [rejects({ nth: 1 })],
			run: given.retriedWithoutStore,
		},
	},
	{
		message: 'Something unexpected happened before this message was sent: out of memory',
		situation: {
			items: customers(2),
			options: { messagesPerSecond: 1 },
			before: given.failWait,
			item: 1,
		},
	},
	{
		message: 'Something unexpected happened while this message was being sent: out of memory',
		situation: { items: customers(1), before: given.failResponse },
	},
	{
		message:
			"This message wasn't sent now: the step ended first. 2 messages in a row weren't accepted " +
			"('Stop After Failures'). The last one: The service rejected the message (400): No",
		situation: {
			...given.status(400),
			...given.SECOND,
			items: customers(3),
			item: 2,
			safeguards: { stopAfterFailures: 2 },
		},
	},
	{
		message:
			"This message wasn't sent now: the step ended first. A message wasn't accepted " +
			"('Stop After Failures'). The last one: The service rejected the message (400): No",
		situation: { ...given.status(400), ...given.SECOND, safeguards: { stopAfterFailures: 1 } },
	},
	{
		message:
			"This message wasn't sent: it's outside 'Allowed Hours', which begin again on Monday " +
			'2026-11-23 08:00 (UTC)',
		situation: given.hours({ timezone: 'UTC' }),
	},
	{
		message: "'Max Messages' is 3, and this step would send 2 after 2 earlier in this execution",
		situation: given.partlyThen(
			{ safeguards: { maxMessages: 3, onUncertainDelivery: 'resend' } },
			{ item: -1 },
		),
	},
	{
		message:
			"'Max Messages' is 1, and this execution has that many already: this message is kept back",
		situation: { safeguards: { ...given.KEY, maxMessages: 1 }, item: 1 },
	},
	{
		message:
			"'Customer ID' is 1000, the same as in item 0 of run 1 (n8n counts items " +
			'from 0, and runs from 1)',
		situation: {
			items: given.SAME,
			run: given.inLoop({ safeguards: { repeatedRecipients: 'reject' } }),
		},
	},
	{ message: "'API Key' is empty", situation: { credential: { apiKey: ' ' }, item: -1 } },
	{ message: given.NO_CREDENTIAL, situation: { before: given.loseCredential, item: -1 } },
	{
		message: "'Send Once Key' needs a saved workflow",
		situation: { safeguards: given.KEY, before: given.forgetWorkflow, item: -1 },
	},
	{
		message:
			'This step has 20001 messages, more than the 20000 that it can keep from being sent twice',
		situation: { items: customers(20_001), safeguards: given.KEY, item: -1 },
	},
	{
		message: 'A message with this send-once key may have been sent before',
		situation: given.answer(cuts({ nth: 1 }), { safeguards: given.KEY, run: given.ranTwice }),
	},
	{
		message:
			"Whether this message was sent before couldn't be checked: n8n's key store wasn't " +
			'available for 120 seconds: another n8n process held the lock the whole time',
		situation: { items: customers(1), safeguards: given.KEY, before: () => given.holdLock(2) },
	},
	{
		message:
			"Whether this message was sent before couldn't be checked: this n8n process was busy for " +
			'too long and lost its lock',
		situation: { items: customers(1), safeguards: given.KEY, before: given.loseLock },
	},
	{
		message:
			"What was sent before couldn't be checked: n8n's key store wasn't available for 120 " +
			'seconds: no response within 10 seconds',
		situation: {
			items: customers(1),
			safeguards: given.KEY,
			before: () => given.holdLock(1, given.never),
			item: -1,
		},
	},
	{
		message: "What was sent before couldn't be checked: SQLITE_BUSY: database is locked",
		situation: { ...given.PARTLY, item: -1, run: given.retriedWithoutAccepted },
	},
	{
		message:
			"A Remove Duplicates node with the scope 'Workflow' occupies the place in n8n's database " +
			'where this node keeps its lock',
		situation: { items: customers(1), safeguards: given.KEY, before: given.occupyLock, item: -1 },
	},
	{
		message:
			"A Remove Duplicates node with the scope 'Workflow' occupies the place in n8n's database " +
			'where this node keeps its lock',
		situation: { items: customers(1), safeguards: given.KEY, before: given.occupyFreeLock },
	},
])('$message', async ({ message, situation }: Row) => {
	const error = expectShown(await given.run(situation), situation.item ?? 0);
	expect(error.message).toBe(message);
});

/** Each is said where it's true, and nowhere else. */
const SENTENCES = [
	'Running the workflow or',
	'To send the rest',
	'To send the other rows',
	'If other rows are left',
	'A retry uses',
	'which a new execution',
	'and then set it back',
	'Uncertain:',
];
const RETRY =
	"To send the rest, choose 'Retry with currently saved workflow' in the executions of 'Test': " +
	"it doesn't resend accepted messages";
/** Where a row would stop the retry, too. */
const SKIPPING =
	"To send the other rows, set 'On Error' to 'Continue', choose " +
	"'Retry with currently saved workflow' in the executions of 'Test', and then set it back: the " +
	"retry doesn't resend accepted messages";

/** The same, where the others are accepted, or come in another turn of a loop. */
const SKIPPING_IF = SKIPPING.replace('To send the other rows', 'If other rows are left');

/** What is said of all messages of a run. */
it.each(
	Object.entries<Given>({
		['All 40 items are checked before the first message is sent. To fix: items 0, 3 to 6, 9, 12, ' +
		'15, 18, 21, 24, 27, 30 and 3 more (n8n counts items from 0). 15 of 16 need the same fix. ' +
		"Why: 'Customer ID' is empty: the expression found no value (15) · 'Text' is empty (1). A " +
		'retry uses the old data: after you correct the data, run the workflow again.']: {
			items: WITH_BAD_ITEMS,
		},
		[`0 of 3 messages accepted, 1 rejected, 2 not attempted. ${SKIPPING}.`]: {
			items: customers(3),
			rules: [{ ...OPTED_OUT, when: { recipient: '1001' } }, ...given.status(400).rules!],
		},
		['Running the workflow or this step again sends the accepted messages again. 2 of 4 ' +
		`messages accepted, 1 rejected, 1 not attempted. ${SKIPPING}.`]: given.PARTLY,
		['Correct what the service rejected in this row. 2 of 4 messages accepted, 1 rejected, 1 ' +
		`not attempted. ${SKIPPING}.`]: { ...given.PARTLY, safeguards: given.KEY },
		"2 of 4 messages accepted, 2 rejected. Why: 'Text' is empty (2)": given.partlyThen({
			...CONTINUE,
			parameters: NO_TEXT,
		}),
		['Running the workflow or this step again sends the accepted messages again. 1 of 3 ' +
		'messages accepted, 1 uncertain, 1 not attempted. Uncertain: item 1 (n8n counts items ' +
		`from 0). ${SKIPPING}.`]: { ...ONE_BY_ONE, items: customers(3), rules: [cuts({ nth: 2 })] },
		['Correct what the service rejected in this row. To send it, execute the workflow with ' +
		'only this row, and without steps that have sent to this customer. 0 of 2 messages ' +
		"accepted, 2 uncertain. Why: An earlier try may have sent this message, and it couldn't " +
		'be resent. The service rejected the message (400): No (1) · An earlier try may have sent ' +
		"this message, and it couldn't be resent. This message wasn't sent now: the step ended " +
		'first. The service rejected the message (400): No (1). Uncertain: items 0, 1 (n8n counts ' +
		`items from 0). ${SKIPPING_IF}.`]: {
			...given.status(400),
			items: given.AGAIN,
			safeguards: flows.RESEND,
		},
		["Raise 'Max Messages' before a retry. A new execution sends it with the same key, and " +
		'sends again what other steps have sent without a key. 1 of 2 messages accepted, 1 not ' +
		`attempted. ${RETRY}.`]: { safeguards: { ...given.KEY, maxMessages: 1 } },
		['Run the workflow again with the remaining items. Running the workflow or this step again ' +
		'sends the accepted messages again. 1 of 3 messages accepted, 1 uncertain, 1 not attempted. ' +
		'Uncertain: item 1 (n8n counts items from 0).']: given.answer(
			{ what: 'hang', when: { nth: 2 } },
			{ ...ONE_BY_ONE, items: customers(3), run: given.canceled },
		),
		['The content of items 0, 1 (n8n counts items from 0) changed after an earlier try sent the ' +
		"message. A retry doesn't send it again, so the customer has the earlier content"]:
			given.partlyThen({ parameters: { text: 'Changed' } }),
		['The send-once keys of 4 earlier messages were removed to make room for newer ones. If ' +
		'those items come back, their messages are sent again']: {
			items: customers(2),
			safeguards: given.KEY,
			before: given.fillStore,
		},
		[`${NODE}: a message's key couldn't be written, and is uncertain: ` +
		'SQLITE_BUSY: database is locked']: {
			...given.status(400),
			...CONTINUE,
			safeguards: given.KEY,
			before: given.breakRemoval,
		},
		[`${NODE}: waiting for the lock of n8n's key store, which another process of n8n holds. If ` +
		'that process was killed, this takes up to a minute, and then the messages are sent']: {
			...CONTINUE,
			items: customers(1),
			safeguards: given.KEY,
			before: () => given.holdLock(2),
		},
		[`${NODE}: a message's key couldn't be written, and is uncertain: it was held for longer ` +
		'than its request may take']: {
			...CONTINUE,
			items: customers(1),
			safeguards: given.KEY,
			before: given.holdTooLong,
		},
		["1 text with more than 4096 characters, which WhatsApp doesn't take. See item 1 (n8n " +
		'counts items from 0)']: {
			parameters: { text: '={{ "x".repeat($json.customer == 1001 ? 4097 : 4096) }}' },
		},
		["The service's record names another customer than the one the message was for: items 0, 2 " +
		"(n8n counts items from 0). Check the service's dashboard"]: given.answer(
			{ what: 'status', status: 200, body: RECORD_OF_1001 },
			{ items: customers(3) },
		),
	}),
)('%s', expectSaid);

/** What is said of the rest where something was sent before, or may have been. */
it.each<Row & { where: string }>([
	{
		where: "earlier turns of a loop have sent, and this turn's row has no customer",
		message:
			'Nothing was sent this time; this execution sent 3 messages before, which a new execution ' +
			`sends again. ${SKIPPING_IF}.`,
		situation: {
			...ONE_BY_ONE,
			items: [...customers(3), { text: 'x' }],
			run: given.inLoop({}),
		},
	},
	{
		where: "earlier turns of a loop have sent, and the service rejects this turn's row",
		message:
			'Running the workflow or this step again sends the accepted messages again. ' +
			`${SKIPPING_IF}.`,
		situation: { ...given.PARTLY, rules: [rejects({ nth: 4 })], run: given.inLoop({}) },
	},
	{
		where: "the first try has sent, and in the retry the others' texts are empty",
		message:
			'Nothing was sent this time; this execution sent 2 messages before, which a new execution ' +
			'sends again. All 4 items are checked before the first message is sent. To fix: items 2, ' +
			`3 (n8n counts items from 0). 2 of 2 need the same fix. ${SKIPPING_IF}.`,
		situation: given.partlyThen({ parameters: NO_TEXT }),
	},
	{
		where: 'the first try has sent with send-once keys, and in the retry a safeguard is wrong',
		message: `Nothing was sent this time; this execution sent 2 messages before. ${RETRY}.`,
		situation: given.partlyThen(
			{ safeguards: { ...given.KEY, maxMessages: -1 } },
			{ safeguards: given.KEY },
		),
	},
	{
		where: 'another step has sent to the same customers, and the texts of this one are empty',
		message:
			'Nothing was sent this time. All 2 items are checked before the first message is sent. To ' +
			`fix: items 0, 1 (n8n counts items from 0). 2 of 2 need the same fix. ${SKIPPING_IF}.`,
		situation: { parameters: NO_TEXT, run: given.behindSender },
	},
	{
		where: 'another step calls a workflow, which may send, and a safeguard is wrong',
		message: `Nothing was sent this time. ${RETRY}.`,
		situation: given.nextToCall,
	},
	{
		where: 'another workflow called this one, which asks a question of two customers',
		message: "'Wait For Sub-Workflow Completion' turned off. Nothing was sent this time.",
		situation: given.several,
	},
	{
		where: 'another workflow called this one, and the service rejects a row',
		message: `Correct what the service rejected in this row. ${SKIPPING_IF}.`,
		situation: { ...given.status(400), before: given.called },
	},
])('what to do where $where', async ({ message, situation }) => {
	await expectSaid(message, situation);
});

async function expectSaid(message: string, situation: Given): Promise<void> {
	logLines.length = 0;
	const execution = await given.run(situation);
	const said = [execution.words, ...execution.hints(), ...logLines].join('\n');
	expect(said).toContain(message);
	const sentences = (text: string) => SENTENCES.filter((each) => text.includes(each));
	expect(sentences(said)).toEqual(sentences(message));
	for (const each of SENTENCES) expect(execution.words.split(each).length).toBeLessThan(3);
	expect(said).not.toMatch(/\w+Error: /);
}

it.each([
	'={{ $json.Mobile }}',
	'={{ $json["Handy Nr"] }}',
	"={{ $('Start').item.json.Mobile }}",
	'={{ $json.Mobile.trim() }}',
	'=49{{ $json.rest }}',
	'4915123456789',
])('a plus sign that is missing in %s goes in front of it', async (customerPhone) => {
	const phone = '4915123456789';
	const items = [{ Mobile: phone, 'Handy Nr': phone, rest: phone.slice(2) }];
	const { fix } = expectShown(await continued({ ...given.template({ customerPhone }), items }), 0);
	expect(fix).toMatch(/^Add the country code, e\.g\. /);
	expect(fix).toContain(" If it's +4915123456789 in Germany, only the plus sign is missing: ");
	expect(fix).toMatch(/: put a \+ in front of the number, or of the expression in this field$/);
	const fixed = customerPhone.replace(/^=?/, '$&+');
	await continued({ ...given.template({ customerPhone: fixed }), items });
	expect(given.engine.accepted()).toEqual([`+${phone}`]);
});

async function continued(situation: Given): Promise<Execution> {
	const execution = await given.run({ ...situation, ...CONTINUE });
	expect(execution.status).toBe('success');
	return execution;
}

/** The error of the item, or in stop mode of the run. */
function expectShown(execution: Execution, index: number) {
	const { error, details } = execution.json().at(Math.max(index, 0)) ?? {};
	const { message, description, context } = execution.error ?? {};
	const ofRun = { message, fix: description, itemIndex: context?.itemIndex ?? -1 };
	const shown = details ? { message: error, ...(details as IDataObject) } : ofRun;
	const { fix, itemIndex } = shown as IDataObject;
	expect(itemIndex).toBe(index);
	expect(fix).toMatch(/./);
	if (/may (or may not )?have/.test(String(shown.message)))
		expect(fix).not.toContain('Nothing was sent');
	expect(shown.message).not.toContain('Cannot read properties');
	return { message: String(shown.message), fix: String(fix) };
}
