/** One run of the node from start to end: what is sent, what comes out, and what the user reads. */
import type { IDataObject } from 'n8n-workflow';

import type { Answer, Given } from './n8n';
import { ACCEPTED, answer, LOST, record } from './n8n';
import { story } from './story';

const people = (count: number): IDataObject[] =>
	Array.from({ length: count }, (_, index) => ({
		customer: `${1000 + index}`,
		text: `Hi ${index}`,
	}));
const BAD = { customer: '', text: 'Hi' };
const REFUSED = answer(400, 'Closed account');
const LIMITED: Answer = { statusCode: 429, body: '', headers: { 'retry-after': '90' } };
const CONTINUE = { onError: 'continueRegularOutput' } as const;
const ONE_BY_ONE = { maxConcurrency: 1 };
const KEY = { sendOnceKey: '={{ $json.customer }}' };
/** An item that an earlier step left uncertain. */
const UNCERTAIN = { ...people(1)[0], details: { delivery: 'uncertain' } };
const HOURS = { window: { from: '08:00', until: '10:00', timezone: 'UTC' } };
const NOW = { window: { ...HOURS.window, until: '12:01' } };
const TEMPLATE = {
	operation: 'sendTemplate',
	templateId: 'order',
	channelId: '1024',
	customerPhone: '={{ $json.phone }}',
	specifyAttributes: 'fields',
	attributes: { attribute: [{ value: 'Hi {{ 1 }}' }, { value: '=Dear {{ $json.name }}' }] },
	headerMedia: {},
};
const canceled = { getExecutionCancelSignal: () => AbortSignal.abort() };
/** Canceled after the second of three messages. */
const canceledLater = {
	getExecutionCancelSignal: () =>
		Date.now() < Date.parse('2026-11-20T12:00:01.5Z') ? undefined : AbortSignal.abort(),
};
const RESEND = { onUncertainDelivery: 'resend' };
const NO_ATTRIBUTES = { ...TEMPLATE, attributes: {} };
const FIRST = { name: 'First', type: 'package.outboundMessaging' };
const OTHER = { name: 'Other', type: 'other' };
const broken = async () => await Promise.reject(new Error('database is locked'));
const unreadable = {
	get 'retry-after'(): string {
		throw new Error('unreadable');
	},
};
const readOnly = Object.defineProperty({}, 'run0', {
	configurable: true,
	get: () => undefined,
	set: () => {
		throw new Error('readOnly');
	},
});
const credential = (fields: IDataObject | Error) => ({
	getCredentials: async () => {
		if (fields instanceof Error) throw fields;
		return { baseUrl: 'https://api.example.com', apiKeyHeader: 'X-Key', apiKey: 'abc', ...fields };
	},
});

it.each<[string, Given[]]>([
	['nothing to send', [{ items: [] }]],
	['all accepted', [{ items: people(2) }]],
	['stop mode: one bad item stops the list', [{ items: [...people(1), BAD, BAD] }]],
	['stop mode: a bad item alone', [{ items: [BAD] }]],
	['continue: a bad item fails alone', [{ items: [...people(1), BAD], node: CONTINUE }]],
	[
		'stop mode: the first rejected message ends the run',
		[{ items: people(3), options: ONE_BY_ONE, answers: [ACCEPTED, REFUSED, ACCEPTED] }],
	],
	[
		'continue: the others are sent',
		[{ items: people(3), answers: [ACCEPTED, REFUSED, ACCEPTED], node: CONTINUE }],
	],
	['one message without a clear response', [{ items: people(1), answers: [LOST] }]],
	['several without a clear response', [{ items: people(3), answers: [LOST, LOST, ACCEPTED] }]],
	[
		'a wrong key ends the run',
		[{ items: people(2), options: ONE_BY_ONE, answers: [answer(401)], node: CONTINUE }],
	],
	['canceled', [{ items: people(2), n8n: canceled }]],
	[
		'canceled, with keys',
		[
			{ items: people(2), safeguards: KEY, answers: [ACCEPTED, REFUSED], options: ONE_BY_ONE },
			{ items: people(2), safeguards: KEY, n8n: canceled },
		],
	],
	[
		'a limit that lasts, in stop mode',
		[{ items: people(2), options: ONE_BY_ONE, answers: [ACCEPTED, LIMITED] }],
	],
	[
		'a limit that ends',
		[{ items: people(2), options: { rateLimitWait: 100 }, answers: [LIMITED, ACCEPTED] }],
	],
	['many bad items', [{ items: Array.from({ length: 12 }, () => BAD), node: CONTINUE }]],
	['many bad items in stop mode', [{ items: Array.from({ length: 12 }, () => BAD) }]],
	[
		'more reasons than are shown',
		[
			{
				items: people(6),
				options: ONE_BY_ONE,
				node: CONTINUE,
				answers: ['a', 'b', 'b', 'c', 'd', 'e'].map((word) => answer(400, word)),
			},
		],
	],
	[
		'four reasons',
		[
			{
				items: people(4),
				options: ONE_BY_ONE,
				node: CONTINUE,
				answers: ['a', 'b', 'c', 'd'].map((word) => answer(400, word)),
			},
		],
	],
	[
		'a retry sends only the rest',
		[{ items: people(3), options: ONE_BY_ONE, answers: [ACCEPTED, REFUSED] }, { items: people(3) }],
	],
	[
		'a retry with other content sends nothing again',
		[
			{ items: people(2), options: ONE_BY_ONE, answers: [ACCEPTED, REFUSED] },
			{ items: people(2).map((item) => ({ ...item, text: 'New' })) },
		],
	],
	[
		'a retry of an uncertain message',
		[
			{ items: people(2), answers: [LOST] },
			{ items: people(2), safeguards: { onUncertainDelivery: 'resend' } },
		],
	],
	[
		'a retry leaves an uncertain message alone',
		[{ items: people(2), options: ONE_BY_ONE, answers: [LOST] }, { items: people(2) }],
	],
	[
		'a retry whose list is bad: what was sent stays sent',
		[
			{ items: people(3), options: ONE_BY_ONE, answers: [ACCEPTED, ACCEPTED, REFUSED] },
			{ items: [...people(2), BAD] },
		],
	],
	[
		'a retry whose list is bad, after one was sent',
		[
			{ items: people(2), options: ONE_BY_ONE, answers: [ACCEPTED, REFUSED] },
			{ items: [BAD, BAD], node: CONTINUE },
		],
	],
	[
		'a retry in which nothing can be read',
		[
			{ items: people(2), options: ONE_BY_ONE, answers: [ACCEPTED, REFUSED] },
			{ items: people(2), options: { timeout: 'long' }, node: CONTINUE },
		],
	],
	[
		'a retry in which nothing can be read, in stop mode',
		[
			{ items: people(2), options: ONE_BY_ONE, answers: [ACCEPTED, REFUSED] },
			{ items: people(2), options: { timeout: 'long' } },
		],
	],
	['a loop: the next run sends again', [{ items: people(1) }, { items: people(1), runIndex: 1 }]],
	['a success is forgotten', [{ items: people(1) }, { items: people(1) }]],
	[
		'Retry On Fail in a continue mode keeps the memory for its next try',
		[
			{
				items: people(2),
				answers: [REFUSED, ACCEPTED],
				options: ONE_BY_ONE,
				node: { ...CONTINUE, retryOnFail: true },
			},
			{ items: people(2), node: { ...CONTINUE, retryOnFail: true } },
		],
	],
	[
		'Retry On Fail does not come when the first item is accepted',
		[
			{
				items: people(2),
				answers: [ACCEPTED, REFUSED],
				options: ONE_BY_ONE,
				node: { ...CONTINUE, retryOnFail: true },
			},
			{ items: people(2), node: CONTINUE },
		],
	],
	[
		'no Retry On Fail: no memory',
		[
			{ items: people(2), answers: [REFUSED, ACCEPTED], options: ONE_BY_ONE, node: CONTINUE },
			{ items: people(2), node: CONTINUE },
		],
	],
	[
		'a retry from the executions list, clicked twice',
		[
			{ items: people(2), options: ONE_BY_ONE, answers: [ACCEPTED, REFUSED] },
			{ items: people(2), executionId: '2', isRetryOfFirst: true },
			{ items: people(2), executionId: '3', isRetryOfFirst: true },
		],
	],
	[
		'a send-once key: once in all executions',
		[
			{ items: people(2), safeguards: KEY },
			{ items: people(2), safeguards: KEY, context: {}, executionId: '2' },
		],
	],
	[
		'a send-once key of a rejected message is free again',
		[
			{ items: people(1), safeguards: KEY, answers: [REFUSED] },
			{ items: people(1), safeguards: KEY, context: {} },
		],
	],
	[
		'a send-once key of an uncertain message',
		[
			{ items: people(1), safeguards: KEY, answers: [LOST] },
			{ items: people(1), safeguards: KEY, context: {} },
			{ items: people(1), safeguards: { ...KEY, onUncertainDelivery: 'resend' }, context: {} },
		],
	],
	[
		'keys in stop mode, something uncertain',
		[{ items: people(2), safeguards: KEY, options: ONE_BY_ONE, answers: [ACCEPTED, LOST] }],
	],
	[
		'keys in stop mode, something rejected',
		[{ items: people(3), safeguards: KEY, options: ONE_BY_ONE, answers: [ACCEPTED, REFUSED] }],
	],
	[
		'no keys in stop mode, something uncertain',
		[{ items: people(2), options: ONE_BY_ONE, answers: [ACCEPTED, LOST] }],
	],
	['one key, two messages', [{ items: people(2), safeguards: { sendOnceKey: 'same' } }]],
	[
		'one key, one message twice',
		[{ items: [...people(1), ...people(1)], safeguards: { sendOnceKey: 'same' } }],
	],
	[
		'a key with an empty part',
		[{ items: people(1), safeguards: { sendOnceKey: '=order {{ $json.order }}' } }],
	],
	[
		'a key with an empty field in an expression',
		[
			{
				items: people(1),
				safeguards: { sendOnceKey: '={{ $json.customer + "-" + $json["order"] }}' },
			},
		],
	],
	[
		'a key with a default for an empty field',
		[{ items: people(1), safeguards: { sendOnceKey: '={{ $json.order ?? $json.customer }}' } }],
	],
	[
		'a key with a method',
		[
			{
				items: people(1),
				safeguards: { sendOnceKey: '={{ $json.customer.trim() }} {{ $json.text }}' },
			},
		],
	],
	[
		'a key of a method alone',
		[{ items: people(1), safeguards: { sendOnceKey: '={{ $json.customer.trim() }}' } }],
	],
	[
		'a key with a part that cannot be read alone',
		[{ items: people(1), safeguards: { sendOnceKey: '=a {{ $json.customer }} {{ NaN }}' } }],
	],
	[
		'a key with undefined in it',
		[{ items: people(1), safeguards: { sendOnceKey: 'order-undefined' } }],
	],
	[
		'a key with a word like undefined',
		[{ items: people(1), safeguards: { sendOnceKey: 'nullable [object]' } }],
	],
	['a key that is empty', [{ items: people(1), safeguards: { sendOnceKey: '={{ "" }}' } }]],
	['dry run', [{ items: people(1), safeguards: { dryRun: true, ...KEY } }]],
	[
		'dry run with what would not be sent',
		[{ items: people(3), safeguards: { dryRun: true, doNotContact: '1000' } }],
	],
	[
		'dry run with a bad item',
		[{ items: [...people(2), BAD], safeguards: { dryRun: true }, node: CONTINUE }],
	],
	[
		'dry run after a try',
		[
			{ items: people(2), options: ONE_BY_ONE, answers: [ACCEPTED, REFUSED] },
			{ items: people(2), safeguards: { dryRun: true } },
		],
	],
	['dry run of one bad item', [{ items: [BAD], safeguards: { dryRun: true }, node: CONTINUE }]],
	[
		'dry runs count for the dry runs after them',
		[
			{ items: people(1), safeguards: { dryRun: true, repeatedRecipients: 'sendFirst' } },
			{
				items: people(1),
				safeguards: { dryRun: true, repeatedRecipients: 'sendFirst' },
				runIndex: 1,
			},
			{ items: people(1), safeguards: { repeatedRecipients: 'sendFirst' }, runIndex: 2 },
		],
	],
	['Do Not Contact', [{ items: people(3), safeguards: { doNotContact: '1001' } }]],
	[
		'Do Not Contact that finds nothing',
		[{ items: people(1), safeguards: { doNotContact: '={{ $json.list }}' } }],
	],
	[
		'Repeated Recipients: first',
		[{ items: [...people(2), ...people(1)], safeguards: { repeatedRecipients: 'sendFirst' } }],
	],
	[
		'Repeated Recipients over the runs of a loop',
		[
			{ items: people(1), safeguards: { repeatedRecipients: 'sendFirst' } },
			{ items: people(2), safeguards: { repeatedRecipients: 'sendFirst' }, runIndex: 1 },
		],
	],
	[
		'Repeated Recipients: reject',
		[{ items: [...people(2), ...people(1)], safeguards: { repeatedRecipients: 'reject' } }],
	],
	[
		'Repeated Recipients: reject, continue',
		[
			{
				items: [...people(2), ...people(1)],
				safeguards: { repeatedRecipients: 'reject' },
				node: CONTINUE,
			},
		],
	],
	['Allowed Hours', [{ items: people(1), safeguards: { allowedHours: HOURS }, node: CONTINUE }]],
	['Allowed Hours that are now', [{ items: people(1), safeguards: { allowedHours: NOW } }]],
	[
		'Allowed Hours that end while messages wait',
		[
			{
				items: people(2),
				options: { messagesPerSecond: 0.01 },
				safeguards: { allowedHours: NOW },
				node: CONTINUE,
			},
		],
	],
	[
		'Allowed Hours from the item',
		[
			{
				items: [{ ...people(1)[0], hours: { window: { ...HOURS.window, days: ['friday'] } } }],
				safeguards: { allowedHours: '={{ $json.hours }}' },
				node: CONTINUE,
			},
		],
	],
	[
		'Allowed Hours that are empty',
		[{ items: people(1), safeguards: { allowedHours: { window: '' } } }],
	],
	[
		'Allowed Hours in part from the item',
		[
			{
				items: [{ ...people(1)[0] }],
				safeguards: {
					allowedHours: { window: { ...HOURS.window, timezone: '={{ $json.zone }}' } },
				},
			},
		],
	],
	['Max Messages', [{ items: people(3), safeguards: { maxMessages: 2 } }]],
	[
		'Max Messages over the runs of a loop',
		[
			{ items: people(2), safeguards: { maxMessages: 3 } },
			{ items: people(2), safeguards: { maxMessages: 3 }, runIndex: 1 },
		],
	],
	[
		'Max Messages, continue',
		[{ items: people(2), safeguards: { maxMessages: 1 }, node: CONTINUE }],
	],
	[
		'Max Messages counts a message of two tries once',
		[
			{
				items: people(2),
				options: ONE_BY_ONE,
				safeguards: { maxMessages: 2 },
				answers: [ACCEPTED, REFUSED],
			},
			{ items: people(2), safeguards: { maxMessages: 2 } },
		],
	],
	['Test Recipient', [{ items: people(4), safeguards: { testRecipient: '77' } }]],
	[
		'a test run has no memory',
		[
			{ items: people(1), safeguards: { testRecipient: '77', ...KEY }, answers: [LOST] },
			{ items: people(1), safeguards: KEY },
		],
	],
	[
		'Stop After Failures',
		[
			{
				items: people(5),
				options: ONE_BY_ONE,
				safeguards: { stopAfterFailures: 2 },
				answers: [REFUSED],
				node: CONTINUE,
			},
		],
	],
	[
		'Stop After Failures: not in stop mode',
		[{ items: people(2), safeguards: { stopAfterFailures: 1 }, answers: [REFUSED] }],
	],
	[
		'Stop After Failures: an acceptance starts the count again',
		[
			{
				items: people(4),
				options: ONE_BY_ONE,
				safeguards: { stopAfterFailures: 2 },
				answers: [REFUSED, ACCEPTED, REFUSED, ACCEPTED],
				node: CONTINUE,
			},
		],
	],
	['an option out of bounds', [{ items: people(1), options: { maxConcurrency: 0 } }]],
	[
		'an option that is no whole number',
		[{ items: people(1), options: { timeout: 1.5 }, node: CONTINUE }],
	],
	[
		'a fraction where one may be',
		[{ items: people(1), options: { messagesPerSecond: 0.5, rateLimitWait: 0.5 } }],
	],
	[
		'a choice that is none',
		[{ items: people(1), safeguards: { repeatedRecipients: 'sendTwice' } }],
	],
	['a switch that is none', [{ items: people(1), safeguards: { dryRun: 'maybe' } }]],
	['an operation that is none', [{ items: people(1), parameters: { operation: 'sendFax' } }]],
	['a credential that is wrong', [{ items: people(1), n8n: credential({ apiKey: '' }) }]],
	[
		'a credential that cannot be read',
		[{ items: people(1), n8n: credential(new Error('Credential is gone')) }],
	],
	[
		'a credential that cannot be read, with advice',
		[
			{
				items: people(1),
				n8n: credential(Object.assign(new Error('Gone'), { description: 'Ask.' })),
			},
		],
	],
	[
		'what is thrown is no error',
		[
			{
				items: people(1),
				n8n: {
					getTimezone: () => {
						throw 'nothing';
					},
				},
			},
		],
	],
	['an expression that fails', [{ items: people(1), parameters: { text: '={{ $json.a.b }}' } }]],
	[
		'an expression that fails, with advice',
		[
			{
				items: people(1),
				parameters: { text: '={{ (() => { throw { message: "no", description: "Do it" } })() }}' },
			},
		],
	],
	['an item that an earlier step left uncertain', [{ items: [UNCERTAIN], node: CONTINUE }]],
	[
		'an item that an earlier step left uncertain, sent again',
		[
			{
				items: [UNCERTAIN],
				safeguards: { onUncertainDelivery: 'resend', repeatedRecipients: 'sendFirst' },
			},
		],
	],
	[
		'an item that was rejected because it is uncertain',
		[{ items: [{ ...people(1)[0], details: { code: 'uncertainDelivery' } }], node: CONTINUE }],
	],
	[
		'an item that was rejected for another reason',
		[{ items: [{ ...people(1)[0], details: { code: 'invalidInput', delivery: 'rejected' } }] }],
	],
	[
		'an item that an earlier step skipped',
		[{ items: [{ text: 'Hi', skipped: true }], node: CONTINUE }],
	],
	[
		'a record that has an error in it',
		[
			{
				items: people(1),
				answers: [{ statusCode: 200, body: { ...record, error: 'no' } }],
				node: { ...CONTINUE, retryOnFail: true },
			},
		],
	],
	[
		'a template',
		[
			{
				items: [{ phone: '+1 555 010 0200', name: 'Ada' }],
				parameters: TEMPLATE,
				safeguards: { dryRun: true },
			},
		],
	],
	[
		'a template with options',
		[
			{
				items: [{ phone: '0151 23456789', name: 'Ada\nB' }],
				parameters: TEMPLATE,
				options: { defaultCountry: 'DE', attributeLineBreaks: 'replace' },
				safeguards: { dryRun: true },
			},
		],
	],
	[
		'paths to other nodes',
		[
			{
				items: people(2),
				parameters: { text: "={{ $('CRM').item.json.from }}" },
				safeguards: { dryRun: true },
			},
		],
	],
	[
		'a text with paths in it',
		[
			{
				items: people(1),
				parameters: { text: '=Dear {{ $json.customer }}, {{ $json["text"] }}!' },
				safeguards: { dryRun: true },
			},
		],
	],
	[
		'numbers and switches',
		[{ items: [{ customer: 7, text: true }], safeguards: { dryRun: true } }],
	],
	[
		'a long run tells how far it is',
		[
			{
				items: people(100),
				options: { messagesPerSecond: 2 },
				safeguards: { dryRun: false },
				answers: [{ statusCode: 200, body: { ...record, id: 'm' } }],
				n8n: { addExecutionHints: () => undefined },
			},
		],
	],
	[
		'a key store that does not work',
		[
			{
				items: people(1),
				safeguards: KEY,
				store: { checkProcessedAndRecord: broken },
				node: CONTINUE,
			},
		],
	],
	[
		'a mark that stays after an acceptance',
		[{ items: people(1), safeguards: KEY, store: { removeProcessed: broken } }],
	],
	[
		'a key that stays after a rejection',
		[
			{
				items: people(1),
				safeguards: KEY,
				store: { removeProcessed: broken },
				answers: [REFUSED],
				node: CONTINUE,
			},
		],
	],
	[
		'a workflow without an ID has no keys',
		[{ items: people(1), safeguards: KEY, n8n: { getWorkflow: () => ({}) } }],
	],
	[
		'a message sent again by choice, and rejected',
		[
			{ items: people(1), answers: [LOST] },
			{ items: people(1), safeguards: RESEND, answers: [REFUSED] },
			{ items: people(1) },
		],
	],
	[
		'a message sent again by choice, and uncertain again',
		[
			{ items: people(1), answers: [LOST] },
			{ items: people(1), safeguards: RESEND, answers: [answer(500, 'Down')] },
			{ items: people(1) },
		],
	],
	[
		'a message with a key sent again by choice, and rejected',
		[
			{ items: people(1), safeguards: KEY, answers: [LOST] },
			{ items: people(1), safeguards: { ...KEY, ...RESEND }, answers: [REFUSED] },
		],
	],
	[
		'a message sent again by choice, at the wrong time',
		[
			{ items: people(1), answers: [LOST] },
			{ items: people(1), safeguards: { ...RESEND, allowedHours: HOURS } },
		],
	],
	[
		'a retry that another one may have made',
		[
			{ items: people(1), answers: [REFUSED] },
			{ items: people(1), answers: [LOST], executionId: '2', isRetryOfFirst: true },
			{ items: people(1), executionId: '3', isRetryOfFirst: true },
		],
	],
	[
		'a retry whose key cannot be checked',
		[
			{ items: people(1), answers: [REFUSED] },
			{ items: people(1), executionId: '2', store: { checkProcessedAndRecord: broken } },
		],
	],
	[
		'something unexpected after a request',
		[{ items: people(1), answers: [{ statusCode: 429, body: '', headers: unreadable }] }],
	],
	[
		'something unexpected before a request',
		[{ items: people(1), context: readOnly, node: CONTINUE }],
	],
	[
		'an error output, in releases of n8n that need an error beside the item',
		[{ items: [BAD], node: { onError: 'continueErrorOutput' } }],
	],
	[
		'Do Not Contact of phone numbers',
		[
			{
				items: [{ phone: '+15550100200' }, { phone: '+4915123456789' }],
				parameters: NO_ATTRIBUTES,
				options: { defaultCountry: 'DE' },
				safeguards: { dryRun: true, doNotContact: '+1 555 010 0200, 0151 23456789' },
			},
		],
	],
	[
		'Do Not Contact: an ambiguous phone number blocks both',
		[
			{
				items: [{ phone: '+491712345678' }, { phone: '+49491712345678' }],
				parameters: NO_ATTRIBUTES,
				options: { defaultCountry: 'DE' },
				safeguards: { dryRun: true, doNotContact: '491712345678' },
			},
		],
	],
	[
		'Do Not Contact: a phone number that is none',
		[
			{
				items: [{ phone: '+491712345678' }],
				parameters: NO_ATTRIBUTES,
				options: { defaultCountry: 'DE' },
				safeguards: { doNotContact: '1' },
			},
		],
	],
	[
		'Do Not Contact: a phone number without its country',
		[
			{
				items: [{ phone: '+491712345678' }],
				parameters: NO_ATTRIBUTES,
				safeguards: { doNotContact: '0171 2345678' },
			},
		],
	],
	[
		'Do Not Contact: a phone number among customer IDs',
		[{ items: people(1), safeguards: { doNotContact: '+15550100200' } }],
	],
	[
		'Do Not Contact: an ID with leading zeros',
		[{ items: people(1), safeguards: { doNotContact: '={{ ["001000"] }}' } }],
	],
	[
		'Do Not Contact that cannot be evaluated',
		[{ items: people(1), safeguards: { doNotContact: '={{ $json.a.b }}' } }],
	],
	[
		'Test Recipient that is no customer ID',
		[{ items: people(1), safeguards: { testRecipient: '+15550100200' } }],
	],
	[
		'an earlier node of this type left the item uncertain',
		[
			{
				items: people(1),
				n8n: { getParentNodes: () => [FIRST, OTHER] },
				paired: { First: UNCERTAIN, Other: {} },
				node: CONTINUE,
			},
		],
	],
	[
		'an earlier node of another type has such a field',
		[{ items: people(1), n8n: { getParentNodes: () => [OTHER] }, paired: { Other: UNCERTAIN } }],
	],
	[
		'an earlier node of this type accepted the item',
		[{ items: people(1), n8n: { getParentNodes: () => [FIRST] }, paired: { First: record } }],
	],
	['an item without a pair', [{ items: people(1), n8n: { getParentNodes: () => [FIRST] } }]],
	[
		'an earlier turn of a loop left the item uncertain',
		[
			{
				items: people(1),
				n8n: { getParentNodes: () => [OTHER], getChildNodes: () => [OTHER] },
				paired: { Send: UNCERTAIN },
				node: CONTINUE,
			},
		],
	],
	[
		'no loop',
		[
			{
				items: people(1),
				n8n: { getParentNodes: () => [OTHER], getChildNodes: () => [FIRST] },
				paired: { Send: UNCERTAIN },
			},
		],
	],
	[
		'a path to a node that is not there',
		[{ items: people(1), parameters: { text: "={{ $('No').item.json.from }}" } }],
	],
	[
		'a template with JSON and media',
		[
			{
				items: [{ phone: '+15550100200' }],
				parameters: {
					...NO_ATTRIBUTES,
					specifyAttributes: 'json',
					attributesJson: '["Ada"]',
					headerMedia: { media: { type: 'image', url: 'https://example.com/a.png' } },
				},
				safeguards: { dryRun: true },
			},
		],
	],
	[
		'an attachment',
		[
			{
				items: people(1),
				parameters: {
					operation: 'sendAttachment',
					attachmentType: 'document',
					attachmentUrl: 'https://example.com/a.pdf',
				},
			},
		],
	],
	['a quota that is used up', [{ items: people(1), answers: [answer(402, 'No credit')] }]],
	[
		'a 403 rejects one message',
		[
			{
				items: people(2),
				options: ONE_BY_ONE,
				answers: [answer(403, 'Not yours'), ACCEPTED],
				node: CONTINUE,
			},
		],
	],
	[
		'a canceled run with accepted messages',
		[{ items: people(3), options: { messagesPerSecond: 1 }, n8n: canceledLater }],
	],
	['the number of a list without an end', [{ items: people(2), options: { maxConcurrency: 1e9 } }]],
	['an option from an expression', [{ items: people(1), options: { maxConcurrency: '={{ 0 }}' } }]],
	[
		'an option whose expression fails',
		[{ items: people(1), options: { maxConcurrency: '={{ $json.a.b }}' } }],
	],
])('%s', async (_, runs) => {
	expect(await story(...runs)).toMatchSnapshot();
});
