import { ExecuteContext, WebhookContext } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { FaultRule } from '../../sandbox/index.cts';

import { errorsSection } from '../docs/errorsPage.cts';
import { type Execution, useEngine } from './engine';
import { failing, OUTBOUND_MESSAGING } from './nodeTypes';
import { time } from './virtualTime';
import type { Sending } from './workflows';
import { looped, node, NODE, sending, to, workflow } from './workflows';

const engine = useEngine();
beforeEach(() => time.setDate('2026-11-23T03:00:00Z'));

const ASK: INodeParameters = {
	operation: 'sendAndWait',
	customerId: '={{ $json.customer }}',
	message: '={{ $json.text }}',
};
const TEMPLATE: INodeParameters = {
	sendAs: 'template',
	templateId: 'question',
	channelId: '7',
	customerPhone: '+15550100200',
};
const DOUBLE = { approvalOptions: { values: { approvalType: 'double' } } };
const choice = (...labels: string[]): INodeParameters => ({
	responseType: 'choice',
	choices: { choice: labels.map((label) => ({ label })) },
});
const REVIEW = { type: `${OUTBOUND_MESSAGING}HitlTool` };
/** An item whose fields look like an answer. */
const ITEM: IDataObject = {
	customer: '1000',
	text: 'Does <Friday> suit you?',
	approved: true,
	data: { approved: true },
};
/** Two questions, one after the other. */
const TWO = [ITEM, { ...ITEM, customer: '1001' }];
const SAME = [ITEM, ITEM];
const RECORD = expect.objectContaining({ function_name: expect.any(String) });
const answered = (data: IDataObject) => {
	return { data: { ...data, respondedAt: expect.any(String) }, record: RECORD };
};
const APPROVED = answered({ approved: true });
const TIMED_OUT = { data: { timedOut: true }, record: RECORD };
const skipped = (reason: string) => expect.objectContaining({ skipped: true, reason });
const failed = (code: string) =>
	expect.objectContaining({ details: expect.objectContaining({ code }) });

const FAULT = 'n8n is out of memory';
const see = errorsSection('Waiting for a response');
/** Of all that a page says, what the node says. */
const seePage = (page: string) => {
	const text = page.replaceAll('&#39;', "'");
	for (const [, said] of text.matchAll(/<p[^>]*>(.*?)<\/p>/g)) {
		if (/answer|question|page/.test(said)) see(said);
	}
};
const anyUrl = (text: string) => text.replaceAll(engine.publicUrl, '…');
/** @returns what an agent reads instead of an answer */
function reasonIn(execution: Execution): string {
	const { data, chatInput } = execution.json()[0];
	const reason = String((data as IDataObject | undefined)?.chatInput ?? chatInput);
	see(reason);
	return reason;
}

/** Asks, and then reads a field of the sheet by its pair. */
function asking(spec: Sending = {}) {
	const parameters = { ...ASK, ...spec.parameters };
	return workflow([
		node('Sheet', 'test.pass'),
		sending({ ...spec, parameters }),
		node('After', 'test.pair'),
	]);
}
async function ask(parameters: INodeParameters = {}, spec: Sending = {}, items = [ITEM]) {
	const execution = await engine.run(asking({ ...spec, parameters }), items);
	const { message, description } = execution.error ?? {};
	if (message && message !== FAULT)
		see(anyUrl(message), description?.replace(/ Nothing was sent\..*/, ''));
	for (const hint of execution.hints()) if (hint.includes('WEBHOOK_URL')) see(anyUrl(hint));
	return execution;
}

/** The link in the newest message that was accepted. */
function link(): string {
	const { body } = engine.ledger.accepted().at(-1)!;
	const { text, attributes } = body as { text?: string; attributes?: Record<string, string> };
	return String((text ?? Object.values(attributes!).at(-1)!).split('\n').at(-1));
}

const approve = async (waiting: Execution) =>
	(await waiting.open(link(), { answer: 'Approve' })).execution!;
const paired = (execution: Execution) => execution.json(0, 'After');
/** Waiting fails once, after the question was sent. */
const failToWait = () =>
	jest
		.spyOn(ExecuteContext.prototype, 'putExecutionToWait')
		.mockRejectedValueOnce(new Error(FAULT));

it.each<[INodeParameters, string, IDataObject]>([
	[{}, 'Approve', { approved: true }],
	[DOUBLE, 'Decline', { approved: false }],
	[TEMPLATE, 'Approve', { approved: true }],
	[choice('9:00', '10:00'), '10:00', { choice: '10:00' }],
	[choice('9:00', 'b\n\0c\ud83d'), 'b c', { choice: 'b c' }],
	[{ options: { defaultCountry: 'Narnia' } }, 'Approve', { approved: true }],
	[{ responseType: 'freeText' }, ' Monday,\r\nplease ', { text: 'Monday,\nplease' }],
])('%j: %s comes out as %j, paired with its item', async (parameters, answer, data) => {
	const waiting = await ask(parameters);
	const shown = [{ data: { waiting: true }, record: RECORD }];
	expect([waiting.status, waiting.json()]).toEqual(['waiting', shown]);
	const { execution, page } = await waiting.open(link(), { answer });
	seePage(page);
	expect(execution?.json()).toEqual([answered(data)]);
	expect(paired(execution!)).toEqual([{ text: ITEM.text }]);
	expect(engine.ledger.accepted()).toHaveLength(1);
});

it('only a form with an answer continues the execution, and nothing makes the page throw', async () => {
	const waiting = await ask(choice('9:00', '10:00'));
	const opens = async (
		words: string,
		...[body, type, at = link()]: [unknown?, string?, string?]
	) => {
		const { page, execution } = await waiting.open(at, body, type);
		seePage(page);
		expect([execution, page]).toEqual([undefined, expect.stringContaining(words)]);
	};
	await opens('Does &#60;Friday&#62; suit you?</p><form');
	for (const body of [{ answer: '11:00' }, { answer: ['9:00'] }, {}, null, '9:00']) {
		await opens('Answer again', body);
	}
	const answer = { answer: '9:00' };
	for (const type of ['application/json', 'text/x; application/x-www-form-urlencoded'])
		await opens('Answer again', answer, type);
	for (const at of [`${link()}&question=5`, 'https://n8n.example.com/']) {
		await opens('open any more', answer, undefined, at);
	}
	jest.spyOn(WebhookContext.prototype, 'evaluateExpression').mockImplementation(() => {
		throw new Error('a bad expression');
	});
	await opens('be shown', answer);
});

const limit = (values: IDataObject) => ({ options: { limitWaitTime: { values } } });
const past = { limitType: 'atSpecifiedTime', maxDateAndTime: '2020-01-01T00:00:00' };

it.each<[string, INodeParameters, Sending, IDataObject[]]>([
	['several items', {}, {}, [ITEM, ITEM]],
	['too few choices', choice('9:00'), {}, [ITEM]],
	['the same choice twice', choice('9:00', '9:00'), {}, [ITEM]],
	['choices that look the same', choice('9:00', '9:00\u200b'), {}, [ITEM]],
	['too many choices', choice(...'abcdefghijk'), {}, [ITEM]],
	['a choice without a visible label', choice('9:00', '\ud83d\0'), {}, [ITEM]],
	['an empty date', {}, limit({ ...past, maxDateAndTime: '' }), [ITEM]],
	['a date that is none', {}, limit({ ...past, maxDateAndTime: 'soon' }), [ITEM]],
	['a time in the past', {}, limit(past), [ITEM]],
])('%s: nothing is sent', async (_, parameters, spec, items) => {
	for (const onError of [undefined, 'continueRegularOutput'] as const) {
		const execution = await ask(parameters, { ...spec, onError }, items);
		expect(execution.status).toBe(onError ? 'success' : 'error');
		expect(execution.deliveries().every((delivery) => delivery === 'rejected')).toBe(true);
		expect(execution.error?.message ?? 'none').not.toBe('');
	}
	expect(engine.received()).toEqual([]);
});

it.each([
	...['http://localhost:5678', 'http://n8n.localhost', 'http://127.8.0.1', 'http://[::1]:5678'],
	...['http://0.0.0.0:5678', 'http://[::]:5678', 'http://localhost.', 'https://example.com/n8n'],
])('a link to %s, which others cannot open or n8n would reject: nothing is sent', async (url) => {
	engine.publicUrl = url;
	engine.useCredential({ baseUrl: 'https://api.example.com' });
	const { words } = await ask();
	expect(words).toContain(`would lead to ${url}`);
	expect(words).toContain('WEBHOOK_URL');
	expect(engine.received()).toEqual([]);
});

it.each([
	['http://localhost:5678', []],
	['https://n8n.example.com', []],
	['http://localhost.example.com', ['answers travel unencrypted']],
	['http://n127.example.com', ['answers travel unencrypted']],
	['https://10.0.0.7', ['only people in the same network can answer']],
	['http://my-localhost', ['only people in the same network can answer']],
])('a link to %s: the hints %j', async (url, hints) => {
	engine.publicUrl = url;
	const execution = await ask();
	expect([execution.status, execution.hints()]).toEqual([
		'waiting',
		hints.map((hint) => expect.stringContaining(hint)),
	]);
	const skipped = await ask({}, { safeguards: { doNotContact: '1000' } });
	expect(skipped.hints().join()).not.toContain('WEBHOOK_URL');
});

describe('an older n8n', () => {
	const context = ExecuteContext.prototype as unknown as IDataObject;
	afterEach(() => {
		delete context.setSignatureValidationRequired;
		// What it inherits.
		delete context.getSignedResumeUrl;
	});

	it('looks at signatures only if it is asked to, and is asked', async () => {
		const setSignatureValidationRequired = jest.fn();
		Object.assign(context, { setSignatureValidationRequired });
		expect((await ask()).status).toBe('waiting');
		expect(setSignatureValidationRequired).toHaveBeenCalled();
	});

	it('has no signed links', async () => {
		Object.assign(context, { getSignedResumeUrl: undefined });
		expect((await ask()).words).toContain('1.123');
		expect(engine.received()).toEqual([]);
	});
});

it('Retry On Fail waits on, and sends no accepted question again', async () => {
	failToWait();
	const waiting = await ask({}, { tries: 2 });
	expect(waiting.status).toBe('waiting');
	expect((await approve(waiting)).json()).toEqual([APPROVED]);
	expect(engine.received()).toEqual(['1000']);
});

it.each([undefined, 'continueRegularOutput'] as const)(
	'On Error %s: a Retry of an execution that asked says that its link is dead',
	async (onError) => {
		failToWait();
		const failed = await ask();
		expect(failed.status).toBe('error');
		const retried = await failed.retry(asking({ onError }));
		if (retried.error) see(retried.error.message, String(retried.error.description));
		expect(retried.status).toBe(onError ? 'success' : 'error');
		expect(retried.deliveries()).toEqual(onError ? ['notAttempted'] : []);
		expect(engine.received()).toEqual(['1000']);
		// A new execution asks again.
		expect((await ask()).status).toBe('waiting');
	},
);

it.each<[string, (waiting: Execution) => Promise<Execution>]>([
	['the time is up', async (waiting) => await waiting.timeUp()],
	['a Retry', async (stopped) => await stopped.retry()],
	['a Retry, as saved', async (stopped) => await stopped.retry(asking({ parameters: DOUBLE }))],
])(
	'%s: the answer is that the time is up, and nothing of the input, which could be an earlier approval',
	async (_, end) => {
		const ended = await end(await ask(DOUBLE));
		expect([ended.status, ended.json()]).toEqual(['success', [TIMED_OUT]]);
		expect(paired(ended)).toEqual([{ text: ITEM.text }]);
		expect(engine.received()).toEqual(['1000']);
	},
);

it('a loop: the link of the first question answers no other one', async () => {
	const loop = looped({ parameters: ASK }, 1);
	const first = await engine.run(loop, TWO);
	const firstLink = link();
	const second = await approve(first);
	expect([second.status, engine.accepted()]).toEqual(['waiting', ['1000', '1001']]);
	const late = await second.open(firstLink, { answer: 'Approve' });
	expect(late.execution).toBeUndefined();
	expect(late.page).toContain('open any more');
	const execution = await approve(second);
	expect([execution.status, execution.runs().length]).toEqual(['success', 2]);
});

it('two branches: after the first answer, the second question is asked, not passed on as it came', async () => {
	const row = asking();
	row.nodes.push(node('Other', 'test.pass'));
	row.connections.Sheet = { main: [[to({ name: NODE }), to({ name: 'Other' })]] };
	row.connections.Other = { main: [[to({ name: NODE })]] };
	const second = await approve(await engine.run(row, [ITEM]));
	expect(second.status).toBe('waiting');
	const execution = await approve(second);
	expect(execution.runs().map((run) => run.data?.main[0]?.[0].json)).toEqual([APPROVED, APPROVED]);
});

it.each<[IDataObject, IDataObject]>([
	[{ dryRun: true }, { dryRun: true, request: expect.anything(), text: expect.any(String) }],
	[{ doNotContact: '1000' }, { skipped: true, reason: 'doNotContact', recipient: '1000' }],
	[
		{ allowedHours: { window: { from: '08:00', until: '08:01', days: ['monday'] } } },
		{ error: expect.any(String), details: expect.objectContaining({ delivery: 'notAttempted' }) },
	],
])('%j: nothing is sent, and the execution does not wait', async (safeguards, json) => {
	const execution = await ask({}, { safeguards, onError: 'continueRegularOutput' });
	expect([execution.status, execution.json()]).toEqual(['success', [json]]);

	const reviewed = await ask({}, { ...REVIEW, safeguards });
	const reason = { approved: false, chatInput: expect.stringContaining("the tool didn't run") };
	expect([reviewed.status, reviewed.json()]).toEqual(['success', [{ ...json, ...reason }]]);
	reasonIn(reviewed);
	expect(engine.received()).toEqual([]);
});

it('human review: an approval is one, and a timeout says why the tool did not run', async () => {
	const waiting = await ask(DOUBLE, REVIEW);
	expect((await approve(waiting)).json()).toEqual([APPROVED]);
	const late = await waiting.timeUp();
	const data = { timedOut: true, approved: false, chatInput: reasonIn(late) };
	expect(late.json()).toEqual([{ data, record: RECORD }]);
	expect(data.chatInput).toContain('is up');
});

it('human review: with an error output, n8n would drop the answer, so nothing is sent', async () => {
	const execution = await ask(DOUBLE, { ...REVIEW, onError: 'continueErrorOutput' });
	const { message = '', description } = execution.runs()[0].error ?? {};
	expect([message, engine.received()]).toEqual([expect.stringContaining("'On Error'"), []]);
	see(message, String(description));
});

it.each<[string, IDataObject, FaultRule[]]>([
	['The person who approves was already asked', { repeatedRecipients: 'sendFirst' }, []],
	['This question was asked before', { sendOnceKey: 'refund-7' }, []],
	['About the message that asks', {}, [{ what: 'hang', afterAccept: true, when: { nth: 2 } }]],
])("human review: %s, so the tool didn't run", async (reason, safeguards, rules) => {
	engine.sandbox.faults.set(rules);
	const options = { timeout: 1000 };
	const loop = looped({ parameters: ASK, safeguards, options, ...REVIEW }, 1);
	const execution = await approve(await engine.run(loop, SAME));
	expect(reasonIn(execution)).toContain(`so the tool didn't run. ${reason}`);
	expect(engine.accepted()).toHaveLength(rules.length + 1);
});

it('a question by template: the options for templates apply', async () => {
	const options = { templateText: 'A question: {{1}} Answer: {{2}}', defaultCountry: 'DE' };
	const parameters = { ...TEMPLATE, customerPhone: '0151 23456789' };
	const shown = await ask(parameters, { options, safeguards: { dryRun: true } });
	expect(shown.json()).toMatchObject([
		{
			text: expect.stringContaining(`A question: ${String(ITEM.text)} Answer: https://`),
			request: { body: { customer_phone: '+4915123456789' } },
		},
	]);
	const short = await ask(parameters, { options: { ...options, templateText: 'A {{1}}' } });
	expect([short.words, engine.received()]).toEqual([expect.stringContaining('Template Text'), []]);
});

it.each<[IDataObject, IDataObject[], Array<string | null>, unknown[]]>([
	[
		{ testRecipient: '7' },
		[...TWO, ...TWO],
		['7', '7', '7'],
		[APPROVED, APPROVED, APPROVED, skipped('testRun')],
	],
	[{ maxMessages: 1 }, TWO, ['1000'], [APPROVED, failed('maxMessages')]],
	[{ repeatedRecipients: 'sendAll' }, SAME, ['1000', '1000'], [APPROVED, APPROVED]],
	[{ repeatedRecipients: 'sendFirst' }, SAME, ['1000'], [APPROVED, skipped('repeatedRecipient')]],
	[{ repeatedRecipients: 'reject' }, SAME, ['1000'], [APPROVED, failed('repeatedRecipient')]],
	[{ doNotContact: '1001' }, TWO, ['1000'], [APPROVED, skipped('doNotContact')]],
	[{ sendOnceKey: '={{ $json.customer }}' }, SAME, ['1000'], [APPROVED, skipped('alreadySent')]],
])('%j: what it counts, it counts over all questions of the execution', async (...row) => {
	const [safeguards, items, asked, ended] = row;
	const loop = looped({ parameters: ASK, safeguards, onError: 'continueRegularOutput' }, 1);
	let execution = await engine.run(loop, items);
	for (let answers = 0; execution.status === 'waiting' && answers < 5; answers++) {
		execution = await approve(execution);
	}
	expect([execution.status, engine.received()]).toEqual(['success', asked]);
	expect(execution.runs().map((run) => run.data?.main[0]?.[0].json)).toEqual(ended);
});

it.each<[string, FaultRule]>([
	['a response that never comes', { what: 'hang', afterAccept: true }],
	['408', { what: 'status', status: 408, accepted: true }],
	['500', { what: 'status', status: 500 }],
])(
	'%s: the question may have been asked, and is asked again only if the user wants that',
	async (_, fault) => {
		const spec = (onUncertainDelivery: string): Sending => {
			return { tries: 2, options: { timeout: 1000 }, safeguards: { onUncertainDelivery } };
		};
		const uncertain = async (onUncertainDelivery: string) => {
			engine.sandbox.faults.set([{ ...fault, when: { nth: 1 } }]);
			engine.ledger.clear();
			return await engine.run(asking(spec(onUncertainDelivery)), [ITEM]);
		};
		const failed = await uncertain('doNotResend');
		expect(failed.words).toContain("wasn't sent again");
		expect([failed.status, engine.received()]).toEqual(['error', ['1000']]);

		// The retry is another execution: the question that it asks has a link to itself.
		const again = await failed.retry(asking(spec('resend')));
		expect([again.status, engine.received()]).toEqual(['waiting', ['1000', '1000']]);
		expect((await approve(again)).json()).toEqual([APPROVED]);

		const waiting = await uncertain('resend');
		expect([waiting.status, engine.received()]).toEqual(['waiting', ['1000', '1000']]);
	},
);

it('a Retry that is clicked twice, with a link of its own each time, asks one question once', async () => {
	failing.times = 1;
	const reading = [node('Start', 'test.pass'), node('Sheet', 'test.sheet')];
	const unread = await engine.run(workflow([...reading, sending({ parameters: ASK })]), [ITEM]);
	const once = async (failed: Execution) => {
		expect(failed.status).toBe('error');
		engine.sandbox.faults.clear();
		engine.ledger.clear();
		expect((await failed.retry()).status).toBe('waiting');
		const second = await failed.retry();
		expect([second.status, second.json()]).toEqual(['success', [skipped('alreadySent')]]);
		expect(engine.received()).toEqual(['1000']);
	};
	await once(unread);
	engine.sandbox.faults.set([{ what: 'status', status: 400 }]);
	await once(await engine.run(asking(), [ITEM]));
});
