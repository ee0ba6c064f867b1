/** An AI agent whose model follows a script, and a person who approves what its tools are about to do. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify from 'fastify';
import { poll } from '../../scripts/lib/child.cts';
import * as paths from '../../scripts/lib/paths.cts';
import type { Execution } from './execution.cts';
import { graph, items, links, manualTrigger, node, type NodeDefinition } from './workflow.cts';

/** A server that answers every request, by its body. */
async function startServer<Asked>(answer: (asked: Asked) => object) {
	const server = fastify({ forceCloseConnections: true });
	server.all('*', async ({ body }) => answer(body as Asked));
	const url = await server.listen({ host: '127.0.0.1', port: 0 });
	return { url, stop: () => server.close() };
}

/** What a model answers: tool calls by their arguments, all in one turn, or the final text. */
export interface Turn {
	calls?: object[];
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
		const { calls, text, fails }: Turn =
			typeof script === 'function'
				? script({ prompt: promptOf(asked), answers: answersOf(asked) })
				: (script[requests.length - 1] ?? { text: 'The script is over.' });
		if (fails) throw new Error('The model is down');
		const toolCalls = calls?.map((args, index) => ({
			id: `call_${requests.length}_${index}`,
			type: 'function',
			function: { name: asked.tools?.[0].function.name, arguments: JSON.stringify(args) },
		}));
		const message = { role: 'assistant', content: text ?? null, tool_calls: toolCalls };
		return {
			id: `answer-${requests.length}`,
			object: 'chat.completion',
			created: 1,
			model: asked.model,
			choices: [{ index: 0, message, finish_reason: calls ? 'tool_calls' : 'stop' }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
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
		return { ok: true, result: { message_id: asked.length } };
	});
	return {
		...server,
		/** Answers every question until the execution has ended. */
		async answer(approve: boolean, execution: Promise<Execution>) {
			for (;;) {
				const ended = await Promise.race([execution.then(() => true), sleep(100)]);
				for (const question of asked.splice(0)) await press(reachable(linkOf(question, approve)));
				if (ended) return await execution;
			}
		},
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
	/** The node by which a person approves each call. */
	approval?: NodeDefinition;
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
	approval,
}: AgentOptions) {
	const langchain = '@n8n/n8n-nodes-langchain';
	const task = { promptType: 'define', text: prompt, options: agentOptions };
	const agent = node(AGENT, `${langchain}.agent`, version, task, settings);
	const model = node(
		MODEL,
		`${langchain}.lmChatOpenAi`,
		1.3,
		{
			model: { __rl: true, mode: 'id', value: 'scripted' },
			responsesApiEnabled: false,
			options: { maxRetries: 0 },
		},
		{ credentials: { openAiApi: { id: modelCredentialId, name: 'Scripted model' } } },
	);
	const feed = list ? [items(list, 'Feed')] : [];
	const main = [manualTrigger(), ...feed, agent];
	const tools = [tool, ...(approval ? [approval] : []), agent];
	return graph(
		'Agent',
		[...main, model, ...tools.slice(0, -1)],
		[
			...links(main),
			...links(tools, { type: 'ai_tool' }),
			[MODEL, AGENT, { type: 'ai_languageModel' }],
		],
	);
}

/** Asks with Telegram. */
export const telegramApproval = (credentialId: string) =>
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
