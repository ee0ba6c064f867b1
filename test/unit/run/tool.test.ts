/** The node as a tool of an AI agent: what is sent, and what the agent reads. */
import type { IDataObject } from 'n8n-workflow';

import type { Answer, Given } from './n8n';
import { answer, LOST, record } from './n8n';
import { KEY as KEY_OF_TESTS } from '../help';
import { story } from './story';

const ARGUMENTS = { customer: '1000', text: 'Hi' };
const REFUSED = answer(400, 'Closed account');
const LIMITED: Answer = { statusCode: 429, body: '', headers: { 'retry-after': '90' } };

/** What runs the tool; n8n's engine by default. */
const CALLERS = {
	engine: {},
	agent: { isToolExecution: () => true, parentNode: { type: '@n8n/n8n-nodes-langchain.agent' } },
	mcp: { isToolExecution: () => true, parentNode: { type: '@n8n/n8n-nodes-langchain.mcpTrigger' } },
};

interface Call extends Omit<Given, 'items'> {
	caller?: keyof typeof CALLERS;
	json?: IDataObject;
}

const call = ({ caller = 'engine', json = {}, node, n8n, ...given }: Call = {}): Given => ({
	items: [{ ...(caller === 'engine' && { toolCallId: 'c1' }), ...ARGUMENTS, ...json }],
	node: { type: 'package.outboundMessagingTool', onError: 'continueRegularOutput', ...node },
	n8n: { ...CALLERS[caller], ...n8n },
	...given,
	parameters: {
		customerId: "={{ $fromAI('customer') }}",
		text: "={{ $fromAI('text') }}",
		...given.parameters,
	},
});
/** Another call, of the same words. */
const again = (more: Call = {}) => call({ ...more, json: { toolCallId: 'c2', ...more.json } });
/** A call whose recipient comes from the item. */
const approved = (json: IDataObject) =>
	call({ json, parameters: { customerId: "={{ $('CRM').first().json.item }}" } });
const KEY = { sendOnceKey: "={{ $fromAI('key') }}" };

it.each<[string, Given[]]>([
	['a call', [call()]],
	['a call of an agent', [call({ caller: 'agent' })]],
	['a call of an MCP client', [call({ caller: 'mcp' })]],
	['run again with the same ID: sent once', [call(), call()]],
	['another call with the same words is another message', [call(), again()]],
	[
		'without IDs, the same words are the same call',
		[call({ caller: 'mcp' }), call({ caller: 'mcp' })],
	],
	[
		'without IDs, other words are another call',
		[call({ caller: 'mcp' }), call({ caller: 'mcp', json: { text: 'New' } })],
	],
	['rejected', [call({ answers: [REFUSED] })]],
	['rejected, for an agent', [call({ caller: 'agent', answers: [REFUSED] })]],
	['rejected, for an MCP client', [call({ caller: 'mcp', answers: [REFUSED] })]],
	['uncertain: no other call sends it', [call({ answers: [LOST] }), again()]],
	[
		'uncertain: other words to the same customer',
		[call({ answers: [LOST] }), again({ json: { text: 'New' }, answers: [REFUSED] })],
	],
	[
		'uncertain, for an agent that would try again',
		[call({ caller: 'agent', answers: [LOST], node: { retryOnFail: true, maxTries: 2 } })],
	],
	[
		'rejected, for an agent that tries again',
		[call({ caller: 'agent', answers: [REFUSED], node: { retryOnFail: true, maxTries: 2 } })],
	],
	[
		'the arguments of another call',
		[call({ caller: 'mcp', n8n: { evaluateExpression: () => 'other' } })],
	],
	['the arguments in a query', [call({ caller: 'mcp', json: { query: ARGUMENTS } })]],
	['an item that cannot be read', [call({ json: { text: '' } })]],
	['what the agent cannot change', [call({ parameters: { text: '' } })]],
	['an option that is wrong', [call({ options: { timeout: 'long' } })]],
	[
		'a recipient that may be another item',
		[call({ parameters: { customerId: "={{ $('CRM').item.json.id }}" } })],
	],
	[
		'a key that may be another item',
		[call({ safeguards: { sendOnceKey: '={{ $input.item.json.id }}' } })],
	],
	[
		'an error output, which keeps the answer from the agent',
		[call({ node: { onError: 'continueErrorOutput' } })],
	],
	[
		'an error output, for an MCP client',
		[call({ caller: 'mcp', node: { onError: 'continueErrorOutput' } })],
	],
	['a limit longer than a call', [call({ answers: [LIMITED], options: { rateLimitWait: 100 } })]],
	[
		'a limit longer than the option',
		[call({ answers: [LIMITED], options: { rateLimitWait: 10 } })],
	],
	['dry run', [call({ safeguards: { dryRun: true } })]],
	['Do Not Contact', [call({ safeguards: { doNotContact: '1000' } })]],
	[
		'Test Recipient',
		[call({ safeguards: { testRecipient: '77' } }), call({ safeguards: { testRecipient: '77' } })],
	],
	[
		'Repeated Recipients',
		[
			call({ safeguards: { repeatedRecipients: 'reject' } }),
			again({ safeguards: { repeatedRecipients: 'reject' } }),
		],
	],
	[
		'Max Messages',
		[call({ safeguards: { maxMessages: 1 } }), again({ safeguards: { maxMessages: 1 } })],
	],
	[
		'Stop After Failures',
		[
			call({ safeguards: { stopAfterFailures: 1 }, answers: [REFUSED] }),
			again({ safeguards: { stopAfterFailures: 1 } }),
		],
	],
	[
		'a key of the same customer',
		[call({ safeguards: KEY, json: { key: 'k' } }), again({ safeguards: KEY, json: { key: 'k' } })],
	],
	[
		'a key of another customer',
		[
			call({ safeguards: KEY, json: { key: 'k' } }),
			again({ safeguards: KEY, json: { key: 'k', customer: '1001' } }),
		],
	],
	[
		'a retry from the executions list',
		[call(), again({ executionId: '2' }), call({ executionId: '2' })],
	],
	[
		'a retry from the executions list, clicked twice',
		[
			call({ caller: 'mcp', answers: [REFUSED] }),
			{ ...call({ caller: 'mcp' }), executionId: '2', isRetryOfFirst: true },
			{ ...call({ caller: 'mcp' }), executionId: '3', isRetryOfFirst: true },
		],
	],
	[
		'n8n runs an approved call for another item',
		[approved({ item: '1000' }), approved({ item: '1001' })],
	],
	[
		'n8n runs an approved call for another item with the same customer',
		[approved({ item: '1000', other: 1 }), approved({ item: '1000' })],
	],
	['an item that cannot be read, run again', [call(), call({ json: { text: '' } })]],
	[
		'a parameter that cannot be read, run again',
		[call(), call({ parameters: { text: '={{ (1).a.b }}' } })],
	],
	[
		'a call whose credential never comes',
		[call({ n8n: { getCredentials: async () => await new Promise(() => undefined) } })],
	],
	[
		'an uncertain call, then one whose credential never comes',
		[
			call({ answers: [LOST] }),
			again({
				json: { text: 'New' },
				n8n: { getCredentials: async () => await new Promise(() => undefined) },
			}),
		],
	],
	[
		'a record with the API key in it',
		[
			call({
				answers: [
					{
						statusCode: 200,
						body: {
							...record,
							extra: {
								success: true,
								list: ['a', `key ${KEY_OF_TESTS}`],
								[KEY_OF_TESTS]: 5,
								none: null,
							},
						},
					},
				],
			}),
		],
	],
	[
		'a record that an agent reads twice, with other words',
		[call({ caller: 'mcp' }), call({ caller: 'mcp', json: { text: 'Hi' } })],
	],
	[
		'a mark that stays after an acceptance',
		[
			call({
				safeguards: KEY,
				json: { key: 'k' },
				store: {
					removeProcessed: async () => await Promise.reject(new Error('database is locked')),
				},
			}),
		],
	],
	[
		'two uncertain calls',
		[call({ answers: [LOST] }), again({ json: { text: 'New' }, answers: [LOST] })],
	],
	[
		'a call without an ID of its own, for a customer with an uncertain message',
		[
			call({ caller: 'agent', answers: [LOST] }),
			call({ caller: 'agent' }),
			call({ caller: 'agent', json: { text: 'New' } }),
		],
	],
	['canceled', [call({ n8n: { getExecutionCancelSignal: () => AbortSignal.abort() } })]],
	[
		'a service that does not answer',
		[
			call({
				options: { timeout: 100_000 },
				n8n: {
					helpers: {
						httpRequestWithAuthentication: async () => await new Promise(() => undefined),
					},
				},
			}),
		],
	],
])('%s', async (_, runs) => {
	expect(await story(...runs)).toMatchSnapshot();
});
