/**
 * A question, the page that its link opens, and the workflow that goes on with the answer; and an agent whose tool a
 * person approves. All rules and words are in test/engine/ask.
 */
import { poll } from '../../scripts/lib/child.cts';
import { AGENT } from '../n8n/agent.cts';
import type { Instance } from '../n8n/instance.cts';
import { isAtLeast } from '../n8n/release.cts';
import { edit, node, outboundMessaging, type NodeDefinition } from '../n8n/workflow.cts';
import { launchBrowser } from '../ui/stage.cts';
import { NODE, useOwnN8n } from './help.cts';

/** Its links lead to itself: the signatures of older releases are for a host. */
const used = useOwnN8n();

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
const RECORD = expect.objectContaining({ function_name: expect.any(String) });
const answered = (data: object) => ({
	data: { ...data, respondedAt: expect.any(String) },
	record: RECORD,
});

/** Who opens a link before a person does. */
const PREVIEWS = [
	'WhatsApp/2.23.20.0',
	'facebookexternalhit/1.1',
	'TelegramBot (like TwitterBot)',
	'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
];

async function ask(parameters: object = {}, after: NodeDefinition[] = [], item: object = ITEM) {
	const paired = edit('After', { text: "={{ $('Items').item.json.text }}" });
	const chain = [paired, ...after];
	const id = await used.save({ parameters: { ...ASK, ...parameters }, list: [item], after: chain });
	const execution = await used.client.start(id);
	await used.waiting(execution);
	return { execution, link: used.links().at(-1)! };
}

const open = async (link: string, agent = 'Mozilla/5.0 (iPhone)') =>
	await fetch(link, { headers: { 'user-agent': agent } });
const press = async (link: string, answer: string) =>
	await fetch(link, { method: 'POST', body: new URLSearchParams({ answer }) });

test('previews answer nothing, a changed link neither, and of two presses the first one counts', async () => {
	const { execution, link } = await ask(TEMPLATE);
	for (const agent of PREVIEWS) {
		const response = await open(link, agent);
		const page = await response.text();
		expect([response.status, page]).toEqual([200, expect.stringContaining('&#60;Friday&#62;')]);
		expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
	}
	for (const changed of [
		link.replace(/question=0/, 'question=1'),
		link.replace(/.$/, '!'),
		link.replace(/&?signature=.*/, ''),
	]) {
		expect((await press(changed, 'Approve')).status).toBe(401);
	}
	const invalid = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' };
	expect((await fetch(link, invalid)).status).toBeGreaterThanOrEqual(400);
	expect((await fetch(link, { method: 'POST', body: new FormData() })).status).toBe(200);
	expect((await used.client.execution(execution)).status).toBe('waiting');

	const pressed = await Promise.all([press(link, 'Approve'), press(link, 'Approve')]);
	const statuses = pressed.map(({ status }) => status).sort();
	expect(statuses[0]).toBe(200);
	// Older releases answer both of them alike.
	if (isAtLeast('2.36.0')) expect(statuses[1]).toBeGreaterThan(200);
	const ended = await used.client.waitForExecution(execution);
	expect(ended.items(NODE)).toEqual([answered({ approved: true })]);
	expect(ended.items('After')).toEqual([{ text: TEXT }]);
	// Older releases need a moment until they know that it has ended.
	const isClosed = async () => (await (await open(link)).text()).includes('No action required');
	await poll(isClosed, { what: "n8n's page of an execution that has ended" });
	expect(used.requests()).toHaveLength(1);
});

test('two executions at once, in n8n that is stopped and started while they wait', async () => {
	const one = await ask(choices('9:00', '10:00'));
	const other = await ask(choices('9:00', '10:00'));
	await (used.n8n as Instance).restart();
	expect((await press(other.link, '10:00')).status).toBe(200);
	expect((await press(one.link, '9:00')).status).toBe(200);
	for (const [{ execution }, choice] of [
		[one, '9:00'],
		[other, '10:00'],
	] as const) {
		const ended = await used.client.waitForExecution(execution);
		expect(ended.items(NODE)).toEqual([answered({ choice })]);
	}
});

test('the time is up: an earlier approval in the input does not come out, and an agent reads why its tool did not run', async () => {
	const { execution, link } = await ask({ options: limited(0.05) });
	const late = hasReview ? await review({ question: { options: limited(0.05) } }) : undefined;
	const ended = await used.client.waitForExecution(execution);
	expect(ended.items(NODE)).toEqual([{ data: { timedOut: true }, record: RECORD }]);
	expect(ended.items('After')).toEqual([{ text: TEXT }]);
	expect(await (await open(link)).text()).toContain('No action required');
	if (!late) return;
	await used.client.waitForExecution(late.execution);
	expect(late.model.answers().join()).toContain('The time for the answer is up');
	expect(used.recipients()).toEqual(['42', '7']);
});

test('safeguards that count, and a Send Once Key: each question is asked once', async () => {
	const counted = { maxMessages: 1, repeatedRecipients: 'sendFirst', stopAfterFailures: 1 };
	const tested = await ask({ safeguards: { ...counted, testRecipient: '7' } });
	expect((await press(tested.link, 'Approve')).status).toBe(200);
	const { items } = await used.client.waitForExecution(tested.execution);
	expect(items(NODE)).toEqual([answered({ approved: true })]);
	expect(used.recipients()).toEqual(['7']);

	const safeguards = { ...counted, sendOnceKey: '={{ $json.text }}' };
	const id = await used.save({ parameters: { ...ASK, safeguards }, list: [ITEM] });
	const first = await used.client.start(id);
	await used.waiting(first);
	const again = await used.client.run(id);
	expect(again.items(NODE)).toMatchObject([{ skipped: true, reason: 'alreadySent' }]);
	expect((await press(used.links('42')[0], 'Approve')).status).toBe(200);
	expect((await used.client.waitForExecution(first)).items(NODE)).toHaveLength(1);
	expect(used.recipients()).toEqual(['7', '42']);
});

test('a retry of an execution that failed after the answer goes on with the answer', async () => {
	const fails = node('Fails', 'n8n-nodes-base.stopAndError', 1, { errorMessage: 'No room' });
	const { execution, link } = await ask({ responseType: 'freeText' }, [fails]);
	expect((await press(link, 'Monday')).status).toBe(200);
	const failed = await used.client.waitForExecution(execution);
	expect(failed.status).toBe('error');
	expect((await open(link)).status).toBe(409);
	const retried = await used.client.retry(execution);
	expect([retried.status, retried.items(NODE)]).toEqual(['error', [answered({ text: 'Monday' })]]);
	expect(used.requests()).toHaveLength(1);
});

test('on a phone: the page reads well, in light and dark, and takes a typed answer', async () => {
	const browser = await launchBrowser();
	try {
		for (const colorScheme of ['light', 'dark'] as const) {
			const { execution, link } = await ask({ responseType: 'freeText' });
			const context = await browser.newContext({
				viewport: { width: 360, height: 640 },
				javaScriptEnabled: false,
				isMobile: true,
				colorScheme,
			});
			const page = await context.newPage();
			await page.goto(link);
			const text = page.getByText(TEXT);
			expect(await text.isVisible()).toBe(true);
			expect(await page.locator('script, link, img').count()).toBe(0);
			const { width } = (await page.locator('html').boundingBox())!;
			expect(width).toBeLessThanOrEqual(360);
			const button = page.getByRole('button', { name: 'Send' });
			expect((await button.boundingBox())!.height).toBeGreaterThanOrEqual(44);
			await page.getByLabel('Your answer').fill('<b>Monday</b>');
			await button.click();
			await page.getByText('Thank you').waitFor();
			expect(await page.getByText('<b>Monday</b>').isVisible()).toBe(true);
			await context.close();
			const ended = await used.client.waitForExecution(execution);
			expect(ended.items(NODE)).toEqual([answered({ text: '<b>Monday</b>' })]);
		}
	} finally {
		await browser.close();
	}
});

const describeReviews = hasReview ? describe : () => {};

describeReviews('human review', () => {
	test.each([
		['Approve', ['42'], /"success":true/],
		['Decline', [], /rejected/],
	])('%s', async (answer, recipients, read) => {
		const { execution, model } = await review();
		const ended = await decide(execution, answer);
		expect(ended.items(AGENT)).toMatchObject([{ output: 'Done.' }]);
		expect(model.answers().join()).toMatch(read);
		expect(used.recipients()).toEqual(['7', ...recipients]);
		expect((await press(used.links('7')[0], answer)).status).toBe(200);
		expect(used.requests()).toHaveLength(1 + recipients.length);
	});

	test('two calls in one turn are two questions, each with a link of its own', async () => {
		const { execution } = await review({ script: [gated('42', '43')] });
		await used.waiting(execution);
		const [first] = used.links('7');
		expect((await press(first, 'Approve')).status).toBe(200);
		await poll(() => used.links('7').length === 2, { what: 'the second question' });
		await used.waiting(execution);
		expect(await (await press(first, 'Approve')).text()).toContain('open any more');
		expect((await press(used.links('7')[1], 'Approve')).status).toBe(200);
		await used.client.waitForExecution(execution);
		expect(used.recipients()).toEqual(['7', '7', '42', '43']);
	});

	test('what is not asked is not approved, and the agent reads why', async () => {
		const { execution, model } = await review({ question: { safeguards: { doNotContact: '7' } } });
		await used.client.waitForExecution(execution);
		expect(model.answers().join()).toContain("'Do Not Contact' list");
		expect(used.requests()).toEqual([]);
	});

	test("agent 2.2 doesn't ask and sends nothing", async () => {
		const { execution } = await review({ version: 2.2 });
		await used.client.waitForExecution(execution);
		expect(used.requests()).toEqual([]);
	});

	const CUSTOMER = '={{ $json.customerId }}';
	const FOR_EACH: Partial<Review> = {
		list: ['41', '42', '43'].map((customerId) => ({ customerId })),
		prompt: CUSTOMER,
		script: ({ prompt: customer, answers }) =>
			answers.length === 0 ? gated(customer) : { text: answers.join() },
	};
	const [done, again, unsafe] = ['"success":true', '"alreadySent":true', '$fromAI()'];
	test.each([
		['n8n runs the first call: the others don’t get its message', {}, ['41'], [done, again, again]],
		[
			'the item can’t say who gets the message',
			{ customerId: CUSTOMER },
			[],
			[unsafe, unsafe, unsafe],
		],
	])('approved for each item: %s', async (_, parameters, recipients, read) => {
		const { execution } = await review({ ...FOR_EACH, tool: { parameters } });
		const ended = await decide(execution, 'Approve', 'Approve', 'Approve');
		expect(used.recipients().filter((recipient) => recipient !== '7')).toEqual(recipients);
		expect(ended.items(AGENT)).toEqual(
			read.map((words) => ({ output: expect.stringContaining(words) as string })),
		);
	});
});

/** A turn with a call for each of the customers, which a person has to approve. */
const gated = (...customers: string[]) => ({
	calls: customers.map((customer_id) => {
		return { toolParameters: { customer_id, text: 'Hello' }, hitlParameters: {} };
	}),
});

interface Review extends Partial<Parameters<typeof used.saveAgent>[0]> {
	/** Options and safeguards of the question. */
	question?: object;
}

/** Starts an agent that calls a tool, which a person, customer 7, has to approve. */
async function review({ question, ...agent }: Review = {}) {
	const approval = outboundMessaging({
		name: 'Review',
		as: 'HitlTool',
		credentialId: used.credentialId,
		parameters: {
			operation: 'sendAndWait',
			responseType: 'approval',
			message: '=The agent wants to run {{ $tool.name }}\n\nInput:\n{{ $tool.parameters }}',
			customerId: '7',
			approvalOptions: { values: { approvalType: 'double' } },
			...question,
		},
	});
	const { id, model } = await used.saveAgent({ script: [gated('42')], approval, ...agent });
	return { execution: await used.client.start(id), model };
}

/** Answers one question after the other, and waits for the end. */
async function decide(execution: string, ...answers: string[]) {
	for (const [index, answer] of answers.entries()) {
		await poll(() => used.links('7').length > index, { what: `question ${index + 1}` });
		await used.waiting(execution);
		expect((await press(used.links('7')[index], answer)).status).toBe(200);
	}
	return await used.client.waitForExecution(execution);
}
