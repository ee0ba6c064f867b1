/** An AI agent whose model follows a script, and a person who approves what its tools are about to do. */
const http = require('node:http');
const { randomUUID } = require('node:crypto');
const { setTimeout: sleep } = require('node:timers/promises');
const { poll } = require('../../scripts/lib/child');
const { graph, items, manualTrigger, node } = require('./workflow');

/** @returns {Promise<{ url: string, stop: () => Promise<void> }>} a server that answers JSON with JSON */
async function startServer(answer) {
	const server = http.createServer(async (request, response) => {
		const chunks = [];
		for await (const chunk of request) chunks.push(chunk);
		const { status = 200, body } = answer(
			JSON.parse(Buffer.concat(chunks).toString() || '{}'),
			request.url,
		);
		response.writeHead(status, { 'content-type': 'application/json' });
		response.end(JSON.stringify(body));
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${server.address().port}`,
		stop: () =>
			new Promise((resolve) => {
				server.close(resolve);
				server.closeAllConnections();
			}),
	};
}

/**
 * @typedef {object} Turn what the model answers
 * @property {object[]} [calls] the arguments of tool calls, all in one turn
 * @property {string} [text] the final text
 * @property {boolean} [fails] the model is down
 *
 * @typedef {Turn[] | ((conversation: { prompt: string, answers: string[] }) => Turn)} Script
 *   the turns in their order, or a turn for each state of a conversation
 */

/** Speaks the chat completions of OpenAI. */
async function startModel() {
	const requests = [];
	let script = [];
	const server = await startServer((asked) => {
		requests.push(asked);
		const turn =
			typeof script === 'function'
				? script({ prompt: promptOf(asked), answers: answersOf(asked) })
				: (script[requests.length - 1] ?? { text: 'The script is over.' });
		if (turn.fails) return { status: 500, body: { error: { message: 'The model is down' } } };
		const [tool] = asked.tools ?? [];
		const message = {
			role: 'assistant',
			content: turn.text ?? null,
			...(turn.calls && {
				tool_calls: turn.calls.map((args, index) => ({
					id: `call_${requests.length}_${index}`,
					type: 'function',
					function: { name: tool.function.name, arguments: JSON.stringify(args) },
				})),
			}),
		};
		return {
			body: {
				id: `answer-${requests.length}`,
				object: 'chat.completion',
				created: 1,
				model: asked.model,
				choices: [{ index: 0, message, finish_reason: turn.calls ? 'tool_calls' : 'stop' }],
				usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
			},
		};
	});
	return {
		url: `${server.url}/v1`,
		requests,
		/** @param {Script} turns */
		follow(turns) {
			requests.length = 0;
			script = turns;
		},
		/** What the model was given as results of its calls, when it was asked the last time. */
		answers: () => answersOf(requests.at(-1)),
		stop: server.stop,
	};
}

const promptOf = ({ messages }) => messages.findLast(({ role }) => role === 'user').content;
const answersOf = ({ messages }) =>
	messages.filter(({ role }) => role === 'tool').map(({ content }) => content);

/**
 * What Telegram would send to the person who approves tool calls. n8n waits until they press a button, which is a link.
 */
async function startApprovals() {
	const asked = [];
	const server = await startServer((message) => {
		asked.push(message);
		return { body: { ok: true, result: { message_id: asked.length } } };
	});
	let answered = 0;
	return {
		url: server.url,
		/** Answers every question until the execution has ended. */
		async answer({ approve = true, execution }) {
			for (;;) {
				const ended = await Promise.race([execution.then(() => true), sleep(100)]);
				while (answered < asked.length) await press(asked[answered++], approve);
				if (ended) return await execution;
			}
		},
		stop: server.stop,
	};
}

async function press({ reply_markup: markup }, approve) {
	const buttons = markup.inline_keyboard.flat();
	const { url } = buttons.find((button) => button.url.includes(`approved=${approve}`));
	// n8n ignores what doesn't look like a person's browser, and the link works once the execution waits.
	const headers = {
		'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
	};
	await poll(async () => (await fetch(url, { headers })).status === 200, { what: 'n8n to wait' });
}

const AGENT = 'Agent';
const MODEL = 'Model';

/**
 * A workflow of an agent with one tool.
 *
 * @param {object} options
 * @param {number} options.version of the agent node
 * @param {object} options.tool a node whose type ends with `Tool`
 * @param {string} options.modelCredentialId
 * @param {object[]} [options.list] json of the items that the agent works on, by a node named `Feed`
 * @param {string} [options.prompt]
 * @param {object} [options.settings] n8n's own settings of the agent node
 * @param {string} [options.approvalCredentialId] a person approves each call
 */
function agentWorkflow({
	version,
	tool,
	modelCredentialId,
	list,
	prompt = 'Tell customer 42 that the parcel is on its way',
	settings,
	approvalCredentialId,
}) {
	const agent = node(
		AGENT,
		'@n8n/n8n-nodes-langchain.agent',
		version,
		{ promptType: 'define', text: prompt, options: {} },
		settings,
	);
	const model = node(
		MODEL,
		'@n8n/n8n-nodes-langchain.lmChatOpenAi',
		1.3,
		{
			model: { __rl: true, mode: 'id', value: 'scripted' },
			responsesApiEnabled: false,
			options: { maxRetries: 0 },
		},
		{ credentials: { openAiApi: { id: modelCredentialId, name: 'Scripted model' } } },
	);
	const feed = list ? [items(list, 'Feed')] : [];
	const approval = approvalCredentialId ? [approvalNode(approvalCredentialId)] : [];
	const main = [manualTrigger(), ...feed, agent];
	const tools = [tool, ...approval, agent];
	const links = (chain, where) =>
		chain.slice(1).map((to, index) => [chain[index].name, to.name, where]);
	return graph(
		'Agent',
		[...main, model, tool, ...approval],
		[
			...links(main),
			...links(tools, { type: 'ai_tool' }),
			[MODEL, AGENT, { type: 'ai_languageModel' }],
		],
	);
}

const approvalNode = (credentialId) =>
	node(
		'Approve',
		'n8n-nodes-base.telegramHitlTool',
		1.2,
		{
			resource: 'message',
			operation: 'sendAndWait',
			responseType: 'approval',
			chatId: '5',
			message: 'May the agent send this?',
			approvalOptions: { values: { approvalType: 'double' } },
		},
		{
			webhookId: randomUUID(),
			credentials: { telegramApi: { id: credentialId, name: 'Approvals' } },
		},
	);

module.exports = { AGENT, MODEL, agentWorkflow, startApprovals, startModel };
