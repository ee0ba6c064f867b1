import { ExecuteContext, WebhookContext } from 'n8n-core';
import { createRunExecutionData, type IDataObject, type INodeParameters } from 'n8n-workflow';

import type { FaultRule } from '../../sandbox/index.cts';
import { type Execution, useEngine } from './engine';
import { failing, OUTBOUND_MESSAGING } from './nodeTypes';
import type { Row, Sending } from './workflows';
import { CONTINUE, ERROR_OUTPUT, looped, NODE, node, rejects } from './workflows';
import * as flows from './workflows';

const engine = useEngine();

const ASK = { operation: 'sendAndWait', message: '= {{ $json.text }} ' };
const PHONE = { sendAs: 'template', customerPhone: '+15550100200' };
const TEMPLATE = { ...flows.TEMPLATE, ...ASK, ...PHONE };
const DOUBLE = { approvalOptions: { values: { approvalType: 'double' } } };
const double = (approveLabel: string, disapproveLabel: string) => ({
	approvalOptions: { values: { approvalType: 'double', approveLabel, disapproveLabel } },
});
const choice = (...labels: Array<string | number>): INodeParameters => ({
	responseType: 'choice',
	choices: { choice: labels.map((label) => ({ label })) },
});
const CHOICES_JSON = { responseType: 'choice', specifyChoices: 'json' };
const texts = (given: INodeParameters) => ({ options: { responsePage: { texts: given } } });
const REVIEW = { type: `${OUTBOUND_MESSAGING}HitlTool` };
/** An item whose fields look like an answer. */
const ITEM: IDataObject = {
	customer: '1000',
	text: 'Does <Friday> suit you?',
	approved: true,
	data: { approved: true },
	slots: ['9:00', 10, ''],
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
const failed = (details: IDataObject) => {
	return { error: expect.any(String), details: expect.objectContaining(details) };
};

/** @returns what an agent reads instead of an answer */
function reasonIn(execution: Execution): string {
	const { data, chatInput } = execution.json()[0];
	return String((data as IDataObject | undefined)?.chatInput ?? chatInput);
}

/** Asks, and then reads a field of the sheet by its pair. */
function asking(spec: Sending = {}) {
	const asks = flows.sending({ ...spec, parameters: { ...ASK, ...spec.parameters } });
	return flows.workflow([node('Sheet', 'test.pass'), asks, node('After', 'test.pair')]);
}
async function ask(parameters: INodeParameters = {}, spec: Sending = {}, items = [ITEM]) {
	return await engine.run(asking({ ...spec, parameters }), items);
}

/** The link in the newest message that was accepted. */
function link(): string {
	const { body } = engine.ledger.accepted().at(-1)!;
	const { text, attributes } = body as { text?: string; attributes?: Record<string, string> };
	return String((text ?? Object.values(attributes!).at(-1)!).split('\n').at(-1));
}

const approve = async (waiting: Execution) =>
	(await waiting.open(link(), { answer: '0' })).execution!;
/** Every question in a loop is answered. */
async function approveAll(spec: Sending, items: IDataObject[]): Promise<Execution> {
	let execution = await engine.run(looped({ ...spec, parameters: ASK }, 1), items);
	for (let answers = 0; execution.status === 'waiting' && answers < 5; answers++)
		execution = await approve(execution);
	return execution;
}
const paired = (execution: Execution) => execution.json(0, 'After');
/** Waiting fails once, after the question was sent. */
const failToWait = () =>
	jest
		.spyOn(ExecuteContext.prototype, 'putExecutionToWait')
		.mockRejectedValueOnce(new Error('n8n is out of memory'));

/** A form, or a screen, would change each part of it. */
const AS_GIVEN = ' A  B\r\n10\u00a0000 \u20ac \u2764\ufe0f ';

it.each<[INodeParameters, string, IDataObject]>([
	[texts({ language: '' }), '0', { approved: true }],
	[{ ...DOUBLE, ...texts({ language: '={{ null }}' }) }, '1', { approved: false }],
	[TEMPLATE, '0', { approved: true }],
	[choice('9:00', AS_GIVEN), '1', { choice: AS_GIVEN, choiceIndex: 1 }],
	[choice(...'abcdefghij'), '9', { choice: 'j', choiceIndex: 9 }],
	[choice('9:00', '={{ $json.slots[2] }}', '10:00', ' '), '1', { choice: '10:00', choiceIndex: 1 }],
	[{ ...CHOICES_JSON, choicesJson: '={{ $json.slots }}' }, '1', { choice: '10', choiceIndex: 1 }],
	[{ ...TEMPLATE, templateContent: 'linkOnly' }, '0', { approved: true }],
	[double(' Yes\nplease ', 'No'), '0', { approved: true }],
	[{ options: { defaultCountry: 'Narnia' } }, '0', { approved: true }],
	[{ responseType: 'freeText' }, ' Monday,\r\nplease ', { text: 'Monday,\nplease' }],
])('%j: %s comes out as %j, paired with its item', async (parameters, answer, data) => {
	const waiting = await ask(parameters);
	// A public chat, or a webhook, answers with that.
	expect([waiting.status, waiting.json()]).toEqual(['waiting', [{ data: { waiting: true } }]]);
	const { execution } = await waiting.open(link(), { answer });
	expect(execution?.json()).toEqual([answered(data)]);
	expect(paired(execution!)).toEqual([{ text: ITEM.text }]);
	expect(engine.ledger.accepted()).toHaveLength(1);
});

const limit = (values: INodeParameters) => {
	return { options: { limitWaitTime: { values: { limitType: 'atSpecifiedTime', ...values } } } };
};

it("the page has the sender's texts, as they were when the message was sent", async () => {
	const page = texts({
		title: '={{ $json.customer }} & Co.',
		description: '={{ $json.none ?? "" }}',
		language: '=pt_{{ "br" }}',
		completionMessage: 'Obrigado!',
		invalidMessage: 'Não.',
		closedMessage: 'Fechada.',
	});
	const options = { ...page.options, ...limit({ maxDateAndTime: '2050-11-27T12:30' }).options };
	const waiting = await ask({ ...choice('Sim', 'Não'), options });
	const opens = async (...[body, at = link()]: [body?: unknown, link?: string]) =>
		(await waiting.open(at, body)).page;
	const opened = await opens();
	expect(opened).toContain('<html lang="pt-BR" dir="ltr">');
	expect(opened).toMatch(/<title>1000 &#38; Co.<\/title>[^]*<h1>1000 &#38; Co.<\/h1>/);
	// n8n's default time zone, which may not be meant.
	expect(waiting.hints()).toEqual([expect.stringContaining('America/New_York')]);
	expect(opened).toContain('Answer by: domingo, 27 de novembro de 2050 às 12:30 ');
	expect(opened).toMatch(/ às 12:30 Horário do Leste<\/p><form[^>]+><input[^>]+><bu/);
	expect(await opens({ answer: 'Talvez' })).toContain('role="alert">Não.</p>');
	expect(await opens(undefined, `${link()}&question=5`)).toMatch(/>Fechada.<\/h1><\/main>/);
	expect(await opens({ answer: '0' })).toContain('autofocus><p >Obrigado!</p>');
});

/** One character more than the page can show. */
const FAR_TOO_LONG = 'a'.repeat(40_001);
it.each<[string, INodeParameters]>([
	['Message', { message: FAR_TOO_LONG }],
	['Choices', choice('9:00', FAR_TOO_LONG)],
	['Approval Options', double(FAR_TOO_LONG, 'No')],
	['Response Page', texts({ description: FAR_TOO_LONG })],
])("'%s' with a text that is far too long for the page is rejected", async (label, parameters) => {
	const execution = await ask(parameters);
	expect([execution.words, engine.received()]).toEqual([
		expect.stringMatching(new RegExp(`'${label}' .*has over 40,000 characters`)),
		[],
	]);
});

it('only a form with an answer continues the execution; nothing makes the page throw', async () => {
	const waiting = await ask(choice('9:00', '10:00'));
	const answer = { answer: '0' };
	type Opening = [words: string, body?: unknown, type?: string, link?: string];
	const opens = async (...[words, body, type, at = link()]: Opening) => {
		const { page, execution } = await waiting.open(at, body, type);
		expect([execution, page]).toEqual([undefined, expect.stringContaining(words)]);
	};
	await opens('Does &#60;Friday&#62; suit you?</h1><form');
	for (const body of [{ answer: '2' }, { answer: '9:00' }, { answer: ['0'] }, {}, null, '0'])
		await opens('Answer again', body);
	for (const type of ['application/json', 'text/x; application/x-www-form-urlencoded'])
		await opens('Answer again', answer, type);
	for (const at of [`${link()}&question=5`, 'https://n8n.example.com/'])
		await opens('open any more', answer, undefined, at);
	jest.spyOn(WebhookContext.prototype, 'evaluateExpression').mockImplementation(() => {
		throw new Error('a bad expression');
	});
	await opens('HTTP 500', answer);
});

const LEADS_TO = 'would lead to ';
const leadsTo = (url: string): [string] => [`${LEADS_TO}http:${url}, which only works on`];

it.each<[string, INodeParameters?, IDataObject[]?]>([
	['received 2', {}, SAME],
	["'Message' is empty", { message: ' ' }],
	['is "triple"', { approvalOptions: { values: { approvalType: 'triple' } } }],
	['"O K" twice', double('O K', ' O \n K ')],
	['label 2 is empty', double('OK', '')],
	['label 2 is empty', double('OK', '\u0007')],
	['too few labels', { responseType: 'choice', choices: {} }],
	['too many labels', choice(...'abcdefghijk')],
	['label 2 is empty: the expression found no value', choice('9:00', '={{ $json.no }}', 'Never')],
	['has too few labels', { ...CHOICES_JSON, choicesJson: '{"1": "9:00"}' }],
	["'Limit Wait Time' is empty", limit({ maxDateAndTime: '' })],
	['is empty: the expression found no value', limit({ limitType: '={{ $json.no }}' })],
	['language is "Portuguese", which isn\'t a language code', texts({ language: 'Portuguese' })],
	['language is empty: the expression found no value', texts({ language: '={{ $json.no }}' })],
	['button label is empty', texts({ buttonLabel: '' })],
	// Others can't open these links, or n8n would reject them.
	...['//localhost.', '//n8n.localhost', '//127.8.0.1', '//[::]:5678'].map(leadsTo),
	[`${LEADS_TO}https://a.com/n8n, and n8n rejects links with a path`],
])('%s: nothing is sent, with %j', async (words, parameters = {}, items = [ITEM]) => {
	if (words.startsWith(LEADS_TO)) {
		engine.publicUrl = words.slice(LEADS_TO.length).replace(/,.*/, '');
		engine.useCredential({ baseUrl: 'https://api.example.com' });
	}
	for (const spec of [{}, CONTINUE]) {
		const execution = await ask(parameters, spec, items);
		expect(execution.status).toBe(spec === CONTINUE ? 'success' : 'error');
		const said = execution.words + JSON.stringify(execution.json()).replaceAll('\\', '');
		expect(said).toContain(words);
		expect(['rejected', 'notAttempted']).toEqual(expect.arrayContaining(execution.deliveries()));
	}
	expect(engine.received()).toEqual([]);
});

it.each([
	['http://localhost:5678', []],
	['https://n8n.example.com', []],
	// N8N_ENDPOINT_WEBHOOK_WAIT can be a path.
	['https://n8n.example.com/hooks', []],
	['http://localhost.example.com', ['answers travel unencrypted']],
	['http://n127.example.com', ['answers travel unencrypted']],
	['https://10.0.0.7', ['only people in the same network can answer']],
])('a link to %s: the hints %j', async (url, hints) => {
	engine.publicUrl = url;
	const rest = `${new URL(url).origin}/rest`;
	jest.spyOn(ExecuteContext.prototype, 'getRestApiUrl').mockReturnValue(rest);
	const execution = await ask();
	const told = execution.runs()[0].hints?.map(({ type, message }) => `${type}: ${message}`) ?? [];
	const said = hints.map((hint) => expect.stringMatching(`^warning: .*${hint}`));
	expect([execution.status, told]).toEqual(['waiting', said]);
	const skipped = await ask({}, { safeguards: { doNotContact: '1000' } });
	expect(skipped.hints().join()).not.toContain('WEBHOOK_URL');
});

const older = ExecuteContext.prototype as unknown as IDataObject;

it('an older n8n has no signed links', async () => {
	older.getSignedResumeUrl = undefined;
	const { words } = await ask();
	// What it inherits.
	delete older.getSignedResumeUrl;
	expect([words, engine.received()]).toEqual([expect.stringContaining('1.123'), []]);
});

it('Retry On Fail waits on, and sends no accepted question again', async () => {
	failToWait();
	const waiting = await ask({}, { tries: 2 });
	expect(waiting.status).toBe('waiting');
	expect((await approve(waiting)).json()).toEqual([APPROVED]);
	expect(engine.received()).toEqual(['1000']);
});

const KEYED = { ...CONTINUE, safeguards: { sendOnceKey: 'Friday' } };

it.each([{}, CONTINUE, KEYED])('%j: a Retry after asking says its link is dead', async (spec) => {
	failToWait();
	const failed = await ask();
	expect(failed.status).toBe('error');
	const retried = await failed.retry(asking(spec));
	expect(retried.status).toBe('onError' in spec ? 'success' : 'error');
	expect(retried.deliveries()).toEqual('onError' in spec ? ['notAttempted'] : []);
	expect(engine.received()).toEqual(['1000']);
	// A new execution asks again, unless a key that was added before the Retry says
	// that it was asked.
	const again = await ask({}, spec);
	if (spec === KEYED) expect(again.json()).toEqual([skipped('alreadySent')]);
	else expect(again.status).toBe('waiting');
});

it.each(['original', 'saved'])('a Retry as %s: no earlier approval comes out', async (which) => {
	const saved = which === 'saved' ? asking({ parameters: DOUBLE }) : undefined;
	const ended = await (await ask(DOUBLE)).retry(saved);
	expect([ended.status, ended.json()]).toEqual(['success', [TIMED_OUT]]);
	expect(paired(ended)).toEqual([{ text: ITEM.text }]);
	expect(engine.received()).toEqual(['1000']);
});

it('two branches: the second question, with its own link, follows the first answer', async () => {
	const both = { main: [[flows.to({ name: NODE }), flows.to({ name: 'Other' })]] };
	const nodes = [flows.START, node('Other', 'test.pass'), flows.sending({ parameters: ASK })];
	const first = await engine.run(flows.workflow(nodes, { Start: both }), [ITEM]);
	const firstLink = link();
	const second = await approve(first);
	const { page, execution: none } = await second.open(firstLink, { answer: '0' });
	// Whoever has the first link doesn't read its answer.
	expect(page).toContain('open any more');
	expect([second.status, none]).toEqual(['waiting', undefined]);
	expect((await second.open(firstLink)).page).toContain('open any more');
	const execution = await approve(second);
	expect(execution.runs().map((run) => run.data?.main[0]?.[0].json)).toEqual([APPROVED, APPROVED]);
});

it('human review: with an error output, n8n drops the answer, so nothing is sent', async () => {
	const execution = await engine.send({ ...REVIEW, ...ERROR_OUTPUT, parameters: ASK }, [ITEM]);
	const { message = '' } = execution.runs()[0].error ?? {};
	expect([message, engine.received()]).toEqual([expect.stringContaining("'On Error'"), []]);
});

it("human review: n8n's own text lacks the arguments, so nothing is sent", async () => {
	const MESSAGE = { message: 'Input:\n[object Object]' };
	const execution = await ask(MESSAGE, REVIEW);
	expect([execution.status, engine.received()]).toEqual(['success', []]);
	expect(reasonIn(execution)).toContain("'Message' has [object Object] in it");
	expect((await ask(MESSAGE, { ...REVIEW, onError: 'stopWorkflow' })).status).toBe('error');
});

/** The message is as long as it may be with a sample link, but the real one is longer. */
it.each<[string, INodeParameters, number, IDataObject]>([
	['a template', TEMPLATE, 1024, { templateText: '{{1}} {{2}}' }],
	['a text', {}, 4096, {}],
])('%s: the limit of WhatsApp holds for the real link', async (_, parameters, longest, options) => {
	engine.publicUrl = 'https://n8n.example.com';
	const fits = longest - 'https://n8n.example.com/webhook-waiting/answer'.length - 1;
	const execution = await ask({ ...parameters, message: 'a'.repeat(fits) }, { options });
	expect(execution.words + execution.hints().join()).toMatch(
		new RegExp(`1[0-9]{3} characters|4[0-9]{3} characters`),
	);
	await approve(await ask({ ...parameters, message: 'a'.repeat(fits - 200) }, { options }));
});

/** A page that someone has opened, and pressing its buttons, also again. */
async function openPage(waiting: Execution, at = link()) {
	const opened = await waiting.open(at);
	const token = /name="token" value="([\w-]{22})"/.exec(opened.page)?.[1];
	return async (answer: string, status?: number) => {
		const { page, execution } = await waiting.open(at, { token, answer }, undefined, status);
		return [/Your answer:<[^>]*><[^>]*>([0-9:]+)/.exec(page)?.[1], execution?.status];
	};
}

it(
	'an answer counts once: who presses again on the same page sees it, ' + 'unless n8n rejected it',
	async () => {
		const waiting = await ask(choice('9:00', '10:00'));
		const press = await openPage(waiting);
		expect(await press('0', 409)).toEqual(['9:00', undefined]);
		expect(await press('0', 500)).toEqual(['9:00', undefined]);
		expect(await press('1')).toEqual(['10:00', 'success']);
		expect(await press('0')).toEqual(['10:00', undefined]);
		// There is one button to approve.
		const one = await ask();
		expect((await one.open(link(), { answer: '1' })).page).toContain('Answer again');
		const other = await ask(choice('9:00', '10:00'));
		expect((await other.open(link(), { answer: '0' })).execution?.status).toBe('success');
	},
);

it(
	'no one else reads an answer: for other pages of the same link, ' + 'the question is closed',
	async () => {
		const waiting = await ask(choice('9:00', '10:00'));
		const press = await openPage(waiting);
		const other = /value="([\w-]{22})"/.exec((await waiting.open(link())).page)![1];
		expect(await press('0')).toEqual(['9:00', 'success']);
		for (const token of [other, undefined, '', null, ['0'], {}]) {
			const { page, execution } = await waiting.open(link(), { token, answer: '0' });
			expect([page, execution]).toEqual([expect.stringContaining('open any more'), undefined]);
		}
	},
);

it('an answer without the token of a page counts, and is repeated to no one', async () => {
	const waiting = await ask(choice('9:00', '10:00'));
	const press = async () => await waiting.open(link(), { answer: '0' });
	expect((await press()).execution?.status).toBe('success');
	expect((await press()).page).toContain('open any more');
});

it(
	'in a loop, who answered one question sees the answer again while the next question waits, ' +
		'and no one else does',
	async () => {
		const waiting = await engine.run(looped({ parameters: ASK }, 1), TWO);
		const firstLink = link();
		const opened = (await waiting.open(firstLink)).page;
		const token = /name="token" value="([\w-]{22})"/.exec(opened)?.[1];
		const second = (await waiting.open(firstLink, { token, answer: '0' })).execution!;
		expect(second.status).toBe('waiting');
		const again = await second.open(firstLink, { token, answer: '0' });
		expect([again.page, again.execution]).toEqual([expect.stringContaining('Approve<'), undefined]);
		const other = await second.open(firstLink, { answer: '0' });
		expect([other.page, other.execution]).toEqual([
			expect.stringContaining('open any more'),
			undefined,
		]);
	},
);

it('a limited time begins when the message is accepted', async () => {
	const values = { limitType: 'afterTimeInterval', resumeAmount: 0.05, resumeUnit: 'minutes' };
	engine.faults({ what: 'rateLimit', retryAfter: 5, when: { nth: 1 } });
	const began = Date.now();
	const settings = { timezone: 'America/New_York' };
	const asks = { ...asking({ options: { limitWaitTime: { values } } }), settings };
	const waiting = await engine.run(asks, [ITEM]);
	expect(Number(waiting.run.waitTill) - began).toBeGreaterThanOrEqual(8000);
	// The time zone was chosen.
	expect(waiting.hints()).toEqual([]);
});

it('for a caller that waits, a second question is rejected; a skipped one is none', async () => {
	jest.spyOn(ExecuteContext.prototype, 'getMode').mockReturnValue('integrated');
	jest.spyOn(ExecuteContext.prototype, 'getExecutionDataById').mockImplementation(async (id) => {
		const parentExecution = { executionId: 'caller', workflowId: 'w' };
		return createRunExecutionData(id === 'caller' ? {} : { parentExecution });
	});
	engine.faults(rejects({ nth: 1 }));
	expect((await ask()).status).toBe('error');
	// No one was asked yet.
	expect((await ask()).status).toBe('waiting');
	expect((await ask()).words).toContain('already asked a question for an earlier item');
	for (const safeguards of [{ doNotContact: '1000' }, { dryRun: 'always' }])
		expect((await ask({}, { safeguards })).status).toBe('success');
	expect(engine.accepted()).toEqual(['1000']);
});

it('a rejected question, retried as a text: sent, and nothing is said of a link', async () => {
	engine.faults(rejects());
	const failed = await ask();
	engine.faults();
	const parameters = { operation: 'sendText', text: 'Hello' };
	const retried = await failed.retry(asking({ parameters }));
	expect([failed.status, retried.deliveries()]).toEqual(['error', ['accepted']]);
});

it('a question that is sent again has the same link, each run of a loop its own', async () => {
	engine.faults({ what: 'hang', afterAccept: true, when: { nth: 1 } });
	const resend = { options: { timeout: 1000 }, safeguards: { onUncertainDelivery: 'resend' } };
	await ask({}, { tries: 2, ...resend });
	await approveAll({}, TWO);
	const ids = engine.ledger
		.accepted()
		.map(({ body }) => /question=([\w-]{22})&/.exec(JSON.stringify(body))![1]);
	expect(ids[1]).toBe(ids[0]);
	expect(new Set(ids).size).toBe(3);
});

it('in a retry, a loop asks equal questions as often as the list has them', async () => {
	failing.times = 1;
	const flow = flows.afterSheet(looped({ parameters: ASK }, 1));
	let execution = await (await engine.run(flow, [ITEM, ITEM, ITEM])).retry();
	for (const asked of [1, 2, 3]) {
		expect([execution.status, engine.accepted().length]).toEqual(['waiting', asked]);
		execution = await approve(execution);
	}
});

it('a question by template: the options for templates apply', async () => {
	const options = { templateText: 'A question: {{1}} Answer: {{2}}', defaultCountry: 'DE' };
	const parameters = { ...TEMPLATE, customerPhone: '0151 23456789', message: 'Is it\nfine?' };
	const shown = async (more: INodeParameters, templateText: string) => {
		const spec = { options: { ...options, templateText }, safeguards: { dryRun: true } };
		return (await ask({ ...parameters, ...more }, spec)).json();
	};
	const request = { method: 'POST', body: { customer_phone: '+4915123456789' } };
	const text = expect.stringMatching(/A question: Is it fine\? Answer: [^?]*\/answer$/);
	expect(await shown({}, options.templateText)).toMatchObject([{ text, request }]);
	const short = await ask(parameters, { options: { ...options, templateText: 'A {{1}}' } });
	expect([short.words, engine.received()]).toEqual([expect.stringContaining('Template Text'), []]);
	const link = { text: expect.stringContaining('A https://') };
	expect(await shown({ templateContent: 'linkOnly' }, 'A {{1}}')).toMatchObject([link]);
});

type Asked = Pick<Row, 'safeguards' | 'items' | 'rules' | 'received' | 'ended' | 'words'>;
const NIGHT = { allowedHours: { window: { from: '08:00', until: '08:01', days: ['monday'] } } };
const UNANSWERED: FaultRule = { what: 'hang', afterAccept: true, when: { nth: 2 } };
const ANY = expect.anything();
const DRY = { dryRun: true, recipient: '1000', request: ANY, text: ANY };
const sendAfter = '2026-11-23T13:00:00.000Z';
const NOT_ASKED = failed({ delivery: 'notAttempted', code: 'outsideAllowedHours', sendAfter });

it.each<Asked>([
	{
		safeguards: { dryRun: true },
		items: [ITEM],
		rules: [],
		received: [],
		ended: [DRY],
		words: "The question wasn't sent",
	},
	{
		safeguards: NIGHT,
		items: [ITEM],
		rules: [],
		received: [],
		ended: [NOT_ASKED],
		words: 'About the message that asks',
	},
	{
		safeguards: { doNotContact: '1001' },
		items: TWO,
		rules: [],
		received: ['1000'],
		ended: [APPROVED, skipped('doNotContact')],
		words: 'The person who approves is on',
	},
	{
		safeguards: { testRecipient: '7' },
		items: [...TWO, ...TWO],
		rules: [],
		received: ['7', '7', '7'],
		ended: [APPROVED, APPROVED, APPROVED, skipped('testRun')],
		words: '',
	},
	{
		safeguards: { maxMessages: 1 },
		items: TWO,
		rules: [],
		received: ['1000'],
		ended: [APPROVED, failed({ code: 'listRejected' })],
		words: '',
	},
	{
		safeguards: { repeatedRecipients: 'sendFirst' },
		items: SAME,
		rules: [],
		received: ['1000'],
		ended: [APPROVED, skipped('repeatedRecipient')],
		words: 'The person who approves was already asked',
	},
	{
		safeguards: { repeatedRecipients: 'reject' },
		items: SAME,
		rules: [],
		received: ['1000'],
		ended: [APPROVED, failed({ code: 'repeatedRecipient' })],
		words: '',
	},
	{
		safeguards: { sendOnceKey: '={{ $json.customer }}' },
		items: SAME,
		rules: [],
		received: ['1000'],
		ended: [APPROVED, skipped('alreadySent')],
		words: 'This question was asked before',
	},
	{
		safeguards: {},
		items: SAME,
		rules: [UNANSWERED],
		received: ['1000', '1000'],
		ended: [APPROVED, failed({ delivery: 'uncertain' })],
		words: 'About the message that asks',
	},
])('$safeguards, over all questions: who is asked, and why no tool ran', async (row: Asked) => {
	const { safeguards, items, rules, received, ended, words } = row;
	for (const review of words ? [CONTINUE, REVIEW] : [CONTINUE]) {
		engine.reset();
		engine.faults(...rules);
		const execution = await approveAll({ ...review, safeguards }, items);
		expect([execution.status, engine.received()]).toEqual(['success', received]);
		const shown = execution.runs().map((run) => run.data?.main[0]?.[0].json);
		if (review === REVIEW) {
			expect(reasonIn(execution)).toContain(`so the tool didn't run. ${words}`);
			const { approved, chatInput, ...json } = shown.pop()!;
			expect([approved, chatInput]).toEqual([false, expect.any(String)]);
			shown.push(json);
		}
		expect(shown).toEqual(ended);
	}
});

it('a retry that asks again asks with a link to itself', async () => {
	const spec = (onUncertainDelivery: string): Sending => {
		return { tries: 2, options: { timeout: 1000 }, safeguards: { onUncertainDelivery } };
	};
	engine.faults({ what: 'hang', afterAccept: true, when: { nth: 1 } });
	const failed = await engine.run(asking(spec('doNotResend')), [ITEM]);
	expect(failed.words).toContain("wasn't sent again");
	expect([failed.status, engine.received()]).toEqual(['error', ['1000']]);
	const again = await failed.retry(asking(spec('resend')));
	expect([again.status, engine.received()]).toEqual(['waiting', ['1000', '1000']]);
	expect((await approve(again)).json()).toEqual([APPROVED]);
});

it('a Retry that is clicked twice, with another link each time, asks once', async () => {
	failing.times = 1;
	const asks = flows.sending({ parameters: ASK });
	const flow = flows.workflow([flows.START, node('Sheet', 'test.sheet'), asks]);
	const unread = await engine.run(flow, [ITEM]);
	const once = async (failed: Execution) => {
		expect(failed.status).toBe('error');
		engine.faults();
		engine.ledger.clear();
		expect((await failed.retry()).status).toBe('waiting');
		const second = await failed.retry();
		expect([second.status, second.json()]).toEqual(['success', [skipped('alreadySent')]]);
		expect(engine.received()).toEqual(['1000']);
	};
	await once(unread);
	engine.faults(rejects());
	await once(await engine.run(asking(), [ITEM]));
});

it(
	'human review: an agent reads which setting keeps the tool from running, and ' +
		'nothing that is in it',
	async () => {
		const safeguards = { doNotContact: 'Bo Diaz\nbo@example.com, 5550109999' };
		const execution = await ask({}, { ...REVIEW, safeguards });
		expect(reasonIn(execution)).toContain("'Do Not Contact' has a value that can't be used");
		expect(reasonIn(execution)).not.toMatch(/Diaz|example|5550109999/);
		expect(engine.received()).toEqual([]);
	},
);
