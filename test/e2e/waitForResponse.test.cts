/**
 * A question, the page that its link opens, and the workflow that goes on with the answer; and an
 * agent whose tool a person approves. All rules and words are in test/engine/ask.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { poll } from '../../scripts/lib/child.cts';
import { AGENT } from '../n8n/agent.cts';
import { isAtLeast } from '../n8n/release.cts';
import * as builders from '../n8n/workflow.cts';
import { launchBrowser } from '../ui/stage.cts';
import { forEach, inParallel, NODE, useOwnN8n } from './help.cts';

const { links, node, workflow } = builders;

/**
 * Its links lead to itself: the signatures of older releases are for a host. The limit holds for
 * published workflows only, not for those that are started in the editor. The examples have
 * n8n's usual endpoint.
 */
const env = { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1', N8N_ENDPOINT_WEBHOOK_WAIT: 'hooks/wait' };
const used = useOwnN8n({ env });

const TEXT = 'Does <Friday> suit you?';
const ASK = { operation: 'sendAndWait', customerId: '42', message: TEXT };
/** An item whose fields look like an answer. */
const ITEM = { text: TEXT, approved: true, data: { approved: true } };
const APPROVAL = { approvalOptions: { values: { approvalType: 'double' } } };
const TEMPLATE = {
	...{ sendAs: 'template', templateId: 'question', channelId: '7' },
	customerPhone: '+12025550143',
};
const CHOICE = {
	responseType: 'choice',
	choices: { choice: ['9:00', '10:00'].map((label) => ({ label })) },
};
const THREE_SECONDS = { resumeAmount: 0.05, resumeUnit: 'minutes' };
const LIMITED = { limitWaitTime: { values: { limitType: 'afterTimeInterval', ...THREE_SECONDS } } };
const RECORD = expect.objectContaining({ function_name: expect.any(String) });
const respondedAt = expect.any(String) as string;
const answered = (data: object) => ({ data: { ...data, respondedAt }, record: RECORD });

/** Who opens a link before a person does. */
const PREVIEWS = ['WhatsApp/2.23.20.0', 'facebookexternalhit/1.1', 'TelegramBot (like TwitterBot)'];

/** Asks, and waits until the execution waits for the answer. */
async function ask(parameters: object = {}) {
	const after = [builders.edit('After', { text: "={{ $('Items').item.json.text }}" })];
	const id = await used.save({ parameters: { ...ASK, ...parameters }, list: [ITEM], after });
	const execution = await used.client.start(id);
	await used.waiting(execution);
	return { execution, link: used.links().at(-1)! };
}

const open = async (link: string, agent = 'Mozilla/5.0 (iPhone)') =>
	await fetch(link, { headers: { 'user-agent': agent } });

// How the page looks, and what a double tap does, is in test/ui/page.
test('neither a preview nor a changed link answers; the page keeps what was typed', async () => {
	const { execution, link } = await ask({ ...TEMPLATE, responseType: 'freeText' });
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
		expect((await used.post(changed, 'Monday')).status).toBe(401);
	}
	expect((await used.client.execution(execution)).status).toBe('waiting');

	const browser = await launchBrowser();
	try {
		const page = await browser.newPage();
		await page.goto(link);
		const field = page.getByRole('textbox', { name: TEXT });
		const send = async (text: string) => {
			await field.fill(text);
			await page.getByRole('button', { name: 'Send' }).click();
		};
		await send('\u200b');
		await page.getByRole('alert').waitFor();
		expect(await field.inputValue()).toBe('\u200b');
		await send('<b>Monday</b>');
		const words = 'Thank you. Your answer:<b>Monday</b>';
		await page.getByRole('status').filter({ hasText: words }).waitFor();
	} finally {
		await browser.close();
	}
	const ended = await used.client.waitForExecution(execution);
	expect(ended.items(NODE)).toEqual([answered({ text: '<b>Monday</b>' })]);
	expect(ended.items('After')).toEqual([{ text: TEXT }]);
	// Older releases need a moment until they know that it has ended.
	const isClosed = async () => (await (await open(link)).text()).includes('No action required');
	await poll(isClosed, { what: "n8n's page of an execution that has ended" });
	expect(used.requests()).toHaveLength(1);
});

const sends = (name: string, parameters: object, as?: 'HitlTool') =>
	builders.outboundMessaging({ name, credentialId: used.credentialId, parameters, as });
const CLOSED = expect.stringContaining('open any more') as string;
const YOU_SAID = /Your answer:<[^>]*><[^>]*>(\w+)/;

const wait = (unit: string, amount: number) =>
	node('Wait', 'n8n-nodes-base.wait', 1.1, { unit, amount }, { webhookId: randomUUID() });

/** Sends the answer as a text, and then waits for two hours. */
function replying(trigger: builders.NodeDefinition) {
	const customerId = '={{ $execution.id }}';
	const text = "={{ $json.data.approved ? 'Approve' : 'Decline' }}";
	return workflow('Replying', [
		trigger,
		sends('Question', { ...ASK, ...APPROVAL, customerId }),
		sends('Reply', { operation: 'sendText', customerId, text }),
		wait('hours', 2),
	]);
}

test('presses at the same moment: one counts, and what follows is sent once', async () => {
	const { id } = await used.client.createWorkflow(replying(builders.manualTrigger()));
	await inParallel(Array.from({ length: 40 }), 4, async () => {
		const execution = await used.client.start(id);
		await used.waiting(execution);
		const [link] = used.links(execution);
		const pages = await Promise.all(
			[0, 0, 5, 10, 20, 40].map(async (ms, at) => {
				await setTimeout(ms);
				return await (await used.post(link, String(at % 2))).text();
			}),
		);
		const sent = () => used.accepted().filter(({ recipient }) => recipient === execution);
		await poll(() => sent().length > 1, { what: 'the reply' });
		await used.waiting(execution);
		const said = new Set(pages.flatMap((page) => YOU_SAID.exec(page)?.[1] ?? []));
		const [, ...replies] = sent().map(({ body }) => body.text);
		expect(replies).toEqual([...said]);
	});
});

test('an answer that waits for a slot is the first one, and counts once', async () => {
	const [asking, other] = [randomUUID(), randomUUID()];
	await used.client.publish(replying(builders.webhook(asking)));
	const occupying = workflow('Busy', [builders.webhook(other), wait('seconds', 6)]);
	const busyId = await used.client.publish(occupying);
	// Whoever calls it could be anyone, so there's no record.
	expect((await used.callWebhook(asking, {})).body).toEqual([{ data: { waiting: true } }]);
	const [link] = used.links();
	const busy = used.callWebhook(other, {});
	await poll(async () => (await used.client.executions(busyId))[0]?.status === 'running', {
		what: 'the slot to be taken',
	});
	const press = async (at: string) => await (await used.post(link, at)).text();
	const pages = await Promise.all(['0', '1', '0', '1'].map(press));
	await busy;
	await poll(() => used.accepted().length > 1, { what: 'the answer to count' });
	await setTimeout(2000);
	const [, ...replies] = used.accepted().map(({ body }) => body.text);
	expect(replies).toHaveLength(1);
	expect(pages.map((page) => YOU_SAID.exec(page)?.[1])).toEqual(Array(4).fill(replies[0]));
});

test("a Form Trigger's visitor can't approve: her link lacks the question's secret", async () => {
	const form = { formTitle: 'Refund', formFields: { values: [{ fieldLabel: 'Why' }] } };
	const end = { operation: 'completion', completionTitle: 'Thanks' };
	const webhookId = randomUUID();
	const question = sends('Question', { ...ASK, ...APPROVAL });
	const chain = [
		node('Form', 'n8n-nodes-base.formTrigger', 2.2, form, { webhookId }),
		question,
		sends('REFUND', { operation: 'sendText', text: 'REFUND', customerId: '42' }),
		node('Thanks', 'n8n-nodes-base.form', 1, end, { webhookId: randomUUID() }),
	];
	await used.client.publish(workflow('Refund', chain));
	const body = new FormData();
	body.append('field-0', 'Broken');
	const visit = await fetch(`${used.client.url}/form/${webhookId}`, { method: 'POST', body });
	const { formWaitingUrl } = (await visit.json()) as { formWaitingUrl: string };
	const { pathname, searchParams } = new URL(formWaitingUrl);
	const [execution, token] = [pathname.split('/').at(-1)!, searchParams.get('signature')];
	await used.waiting(execution);
	const way = `${used.client.url}/hooks/wait/${execution}?signature=${token}/${question.id}`;
	for (const guess of ['', '&question=', '&question=0', `&question=${token}`]) {
		for (const page of [await open(way + guess), await used.post(way + guess, '0')]) {
			expect([page.status, await page.text()]).toEqual([200, CLOSED]);
		}
	}
	expect((await used.client.execution(execution)).status).toBe('waiting');
	expect((await used.answer(used.links()[0], 'Approve')).status).toBe(200);
	await poll(() => used.accepted().length === 2, { what: 'the refund' });
});

// What else a caller can be is in test/unit/waitForResponse.
test('sub-workflows: a caller that waits for all of them can only have one question', async () => {
	const source = { inputSource: 'passthrough' };
	const called = node('Called', 'n8n-nodes-base.executeWorkflowTrigger', 1.1, source);
	const value = await used.client.publish(workflow('Asks', [called, sends('Question', ASK)]));
	const workflowId = { __rl: true, mode: 'id', value };
	const call = async (mode: 'each' | 'once', batchSize: number, waitForSubWorkflow: boolean) => {
		const parameters = { workflowId, mode, options: { waitForSubWorkflow } };
		const calls = node('Call', 'n8n-nodes-base.executeWorkflow', 1.2, parameters);
		const loop = node('Loop', 'n8n-nodes-base.splitInBatches', 3, { batchSize });
		const list = [builders.manualTrigger(), builders.items([ITEM, ITEM]), loop];
		const turns = [...links([loop, calls], { output: 1 }), ...links([calls, loop])];
		const calling = builders.graph('Calls', [...list, calls], [...links(list), ...turns]);
		return await used.client.run((await used.client.createWorkflow(calling)).id);
	};
	const ended = await call('each', 2, true);
	expect([ended.status, used.requests().length]).toEqual(['error', 1]);
	expect(JSON.stringify(ended.stored)).toContain("turn off 'Wait For Sub-Workflow Completion'");
	// What n8n 3 has instead of that mode.
	expect((await call('once', 1, false)).status).toBe('success');
	await poll(() => used.links().length === 3, { what: 'both questions' });
});

test('two executions at once, in n8n that is stopped and started while they wait', async () => {
	const asked = [await ask(CHOICE), await ask(CHOICE)];
	await used.n8n.kill('SIGTERM');
	await used.n8n.start();
	for (const [choiceIndex, choice] of ['9:00', '10:00'].entries()) {
		const { execution, link } = asked[choiceIndex];
		expect((await used.answer(link, choice)).status).toBe(200);
		const ended = await used.client.waitForExecution(execution);
		expect(ended.items(NODE)).toEqual([answered({ choice, choiceIndex })]);
	}
});

/** An agent, and the options of the question. */
type Review = Partial<Parameters<typeof used.saveAgent>[0]> & { question?: object };

/** A turn with a call for each of the customers, which a person has to approve. */
const gated = (...customers: string[]) => ({
	calls: customers.map((customer_id) => {
		return { toolParameters: { customer_id, text: 'Hello' }, hitlParameters: {} };
	}),
});
const LIST = forEach(['41', '42', '43']);
const BY_ITEM: Review = { ...LIST, tool: { parameters: { customerId: LIST.prompt } } };
const THREE = ['Approve', 'Approve', 'Approve'];
const TWO_CALLS: Review = { script: [gated('42', '43')] };

// Human review came with n8n 2.x, and some of its releases lost what was approved.
const describeReviews = isAtLeast('2.36.0') ? describe : () => {};

describeReviews('human review', () => {
	test.each<[string, Review, answers: string[], recipients: string[], read: RegExp]>([
		['declined: not sent', {}, ['Decline'], ['7'], /rejected/],
		['too late: not sent', { question: { options: LIMITED } }, [], ['7'], /The time .* is up/],
		["agent 2.2 doesn't ask and sends nothing", { version: 2.2 }, [], [], /^$/],
		['approved for each item', LIST, THREE, ['7', '7', '7', '41', '42', '43'], /"success":true/],
		['the item says who', BY_ITEM, THREE, ['7', '7', '7'], /\$fromAI\(\)/],
		['two calls in one turn', TWO_CALLS, THREE.slice(1), ['7', '7', '42', '43'], /^Done/],
	])('%s', async (_, { question, ...agent }, answers, recipients, read) => {
		const message =
			'=The agent wants to run: {{ $tool.name }}\n\n{{ JSON.stringify($tool.parameters) }}';
		const parameters = { ...ASK, ...APPROVAL, message, customerId: '7', ...question };
		const approval = sends('Review', parameters, 'HitlTool');
		const { id } = await used.saveAgent({ script: gated, prompt: '42', approval, ...agent });
		const execution = await used.client.start(id);
		for (const [index, answer] of answers.entries()) {
			await poll(() => used.links('7').length > index, { what: `question ${index + 1}` });
			await used.waiting(execution);
			expect((await used.answer(used.links('7')[index], answer)).status).toBe(200);
		}
		const ended = await used.client.waitForExecution(execution);
		const output = expect.stringMatching(read) as string;
		expect(ended.items(AGENT)).toEqual((agent.list ?? [{}]).map(() => ({ output })));
		expect(used.recipients()).toEqual(recipients);
		if (recipients.length > 0)
			expect(used.accepted()[0].body.text).toMatch(/{"customer_id":"4[12]","text":"Hello"}/);
		// A button that is pressed again does nothing.
		for (const link of used.links('7')) expect((await used.post(link, '0')).ok).toBe(true);
		expect(used.requests()).toHaveLength(recipients.length);
	});
});
