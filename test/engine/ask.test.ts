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
const RECORD = expect.objectContaining({ function_name: expect.any(String) });
const APPROVED = { data: { approved: true, respondedAt: expect.any(String) }, record: RECORD };

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
const seeReason = (chatInput: unknown) => see(String(chatInput));

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

const paired = (execution: Execution) => execution.json(0, 'After');

it.each<[INodeParameters, string, IDataObject]>([
	[{}, 'Approve', { approved: true }],
	[DOUBLE, 'Decline', { approved: false }],
	[TEMPLATE, 'Approve', { approved: true }],
	[choice('9:00', '10:00'), '10:00', { choice: '10:00' }],
	[choice('9:00', 'b\n\0c\ud83d'), 'b c', { choice: 'b c' }],
	[{ responseType: 'freeText' }, ' Monday,\r\nplease ', { text: 'Monday,\nplease' }],
])('%j: %s comes out as %j, paired with its item', async (parameters, answer, data) => {
	const waiting = await ask(parameters);
	expect(waiting.status).toBe('waiting');
	const { execution, page } = await waiting.open(link(), { answer });
	seePage(page);
	const answered = { ...data, respondedAt: expect.any(String) };
	expect(execution?.json()).toEqual([{ data: answered, record: RECORD }]);
	expect(paired(execution!)).toEqual([{ text: ITEM.text }]);
	expect(engine.ledger.accepted()).toHaveLength(1);
});

it('the time is up: nothing of the input comes out, which could be an earlier approval', async () => {
	const execution = await (await ask()).timeUp();
	expect(execution.json()).toEqual([{ data: { timedOut: true }, record: RECORD }]);
	expect(paired(execution)).toEqual([{ text: ITEM.text }]);
});

it('only a form with an answer continues the execution, and nothing makes the page throw', async () => {
	const waiting = await ask(choice('9:00', '10:00'));
	const opened = [
		await waiting.open(link()),
		...(await Promise.all(
			[{ answer: '11:00' }, { answer: ['9:00'] }, {}, null, '9:00', { approved: 'true' }].map(
				async (body) => await waiting.open(link(), body),
			),
		)),
		await waiting.open(link(), { answer: '9:00' }, 'application/json'),
		await waiting.open(link(), { answer: '9:00' }, 'text/plain'),
		await waiting.open(`${link()}&question=5`, { answer: '9:00' }),
		await waiting.open('https://n8n.example.com/', { answer: '9:00' }),
	];
	for (const { page, execution } of opened) {
		seePage(page);
		expect(execution).toBeUndefined();
	}
	expect(opened[0].page).toContain('Does &#60;Friday&#62; suit you?');

	jest.spyOn(WebhookContext.prototype, 'evaluateExpression').mockImplementation(() => {
		throw new Error('a bad expression');
	});
	const { page, execution } = await waiting.open(link(), { answer: '9:00' });
	seePage(page);
	expect([execution, page]).toEqual([undefined, expect.stringContaining('be shown')]);
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
	}
	expect(engine.received()).toEqual([]);
});

it.each([
	'http://localhost:5678',
	'http://n8n.localhost',
	'http://127.8.0.1',
	'http://[::1]:5678',
	'http://0.0.0.0:5678',
	'http://localhost.',
])('a link to %s, which no one else can open: nothing is sent to others', async (url) => {
	engine.publicUrl = url;
	engine.useCredential({ baseUrl: 'https://api.example.com' });
	const { words } = await ask();
	expect([words, words]).toEqual([
		expect.stringContaining(url),
		expect.stringContaining('WEBHOOK_URL'),
	]);
	expect(engine.received()).toEqual([]);
});

it('a link with a path in front, which n8n would reject: nothing is sent', async () => {
	engine.publicUrl = 'https://example.com/n8n';
	const { words } = await ask();
	expect(words).toMatch(/example.com\/n8n\/webhook-waiting.*WEBHOOK_URL/s);
	expect(engine.received()).toEqual([]);
});

it.each([
	['http://localhost:5678', []],
	['https://n8n.example.com', []],
	['http://n8n.example.com', ['answers travel unencrypted']],
	['https://10.0.0.7', ['only people in the same network can answer']],
	['https://n8n.local', ['only people in the same network can answer']],
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

it('a release of n8n that looks at signatures only if it is asked to, is asked', async () => {
	const setSignatureValidationRequired = jest.fn();
	Object.assign(ExecuteContext.prototype, { setSignatureValidationRequired });
	expect((await ask()).status).toBe('waiting');
	delete (ExecuteContext.prototype as { setSignatureValidationRequired?: unknown })
		.setSignatureValidationRequired;
	expect(setSignatureValidationRequired).toHaveBeenCalled();
});

it('an n8n without signed links', async () => {
	// Over the method that it inherits.
	Object.assign(ExecuteContext.prototype, { getSignedResumeUrl: undefined });
	expect((await ask()).words).toContain('1.123');
	delete (ExecuteContext.prototype as { getSignedResumeUrl?: unknown }).getSignedResumeUrl;
	expect(engine.received()).toEqual([]);
});

it('Retry On Fail waits on, and sends no accepted question again', async () => {
	jest
		.spyOn(ExecuteContext.prototype, 'putExecutionToWait')
		.mockRejectedValueOnce(new Error(FAULT));
	const waiting = await ask({}, { tries: 2 });
	expect(waiting.status).toBe('waiting');
	expect((await waiting.open(link(), { answer: 'Approve' })).execution?.json()).toEqual([APPROVED]);
	expect(engine.received()).toEqual(['1000']);
});

it.each([undefined, 'continueRegularOutput'] as const)(
	'On Error %s: a Retry of an execution that asked says that its link is dead',
	async (onError) => {
		jest
			.spyOn(ExecuteContext.prototype, 'putExecutionToWait')
			.mockRejectedValueOnce(new Error(FAULT));
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

it.each(['original', 'saved'])(
	'a Retry of an execution that was stopped while it waited, with the %s workflow: the time is up',
	async (which) => {
		const stopped = await ask(DOUBLE);
		const retried = await stopped.retry(
			which === 'saved' ? asking({ parameters: DOUBLE }) : undefined,
		);
		expect([retried.status, retried.json()]).toEqual([
			'success',
			[{ data: { timedOut: true }, record: RECORD }],
		]);
		expect(engine.received()).toEqual(['1000']);
	},
);

it('a loop: the link of the first question answers no other one', async () => {
	const loop = looped({ parameters: ASK }, 1);
	const first = await engine.run(loop, [ITEM, { ...ITEM, customer: '1001' }]);
	const firstLink = link();
	const { execution: second } = await first.open(firstLink, { answer: 'Approve' });
	expect([second?.status, engine.accepted()]).toEqual(['waiting', ['1000', '1001']]);
	const late = await second!.open(firstLink, { answer: 'Approve' });
	expect([late.execution, late.page]).toEqual([
		undefined,
		expect.stringContaining('open any more'),
	]);
	const { execution } = await second!.open(link(), { answer: 'Approve' });
	expect([execution?.status, execution?.runs().length]).toEqual(['success', 2]);
});

it('two branches: after the first answer, the second question is asked, not passed on as it came', async () => {
	const row = asking();
	row.nodes.push(node('Other', 'test.pass'));
	row.connections.Sheet = { main: [[to({ name: NODE }), to({ name: 'Other' })]] };
	row.connections.Other = { main: [[to({ name: NODE })]] };
	const first = await engine.run(row, [ITEM]);
	const { execution: second } = await first.open(link(), { answer: 'Approve' });
	expect(second?.status).toBe('waiting');
	const { execution } = await second!.open(link(), { answer: 'Approve' });
	expect(execution?.runs().map((run) => run.data?.main[0]?.[0].json)).toEqual([APPROVED, APPROVED]);
});

it.each<[IDataObject, IDataObject]>([
	[{ dryRun: true }, { dryRun: true, request: expect.anything(), text: expect.any(String) }],
	[{ doNotContact: '1000' }, { skipped: true, reason: 'doNotContact', recipient: '1000' }],
	[
		{ allowedHours: { window: { from: '08:00', until: '08:01', days: ['monday'] } } },
		{ error: expect.any(String), details: expect.objectContaining({ delivery: 'notAttempted' }) },
	],
])('%j: nothing is sent, and the execution does not wait', async (safeguards, json) => {
	const spec: Sending = { safeguards, onError: 'continueRegularOutput' };
	const execution = await ask({}, spec);
	expect([execution.status, execution.json()]).toEqual(['success', [json]]);

	const reviewed = await ask({}, { ...REVIEW, safeguards });
	const reason = { approved: false, chatInput: expect.stringContaining("the tool didn't run") };
	expect([reviewed.status, reviewed.json()]).toEqual(['success', [{ ...json, ...reason }]]);
	seeReason(reviewed.json()[0].chatInput);
	expect(engine.received()).toEqual([]);
});

it('a send-once key: a question that was asked before is not asked again', async () => {
	const safeguards = { sendOnceKey: '={{ $json.customer }}' };
	expect((await ask({}, { safeguards })).status).toBe('waiting');
	const again = await ask({}, { safeguards });
	expect(again.json()).toMatchObject([{ skipped: true, reason: 'alreadySent' }]);
});

it('human review: an approval is one, and a timeout says why the tool did not run', async () => {
	const waiting = await ask(DOUBLE, REVIEW);
	const { execution } = await waiting.open(link(), { answer: 'Approve' });
	expect(execution?.json()).toEqual([APPROVED]);
	const late = await waiting.timeUp();
	expect(late.json()).toEqual([
		{
			data: { timedOut: true, approved: false, chatInput: expect.stringContaining('is up') },
			record: RECORD,
		},
	]);
	seeReason((late.json()[0].data as IDataObject).chatInput);
});

it('human review: with an error output, n8n would drop the answer, so nothing is sent', async () => {
	const execution = await ask(DOUBLE, { ...REVIEW, onError: 'continueErrorOutput' });
	const { message = '', description } = execution.runs()[0].error ?? {};
	expect([message, engine.received()]).toEqual([expect.stringContaining("'On Error'"), []]);
	see(message, String(description));
});

it.each<[IDataObject, string]>([
	[{ repeatedRecipients: 'sendFirst' }, 'already asked in this execution'],
	[{ sendOnceKey: 'refund-7' }, 'asked before'],
])('human review: with %j, a question that is not asked again says %j', async (...row) => {
	const [safeguards, reason] = row;
	const loop = looped({ parameters: ASK, safeguards, ...REVIEW }, 1);
	const first = await engine.run(loop, [ITEM, ITEM]);
	const { execution } = await first.open(link(), { answer: 'Approve' });
	const { chatInput } = execution!.json()[0];
	expect(chatInput).toContain(reason);
	seeReason(chatInput);
	expect(engine.received()).toEqual(['1000']);
});

it('human review: an uncertain question is not the message that the tool would have sent', async () => {
	engine.sandbox.faults.set([{ what: 'hang', afterAccept: true }]);
	const execution = await ask({}, { ...REVIEW, options: { timeout: 1000 } });
	const { chatInput } = execution.json()[0];
	expect(chatInput).toMatch(/tool didn't run.*message that asks/);
	seeReason(chatInput);
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

/** Two questions, one after the other. */
const TWO = [ITEM, { ...ITEM, customer: '1001' }];
const SAME = [ITEM, ITEM];
const skipped = (reason: string) => expect.objectContaining({ skipped: true, reason });
const failed = (code: string) =>
	expect.objectContaining({ details: expect.objectContaining({ code }) });

it.each<[IDataObject, IDataObject[], Array<string | null>, unknown[]]>([
	[{ testRecipient: '7' }, TWO, ['7', '7'], [APPROVED, APPROVED]],
	[
		{ testRecipient: '7' },
		[...TWO, ...TWO],
		['7', '7', '7'],
		[APPROVED, APPROVED, APPROVED, skipped('testRun')],
	],
	[{ maxMessages: 2 }, TWO, ['1000', '1001'], [APPROVED, APPROVED]],
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
		execution = (await execution.open(link(), { answer: 'Approve' })).execution!;
	}
	expect([execution.status, engine.received()]).toEqual(['success', asked]);
	expect(execution.runs().map((run) => run.data?.main[0]?.[0].json)).toEqual(ended);
});

it.each([
	['a response that never comes', { what: 'hang', afterAccept: true }],
	['408', { what: 'status', status: 408, accepted: true }],
	['500', { what: 'status', status: 500 }],
] as Array<[string, FaultRule]>)(
	'%s: the question may have been asked, and is asked again only if the user wants that',
	async (_, fault) => {
		const options = { timeout: 1000 };
		const uncertain = async (onUncertainDelivery: string) => {
			engine.sandbox.faults.set([{ ...fault, when: { nth: 1 } }]);
			engine.ledger.clear();
			return await engine.run(asking({ tries: 2, options, safeguards: { onUncertainDelivery } }), [
				ITEM,
			]);
		};
		const failed = await uncertain('doNotResend');
		expect([failed.status, failed.words, engine.received()]).toEqual([
			'error',
			expect.stringContaining("wasn't sent again"),
			['1000'],
		]);

		// The retry is another execution: the question that it asks has a link to itself.
		const again = await failed.retry(
			asking({ options, safeguards: { onUncertainDelivery: 'resend' } }),
		);
		expect([again.status, engine.received()]).toEqual(['waiting', ['1000', '1000']]);
		const { execution } = await again.open(link(), { answer: 'Approve' });
		expect(execution?.json()).toEqual([APPROVED]);

		const waiting = await uncertain('resend');
		expect([waiting.status, engine.received()]).toEqual(['waiting', ['1000', '1000']]);
	},
);

it('a Retry that is clicked twice, with a link of its own each time, asks one question once', async () => {
	const reading = node('Sheet', 'test.sheet');
	failing.times = 1;
	const unread = await engine.run(
		workflow([node('Start', 'test.pass'), reading, sending({ parameters: ASK })]),
		[ITEM],
	);
	expect(unread.status).toBe('error');
	const first = await unread.retry();
	expect(first.status).toBe('waiting');
	const second = await unread.retry();
	expect([second.status, second.json(), engine.received()]).toEqual([
		'success',
		[skipped('alreadySent')],
		['1000'],
	]);

	engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: 1 } }]);
	const refused = await engine.run(asking(), [ITEM]);
	expect(refused.status).toBe('error');
	expect((await refused.retry()).status).toBe('waiting');
	expect((await refused.retry()).json()).toEqual([skipped('alreadySent')]);
	expect(engine.received()).toEqual(['1000', '1000', '1000']);
});
