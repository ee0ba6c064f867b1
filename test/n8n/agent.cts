/** An AI agent whose model follows a script. */
import fs from 'node:fs';
import path from 'node:path';
import fastify from 'fastify';
import * as paths from '../../scripts/lib/paths.cts';
import { graph, items, links, manualTrigger, node, type NodeDefinition } from './workflow.cts';

/** What a model answers: tool calls by their arguments, all in one turn, or the final text. */
export interface Turn {
	calls?: object[];
	text?: string;
	/** The model is down. */
	fails?: boolean;
}

/**
 * The turns in their order, before the text "Done.", or the turn for a prompt, before a text of
 * what its calls gave.
 */
export type Script = Turn[] | ((prompt: string) => Turn);

interface ChatRequest {
	model: string;
	messages: Array<{ role: string; content: string }>;
	tools?: Array<{ function: { name: string } }>;
}

/** Speaks the chat completions of OpenAI. */
export async function startModel() {
	const requests: ChatRequest[] = [];
	let script: Script = [];
	const nextTurn = (asked: ChatRequest): Turn => {
		if (typeof script !== 'function') return script[requests.length - 1] ?? { text: 'Done.' };
		const answers = answersOf(asked);
		return answers.length === 0 ? script(promptOf(asked)) : { text: answers.join() };
	};
	const server = fastify({ forceCloseConnections: true });
	server.all('*', async ({ body }) => {
		const asked = body as ChatRequest;
		requests.push(asked);
		const { calls, text, fails } = nextTurn(asked);
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
	const url = await server.listen({ host: '127.0.0.1', port: 0 });
	return {
		url: `${url}/v1`,
		requests,
		follow(turns: Script) {
			requests.length = 0;
			script = turns;
		},
		/** What the model was given as results of its calls, when it was asked the last time. */
		answers: () => answersOf(requests[requests.length - 1]),
		stop: () => server.close(),
	};
}

const promptOf = ({ messages }: ChatRequest) =>
	messages.findLast(({ role }) => role === 'user')?.content ?? '';
const answersOf = ({ messages }: ChatRequest) =>
	messages.filter(({ role }) => role === 'tool').map(({ content }) => content);

export const AGENT = 'Agent';

const AGENT_SOURCE = 'node_modules/@n8n/n8n-nodes-langchain/dist/nodes/agents/Agent/Agent.node.js';
const hasAgent31 = fs.readFileSync(path.join(paths.n8n, AGENT_SOURCE), 'utf8').includes('3.1');

/** The newest agent lets n8n's engine run its tools, agent 2.2 runs them itself. */
export const AGENT_VERSIONS = [hasAgent31 ? 3.1 : 3, 2.2];

export interface AgentOptions {
	/** Of the agent node; the newest by default. */
	version?: number;
	/** The items that the agent works on, from a node named `Feed`. */
	list?: object[];
	prompt?: string;
	/** The options of the agent. */
	agentOptions?: object;
	/** The node by which a person approves each call. */
	approval?: NodeDefinition;
}

/** A workflow of an agent with one tool, a node whose type ends with `Tool`. */
export function agentWorkflow(
	tool: NodeDefinition,
	modelCredentialId: string,
	{ version = AGENT_VERSIONS[0], list, approval, prompt, agentOptions = {} }: AgentOptions,
) {
	const langchain = '@n8n/n8n-nodes-langchain';
	const task = { promptType: 'define', text: prompt ?? 'Tell customer 42', options: agentOptions };
	const agent = node(AGENT, `${langchain}.agent`, version, task);
	const parameters = {
		model: { __rl: true, mode: 'id', value: 'scripted' },
		...{ responsesApiEnabled: false, options: { maxRetries: 0 } },
	};
	const credentials = { openAiApi: { id: modelCredentialId, name: 'Scripted model' } };
	const model = node('Model', `${langchain}.lmChatOpenAi`, 1.3, parameters, { credentials });
	const main = [manualTrigger(), ...(list ? [items(list, 'Feed')] : []), agent];
	const tools = [tool, ...(approval ? [approval] : [])];
	const ofTools = links([...tools, agent], { type: 'ai_tool' });
	const ofModel = links([model, agent], { type: 'ai_languageModel' });
	return graph('Agent', [...main, model, ...tools], [...links(main), ...ofTools, ...ofModel]);
}
