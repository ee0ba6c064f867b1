/**
 * A question, the page that its link opens, and the workflow that goes on with the answer; and an agent whose tool a
 * person approves. All rules and words are in test/engine/ask.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { poll } from '../../scripts/lib/child.cts';
import { AGENT, type Script } from '../n8n/agent.cts';
import { isAtLeast } from '../n8n/release.cts';
import {
	edit,
	graph,
	items,
	type Link,
	links,
	manualTrigger,
	node,
	outboundMessaging,
	webhook,
	type NodeDefinition,
} from '../n8n/workflow.cts';
import { launchBrowser } from '../ui/stage.cts';
import { inParallel, NODE, useOwnN8n } from './help.cts';

/**
 * Its links lead to itself: the signatures of older releases are for a host. The limit holds for published workflows
 * only, not for those that are started in the editor.
 */
const used = useOwnN8n({ env: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' } });

/** Human review came with n8n 2.x, and some of its releases lost what was approved. */
const hasReview = isAtLeast('2.36.0');

const ASK = {
	operation: 'sendAndWait',
	customerId: '={{ $json.customer }}',
	message: '={{ $json.text }}',
};
const TEXT = 'Does <Friday> suit you?';
/** An item whose fields look like an answer. */
const ITEM = { customer: '42', text: TEXT, approved: true, data: { approved: true } };
const APPROVAL = {
	responseType: 'approval',
	approvalOptions: { values: { approvalType: 'double' } },
};
const TEMPLATE = {
	sendAs: 'template',
	templateId: 'question',
	channelId: '7',
	customerPhone: '+12025550143',
};
const choices = (...labels: string[]) => ({
	responseType: 'choice',
	choices: { choice: labels.map((label) => ({ label })) },
});
const limited = (minutes: number) => ({
	limitWaitTime: {
		values: { limitType: 'afterTimeInterval', resumeAmount: minutes, resumeUnit: 'minutes' },
	},
});
const NOT_ASKED = { safeguards: { doNotContact: '7' } };
const RECORD = expect.objectContaining({ function_name: expect.any(String) });
const answered = (data: object) => ({
	data: { ...data, respondedAt: expect.any(String) },
	record: RECORD,
});

/** Who opens a link before a person does. */
const PREVIEWS = ['WhatsApp/2.23.20.0', 'facebookexternalhit/1.1', 'TelegramBot (like TwitterBot)'];

/** What n8n puts into a review. */
const SUGGESTED =
	'=The agent wants to run this tool: {{ $tool.name }}\n\nInput:\n{{ $tool.parameters }}';

interface Review extends Partial<Parameters<typeof used.saveAgent>[0]> {
	/** Options and safeguards of the question. */
	question?: object;
}

/** Asks, and waits until the execution waits for the answer. */
async function ask(parameters: object = {}, after: NodeDefinition[] = []) {
	const paired = edit('After', { text: "={{ $('Items').item.json.text }}" });
	const chain = [paired, ...after];
	const id = await used.save({ parameters: { ...ASK, ...parameters }, list: [ITEM], after: chain });
	const execution = await used.client.start(id);
	await used.waiting(execution);
	const link = used.links().at(-1)!;
	return {
		...{ id, execution, link },
		/** Presses a button, and waits for the end. */
		async answer(answer: string) {
			expect((await used.answer(link, answer)).status).toBe(200);
			return await used.client.waitForExecution(execution);
		},
	};
}

const open = async (link: string, agent = 'Mozilla/5.0 (iPhone)') =>
	await fetch(link, { headers: { 'user-agent': agent } });

test('previews answer nothing, a changed link neither, and a press counts', async () => {
	const { execution, link } = await ask(TEMPLATE);
	for (const agent of PREVIEWS) {
		const response = await open(link, agent);
		const page = await response.text();
		expect([response.status, page]).toEqual([200, expect.stringContaining('&#60;Friday&#62;')]);
		expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
	}
	for (const changed of [
		link.replace(/question=./, 'question=!'),
		link.replace(/.$/, '!'),
		link.replace(/&?signature=.*/, ''),
	]) {
		expect((await used.answer(changed, 'Approve')).status).toBe(401);
	}
	expect((await used.client.execution(execution)).status).toBe('waiting');

	expect((await used.answer(link, 'Approve')).status).toBe(200);
	const ended = await used.client.waitForExecution(execution);
	expect(ended.items(NODE)).toEqual([answered({ approved: true })]);
	expect(ended.items('After')).toEqual([{ text: TEXT }]);
	// Older releases need a moment until they know that it has ended.
	const isClosed = async () => (await (await open(link)).text()).includes('No action required');
	await poll(isClosed, { what: "n8n's page of an execution that has ended" });
	expect(used.requests()).toHaveLength(1);
});

const TO_EXECUTION = { customerId: '={{ $execution.id }}' };
const sends = (name: string, parameters: object) =>
	outboundMessaging({
		name,
		credentialId: used.credentialId,
		parameters: { ...ASK, ...TO_EXECUTION, message: name, ...parameters },
	});
const asks = (name: string) => sends(name, APPROVAL);
const texts = (text: string) => sends(text, { operation: 'sendText', text });
const wait = (unit: 'hours' | 'seconds', amount: number) =>
	node('Wait', 'n8n-nodes-base.wait', 1.1, { unit, amount }, { webhookId: randomUUID() });

/** Sends CONFIRMED or CANCELLED as the person answers, and then waits for two hours. */
function confirmed(from: NodeDefinition[]): [NodeDefinition[], Link[]] {
	const question = asks('Question');
	const isApproved = { leftValue: '={{ $json.data.approved }}', rightValue: true };
	const condition = { ...isApproved, operator: { type: 'boolean', operation: 'equals' } };
	const conditions = { options: { version: 2 }, combinator: 'and', conditions: [condition] };
	const branch = node('If', 'n8n-nodes-base.if', 2.2, { conditions });
	const [yes, no, end] = [texts('CONFIRMED'), texts('CANCELLED'), wait('hours', 2)];
	return [
		[...from, question, branch, yes, no, end],
		[
			...links([...from, question, branch, yes, end]),
			...links([branch, no, end], { output: 1 }).slice(0, 1),
			['CANCELLED', 'Wait'],
		],
	];
}

/** Asks one question after the other. */
function twoQuestions(from: NodeDefinition[]): [NodeDefinition[], Link[]] {
	const chain = [...from, asks('Question'), asks('Second'), wait('hours', 2)];
	return [chain, links(chain)];
}

/** Runs a node for each item of a list. */
function loop(
	from: NodeDefinition[],
	each = asks('Question'),
	list = items([{}, {}, {}]),
): [NodeDefinition[], Link[]] {
	const loop = node('Loop', 'n8n-nodes-base.splitInBatches', 3, {});
	const chain = [...from, list, loop];
	return [
		[...chain, each],
		[...links(chain), ['Loop', each.name, { output: 1 }], [each.name, 'Loop']],
	];
}

const press = async (link: string, position: string) => {
	const response = await used.post(link, position);
	return { status: response.status, page: await response.text() };
};
const YOU_SAID = /Your answer:<[^>]*><[^>]*>(\w+)/;

test.each([
	['the second answer of a confirmation', confirmed, ['Question', 'CONFIRMED|CANCELLED']],
	['the second of two questions', twoQuestions, ['Question', 'Second']],
	['the next question of a loop', loop, ['Question', 'Question']],
])('two presses at the same moment: %s is sent once', async (_, build, texts) => {
	const flow = graph('Pressed twice', ...build([manualTrigger()]));
	const { id } = await used.client.createWorkflow(flow);
	const wrong = await inParallel(Array.from({ length: 40 }), 4, async () => {
		const execution = await used.client.start(id);
		await poll(() => used.links(execution).length > 0, { what: 'the question' });
		await used.waiting(execution);
		const [link] = used.links(execution);
		const pages = await Promise.all(
			[0, 0, 5, 10, 20, 40].map(async (ms, at) => {
				await setTimeout(ms);
				return await press(link, String(at % 2));
			}),
		);
		await poll(
			() => used.accepted().filter(({ recipient }) => recipient === execution).length > 1,
			{ what: 'the next message' },
		);
		await used.waiting(execution);
		const sent = used.accepted().filter(({ recipient }) => recipient === execution);
		const said = pages.flatMap(({ page }) => YOU_SAID.exec(page)?.[1] ?? []);
		const isRight =
			sent.length === texts.length &&
			sent.every(({ body: { text } }, at) => new RegExp(`^(${texts[at]})`).test(text!)) &&
			new Set(said).size === 1;
		return isRight ? [] : [{ execution, pages, sent: sent.map(({ body }) => body.text) }];
	});
	expect(wrong.flat()).toEqual([]);
});

test('an answer that waits for a slot is the first one, and counts once', async () => {
	const [asking, other] = [randomUUID(), randomUUID()];
	const question = graph('Question', ...confirmed([webhook(asking)]));
	await used.client.publish(question);
	const chain = [webhook(other), wait('seconds', 6)];
	const busyId = await used.client.publish(graph('Busy', chain, links(chain)));
	await used.callWebhook(asking, {});
	const [link] = used.links();
	const busy = used.callWebhook(other, {});
	await poll(async () => (await used.client.executions(busyId))[0]?.status === 'running', {
		what: 'the slot to be taken',
	});
	const pages = await Promise.all(['0', '1', '0', '1'].map(async (at) => await press(link, at)));
	await busy;
	await poll(() => used.accepted().length > 1, { what: 'the answer to count' });
	await setTimeout(2000);
	const said = YOU_SAID.exec(pages[0].page)?.[1];
	const shown = pages.map(({ status, page }) => [status, YOU_SAID.exec(page)?.[1]]);
	expect(shown).toEqual(Array(4).fill([200, said]));
	const [, ...sent] = used.accepted().map(({ body }) => body.text);
	expect(sent).toEqual([said === 'Approve' ? 'CONFIRMED' : 'CANCELLED']);
});

test("the visitor of a Form Trigger can't approve: her own link of the execution doesn't have the question's secret", async () => {
	const form = { formTitle: 'Refund', formFields: { values: [{ fieldLabel: 'Why' }] } };
	const end = { operation: 'completion', completionTitle: 'Thanks' };
	const webhookId = randomUUID();
	const question = sends('Question', { ...APPROVAL, customerId: '7' });
	const chain = [
		node('Form', 'n8n-nodes-base.formTrigger', 2.2, form, { webhookId }),
		question,
		sends('REFUND', { operation: 'sendText', text: 'REFUND', customerId: '7' }),
		node('Thanks', 'n8n-nodes-base.form', 1, end, { webhookId: randomUUID() }),
	];
	await used.client.publish(graph('Refund', chain, links(chain)));
	const body = new FormData();
	body.append('field-0', 'Broken');
	const visit = await fetch(`${used.client.url}/form/${webhookId}`, { method: 'POST', body });
	const { formWaitingUrl } = (await visit.json()) as { formWaitingUrl: string };
	const { pathname, searchParams } = new URL(formWaitingUrl);
	const [execution, token] = [pathname.split('/').at(-1)!, searchParams.get('signature')];
	await used.waiting(execution);
	const way = `${used.client.url}/webhook-waiting/${execution}?signature=${token}/${question.id}`;
	for (const guess of ['', '&question=', '&question=0', `&question=${token}`]) {
		for (const page of [await open(way + guess), await used.post(way + guess, '0')]) {
			expect([page.status, await page.text()]).toEqual([
				200,
				expect.stringContaining('open any more'),
			]);
		}
	}
	expect((await used.client.execution(execution)).status).toBe('waiting');
	expect((await used.answer(used.links()[0], 'Approve')).status).toBe(200);
	await poll(() => used.accepted().length === 2, { what: 'the refund' });
});

/** A workflow that asks for each item of a list, in an execution of its own. */
async function caller(mode: 'each' | 'once', waitForSubWorkflow: boolean, isLoop: boolean) {
	const called = node('Called', 'n8n-nodes-base.executeWorkflowTrigger', 1.1, {
		inputSource: 'passthrough',
	});
	const asked = sends('Question', { customerId: '={{ $json.customer }}' });
	const id = await used.client.publish(graph('Asks', [called, asked], links([called, asked])));
	const list = items([{ customer: '41' }, { customer: '43' }]);
	const workflowId = { __rl: true, mode: 'id', value: id };
	const parameters = { workflowId, mode, options: { waitForSubWorkflow } };
	const call = node('Call', 'n8n-nodes-base.executeWorkflow', 1.2, parameters);
	const chain = [manualTrigger(), list, call];
	const flow = isLoop ? loop([chain[0]], call, list) : ([chain, links(chain)] as const);
	const { id: callerId } = await used.client.createWorkflow(graph('Calls', ...flow));
	return await used.client.start(callerId);
}

test('sub-workflows: a caller that waits for all of them can only have one question', async () => {
	const ended = await used.client.waitForExecution(await caller('each', true, false));
	expect([ended.status, used.recipients()]).toEqual(['error', ['41']]);
	expect(JSON.stringify(ended.stored)).toContain("turn off 'Wait For Sub-Workflow Completion'");

	const waiting = await caller('each', false, false);
	expect((await used.client.waitForExecution(waiting)).status).toBe('success');
	await poll(() => used.recipients().length === 3, { what: 'both questions' });
	for (const link of used.links()) expect((await used.answer(link, 'Approve')).status).toBe(200);
});

test('sub-workflows: a caller that waits in a loop asks one after the other', async () => {
	const execution = await caller('once', true, true);
	for (const [at, customer] of ['41', '43'].entries()) {
		await poll(() => used.links().length > at, { what: `question ${at}` });
		await used.waiting(execution);
		expect(used.recipients()[at]).toBe(customer);
		expect((await used.answer(used.links()[at], 'Approve')).status).toBe(200);
	}
	const ended = await used.client.waitForExecution(execution);
	const both = [answered({ approved: true }), answered({ approved: true })];
	expect([ended.status, ended.items('Loop', { run: 2 })]).toEqual(['success', both]);
});

test('two executions at once, in n8n that is stopped and started while they wait', async () => {
	const one = await ask(choices('9:00', '10:00'));
	const other = await ask(choices('9:00', '10:00'));
	await used.n8n.restart();
	const answers = [await other.answer('10:00'), await one.answer('9:00')];
	expect(answers.map((ended) => ended.items(NODE))).toEqual([
		[answered({ choice: '10:00', choiceIndex: 1 })],
		[answered({ choice: '9:00', choiceIndex: 0 })],
	]);
});

test('the time is up: an earlier approval in the input does not come out, and an agent reads why its tool did not run', async () => {
	const { execution, link } = await ask({ options: limited(0.05) });
	const late = hasReview ? await review({ question: { options: limited(0.05) } }) : undefined;
	const ended = await used.client.waitForExecution(execution);
	expect(ended.items(NODE)).toEqual([{ data: { timedOut: true }, record: RECORD }]);
	expect(ended.items('After')).toEqual([{ text: TEXT }]);
	expect(await (await open(link)).text()).toContain('No action required');
	if (!late) return;
	const [{ output }] = (await used.client.waitForExecution(late)).items(AGENT);
	expect(output).toContain('The time for the answer is up');
	expect(used.recipients()).toEqual(['42', '7']);
});

test('a retry of an execution that failed after the answer goes on with the answer', async () => {
	const fails = node('Fails', 'n8n-nodes-base.stopAndError', 1, { errorMessage: 'No room' });
	const asked = await ask({ responseType: 'freeText' }, [fails]);
	expect((await asked.answer('Monday')).status).toBe('error');
	expect((await open(asked.link)).status).toBe(409);
	const retried = await used.client.retry(asked.execution);
	expect([retried.status, retried.items(NODE)]).toEqual(['error', [answered({ text: 'Monday' })]]);
	expect(used.requests()).toHaveLength(1);
});

// How it looks, and what a double tap does, is in test/ui/page.
test.each([true, false])(
	'in a browser, with scripts: %j, the page keeps what was typed, and takes the answer',
	async (javaScriptEnabled) => {
		const browser = await launchBrowser();
		try {
			const { execution, link } = await ask({ responseType: 'freeText' });
			const page = await browser.newPage({ javaScriptEnabled });
			await page.goto(link);
			const button = page.getByRole('button', { name: 'Send' });
			const field = page.getByRole('textbox', { name: TEXT });
			await field.fill('\u200b');
			await button.click();
			await page.getByRole('alert').waitFor();
			expect(await field.inputValue()).toBe('\u200b');
			await field.fill('<b>Monday</b>');
			await button.click();
			const words = 'Thank you. Your answer:<b>Monday</b>';
			await page.getByRole('status').filter({ hasText: words }).waitFor();
			const ended = await used.client.waitForExecution(execution);
			expect(ended.items(NODE)).toEqual([answered({ text: '<b>Monday</b>' })]);
		} finally {
			await browser.close();
		}
	},
);

const LIST: Review = {
	list: ['41', '42', '43'].map((customerId) => ({ customerId })),
	prompt: '={{ $json.customerId }}',
};
const BY_ITEM: Review = { ...LIST, tool: { parameters: { customerId: LIST.prompt } } };
const THREE = ['Approve', 'Approve', 'Approve'];

const describeReviews = hasReview ? describe : () => {};

describeReviews('human review', () => {
	test.each<[string, Review, answers: string[], recipients: string[], read: RegExp]>([
		['approved: sent', {}, ['Approve'], ['7', '42'], /"success":true/],
		['declined: not sent', {}, ['Decline'], ['7'], /rejected/],
		['not asked: not sent', { question: NOT_ASKED }, [], [], /'Do Not Contact' list/],
		["n8n's own message: not asked", { question: { message: SUGGESTED } }, [], [], /object Object/],
		["agent 2.2 doesn't ask and sends nothing", { version: 2.2 }, [], [], /^$/],
		['approved for each item', LIST, THREE, ['7', '7', '7', '41', '42', '43'], /"success":true/],
		['the item says who', BY_ITEM, THREE, ['7', '7', '7'], /\$fromAI\(\)/],
	])('%s', async (_, how, answers, recipients, read) => {
		const execution = await review(how);
		for (const [index, answer] of answers.entries()) {
			const link = await nextLink(execution, index);
			expect((await used.answer(link, answer)).status).toBe(200);
		}
		const ended = await used.client.waitForExecution(execution);
		const output = expect.stringMatching(read) as string;
		expect(ended.items(AGENT)).toEqual((how.list ?? [{}]).map(() => ({ output })));
		expect(used.recipients()).toEqual(recipients);
		if (answers.length > 0) {
			expect(used.accepted()[0].body.text).toMatch(/{"customer_id":"4[12]","text":"Hello"}/);
		}
		// A button that is pressed again does nothing.
		for (const link of used.links('7')) expect((await used.answer(link, 'Approve')).ok).toBe(true);
		expect(used.requests()).toHaveLength(recipients.length);
	});

	test('two calls in one turn are two questions, each with a link of its own', async () => {
		const execution = await review({ script: [gated('42', '43')] });
		const first = await nextLink(execution, 0);
		expect((await used.answer(first, 'Approve')).status).toBe(200);
		const second = await nextLink(execution, 1);
		expect(await (await used.post(first, '0')).text()).toContain('Thank you');
		expect(await (await open(first)).text()).toContain('open any more');
		expect((await used.answer(second, 'Approve')).status).toBe(200);
		await used.client.waitForExecution(execution);
		expect(used.recipients()).toEqual(['7', '7', '42', '43']);
	});
});

/** A turn with a call for each of the customers, which a person has to approve. */
const gated = (...customers: string[]) => ({
	calls: customers.map((customer_id) => {
		return { toolParameters: { customer_id, text: 'Hello' }, hitlParameters: {} };
	}),
});

/** Starts an agent that sends to the customer of its prompt, once a person, customer 7, has approved. */
async function review({ question, ...agent }: Review = {}) {
	const approval = outboundMessaging({
		name: 'Review',
		as: 'HitlTool',
		credentialId: used.credentialId,
		parameters: {
			operation: 'sendAndWait',
			responseType: 'approval',
			message: SUGGESTED.replace('$tool.parameters', 'JSON.stringify($tool.parameters)'),
			customerId: '7',
			approvalOptions: { values: { approvalType: 'double' } },
			...question,
		},
	});
	const script: Script = ({ prompt: customer, answers }) =>
		answers.length === 0 ? gated(customer) : { text: answers.join() };
	const { id } = await used.saveAgent({ script, prompt: '42', approval, ...agent });
	return await used.client.start(id);
}

/** The link of a question, once the execution waits for its answer. */
async function nextLink(execution: string, index: number) {
	await poll(() => used.links('7').length > index, { what: `question ${index + 1}` });
	await used.waiting(execution);
	return used.links('7')[index];
}
