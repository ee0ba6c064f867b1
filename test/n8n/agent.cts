/** An AI agent whose model follows a script, and a person who approves what its tools are about to do. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { poll } from '../../scripts/lib/child.cts';
import * as paths from '../../scripts/lib/paths.cts';
import type { Execution } from './execution.cts';
import { graph, items, links, manualTrigger, node, type NodeDefinition } from './workflow.cts';

type Answer = { status?: number; body: object };

/** A server that answers JSON with JSON. */
async function startServer<Asked>(answer: (asked: Asked) => Answer) {
	const server = http.createServer(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const asked = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Asked;
		const { status = 200, body } = answer(asked);
		response.writeHead(status, { 'content-type': 'application/json' });
		response.end(JSON.stringify(body));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		stop: async () =>
			await new Promise<void>((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

/** What a model answers: tool calls by their arguments, all in one turn, or the final text. */
export interface Turn {
	calls?: object[];
	/** Their IDs; new ones by default. */
	ids?: string[];
	text?: string;
	/** The model is down. */
	fails?: boolean;
}

/** The turns in their order, or the turn for each state of a conversation. */
export type Script = Turn[] | ((conversation: { prompt: string; answers: string[] }) => Turn);

interface ChatRequest {
	model: string;
	messages: Array<{ role: string; content: string }>;
	tools?: Array<{ function: { name: string } }>;
}

/** Speaks the chat completions of OpenAI. */
export async function startModel() {
	const requests: ChatRequest[] = [];
	let script: Script = [];
	const server = await startServer((asked: ChatRequest) => {
		requests.push(asked);
		const turn: Turn =
			typeof script === 'function'
				? script({ prompt: promptOf(asked), answers: answersOf(asked) })
				: (script[requests.length - 1] ?? { text: 'The script is over.' });
		if (turn.fails) return { status: 500, body: { error: { message: 'The model is down' } } };
		const message = {
			role: 'assistant',
			content: turn.text ?? null,
			...(turn.calls && {
				tool_calls: turn.calls.map((args, index) => ({
					id: turn.ids?.[index] ?? `call_${requests.length}_${index}`,
					type: 'function',
					function: { name: asked.tools?.[0].function.name, arguments: JSON.stringify(args) },
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
		follow(turns: Script) {
			requests.length = 0;
			script = turns;
		},
		/** What the model was given as results of its calls, when it was asked the last time. */
		answers: () => answersOf(requests[requests.length - 1]),
		stop: server.stop,
	};
}

const promptOf = ({ messages }: ChatRequest) =>
	messages.findLast(({ role }) => role === 'user')?.content ?? '';
const answersOf = ({ messages }: ChatRequest) =>
	messages.filter(({ role }) => role === 'tool').map(({ content }) => content);

/** A question to the person who approves tool calls, as n8n sends it with Telegram. Its buttons are links. */
interface Question {
	reply_markup: { inline_keyboard: Array<Array<{ url: string }>> };
}

/**
 * The place of Telegram, and the person who presses the buttons.
 *
 * @param reachable where n8n answers what it links to
 */
export async function startApprovals(reachable: (link: string) => string) {
	const asked: Question[] = [];
	const server = await startServer((question: Question) => {
		asked.push(question);
		return { body: { ok: true, result: { message_id: asked.length } } };
	});
	let answered = 0;
	return {
		url: server.url,
		/** Answers every question until the execution has ended. */
		async answer({
			approve = true,
			execution,
		}: {
			approve?: boolean;
			execution: Promise<Execution>;
		}) {
			for (;;) {
				const ended = await Promise.race([execution.then(() => true), sleep(100)]);
				while (answered < asked.length) await press(reachable(linkOf(asked[answered++], approve)));
				if (ended) return await execution;
			}
		},
		stop: server.stop,
	};
}

const linkOf = ({ reply_markup: markup }: Question, approve: boolean) =>
	markup.inline_keyboard.flat().find(({ url }) => url.includes(`approved=${approve}`))!.url;

async function press(url: string) {
	// n8n ignores what doesn't look like a person's browser, and the link works once the execution waits.
	const headers = {
		'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
	};
	await poll(async () => (await fetch(url, { headers })).status === 200, { what: 'n8n to wait' });
}

export const AGENT = 'Agent';

const AGENT_SOURCE = 'node_modules/@n8n/n8n-nodes-langchain/dist/nodes/agents/Agent/Agent.node.js';
const hasAgent31 = fs.readFileSync(path.join(paths.n8n, AGENT_SOURCE), 'utf8').includes('3.1');

/** The newest agent lets n8n's engine run its tools, agent 2.2 runs them itself. */
export const AGENT_VERSIONS = [hasAgent31 ? 3.1 : 3, 2.2];

const MODEL = 'Model';

export interface AgentOptions {
	/** Of the agent node. */
	version: number;
	/** A node whose type ends with `Tool`. */
	tool: NodeDefinition;
	modelCredentialId: string;
	/** The items that the agent works on, from a node named `Feed`. */
	list?: object[];
	prompt?: string;
	/** n8n's own settings of the agent node. */
	settings?: object;
	/** The options of the agent. */
	agentOptions?: object;
	/** A person approves each call. */
	approvalCredentialId?: string;
}

/** A workflow of an agent with one tool. */
export function agentWorkflow({
	version,
	tool,
	modelCredentialId,
	list,
	prompt = 'Tell customer 42 that the parcel is on its way',
	settings,
	agentOptions = {},
	approvalCredentialId,
}: AgentOptions) {
	const agent = node(
		AGENT,
		'@n8n/n8n-nodes-langchain.agent',
		version,
		{ promptType: 'define', text: prompt, options: agentOptions },
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

const approvalNode = (credentialId: string) =>
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
