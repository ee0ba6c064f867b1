/** What a user reads above the output, in the error and in the items of a run. */
import type { IExecuteFunctions, INode, NodeExecutionHint } from 'n8n-workflow';

import type { Message } from '../../../nodes/OutboundMessaging/delivery/message';
import { ALREADY_SENT } from '../../../nodes/OutboundMessaging/delivery/deliveryOutcomes';
import type { Failed, Outcome } from '../../../nodes/OutboundMessaging/delivery/outcome';
import { RunRejected } from '../../../nodes/OutboundMessaging/delivery/runRejected';
import * as errors from '../../../nodes/OutboundMessaging/output/errors';
import * as hints from '../../../nodes/OutboundMessaging/output/hints';
import { outputItems } from '../../../nodes/OutboundMessaging/output/items';
import { addRecipientHints } from '../../../nodes/OutboundMessaging/output/recipientHints';
import { testRunHints } from '../../../nodes/OutboundMessaging/parameters/testRunNotes';
import { expectListed } from '../../docs/errorsPage.cts';
import { words } from '../help';

for (const { message } of testRunHints) expectListed(message);

type Hint = (context: IExecuteFunctions, of: Array<Message | Outcome>) => void;

type Hints = { hint: Hint; of: Array<Message | Outcome>; added: unknown[] };

interface Row {
	outcomes: Outcome[];
	state: { hasSendOnceKeys: boolean; isCanceled: boolean };
	itemIndex: number;
	message: string;
	description: string;
}

const node = { name: 'Send', type: 'test', typeVersion: 1, parameters: {} } as unknown as INode;
const failureOf = (title: string) => ({ title, description: `Fix ${title}` });
const failed = (delivery: string, title: string, more: Partial<Failed> = {}) =>
	({ delivery, failure: failureOf(title), ...more }) as Failed;

const OK: Outcome = { delivery: 'accepted', record: { status: 'sent' } };
const odd = (status: string): Outcome => ({ delivery: 'accepted', record: { status } });
const CHANGED: Outcome = { ...OK, contentChanged: true };
const SENT: Outcome = { delivery: 'skipped', why: ALREADY_SENT, details: {} };
const CHANGED_ITEMS = Array.from({ length: 12 }, (_, index) => (index === 2 ? OK : CHANGED));
const BLOCKED: Outcome = { ...SENT, why: { ...ALREADY_SENT, forPeople: "on 'Do Not Contact'" } };
const NO = failed('rejected', 'No');
const FATAL = failed('rejected', 'Fatal', { isFatal: true });
const MAYBE = failed('uncertain', 'Maybe');
const OLD = failed('uncertain', 'Old', { fromPreviousTry: true });
const LATE = failed('notAttempted', 'Late');
/** A message to a number or ID, of a customer with that name. */
const to = (written: string, recipient = written, givenRecipient?: string) => {
	const request = { body: { customer_phone: written } };
	return { recipient, givenRecipient, request } as unknown as Message;
};
const TO_SEND = to('1');
const OTHER = to('2');
const OTHER_TO = { ...to('1'), tested: to('2') };
const EXAMPLE = 'e.g. "011 15 ‹2345-6789>" to +5491123456789';

const COUNTED = '(n8n counts items from 0)';
const BATCH = "The other messages of this batch were sent. In a loop, later batches weren't.";
const UNSENT =
	"A retry uses the old data: to send corrected data, run the workflow with only the rows that weren't sent.";
const AGAIN = 'Running the workflow or this step again sends the accepted messages again.';
const WITHOUT_IT =
	"To continue without what's uncertain, set 'On Error' to Continue, then choose 'Retry with currently saved workflow' in the executions list.";
const RETRY =
	"To send the rest, open 'Executions', select this execution and choose 'Retry with currently saved workflow'.";

describe('the error of a run, in stop mode', () => {
	const FIRST_TRY = { inEarlierTries: 0, inExecution: 0 };
	const KEYS = { hasSendOnceKeys: true, isCanceled: false };
	const NO_KEYS = { hasSendOnceKeys: false, isCanceled: false };
	const CANCELED = { hasSendOnceKeys: false, isCanceled: true };
	const STOPPED = 'The execution was canceled before all messages were sent';

	it.each`
		outcomes              | state       | itemIndex | message    | description
		${[NO]}               | ${KEYS}     | ${0}      | ${'No'}    | ${'Fix No.'}
		${[MAYBE]}            | ${NO_KEYS}  | ${0}      | ${'Maybe'} | ${`Fix Maybe. ${WITHOUT_IT}`}
		${[LATE, OLD]}        | ${KEYS}     | ${1}      | ${'Old'}   | ${`Fix Old. 0 of 2 messages accepted, 1 uncertain, 1 not attempted. Uncertain: item 1 ${COUNTED}. ${WITHOUT_IT}`}
		${[OLD, NO]}          | ${KEYS}     | ${1}      | ${'No'}    | ${`Fix No. 0 of 2 messages accepted, 1 rejected, 1 uncertain. Why: Old (1) · No (1). Uncertain: item 0 ${COUNTED}. ${WITHOUT_IT}`}
		${[NO, FATAL, FATAL]} | ${KEYS}     | ${1}      | ${'Fatal'} | ${'Fix Fatal. 0 of 3 messages accepted, 3 rejected. Why: Fatal (2) · No (1).'}
		${[OK, NO]}           | ${NO_KEYS}  | ${1}      | ${'No'}    | ${`Fix No. ${AGAIN} 1 of 2 messages accepted, 1 rejected. ${RETRY} ${UNSENT}`}
		${[OK, LATE, SENT]}   | ${KEYS}     | ${1}      | ${'Late'}  | ${"Fix Late. 1 of 3 messages accepted, 1 not attempted, 1 skipped. To send the rest, run the workflow again: 'Send Once Key' skips the accepted messages."}
		${[OK, MAYBE]}        | ${KEYS}     | ${1}      | ${'Maybe'} | ${`Fix Maybe. 1 of 2 messages accepted, 1 uncertain. Uncertain: item 1 ${COUNTED}. ${BATCH} ${WITHOUT_IT}`}
		${[OK, MAYBE]}        | ${NO_KEYS}  | ${1}      | ${'Maybe'} | ${`Fix Maybe. ${AGAIN} 1 of 2 messages accepted, 1 uncertain. Uncertain: item 1 ${COUNTED}. ${BATCH} ${WITHOUT_IT}`}
		${[MAYBE, LATE]}      | ${CANCELED} | ${0}      | ${STOPPED} | ${`Run the workflow again with the remaining items. 0 of 2 messages accepted, 1 uncertain, 1 not attempted. Uncertain: item 0 ${COUNTED}.`}
		${[OK, LATE]}         | ${CANCELED} | ${1}      | ${STOPPED} | ${'Run the workflow again with the remaining items. Running the workflow or this step again sends the accepted messages again. 1 of 2 messages accepted, 1 not attempted.'}
	`('$description', ({ outcomes, state, itemIndex, message, description }: Row) => {
		const shown = { name: 'NodeOperationError', message, description, context: { itemIndex } };
		expect(errors.runError(node, outcomes, FIRST_TRY, state)).toMatchObject(shown);
	});

	it('of a status that the service responded with, and of the cause as n8n calls it, or none', () => {
		expect(errors.runError(node, [OK, SENT], FIRST_TRY, KEYS)).toBeUndefined();
		const n8nCause = { cause: 'rate-limited', retryAfterMs: 1000 } as const;
		const failure = { ...failureOf('No'), statusCode: 429, n8nCause };
		const error = errors.runError(node, [{ ...NO, failure }], FIRST_TRY, KEYS);
		const shown = { name: 'NodeApiError', message: 'No', httpCode: '429', failure: n8nCause };
		expect(error).toMatchObject(shown);
	});

	const n8nCause = { cause: 'configuration-invalid' };
	const CHECK = "Check the node's parameters and its credential, then run the workflow again";
	it.each([
		[new RunRejected(failureOf('No')), failureOf('No')],
		[Object.assign(new Error('No'), { description: 'Fix No' }), { ...failureOf('No'), n8nCause }],
		[new Error('No'), { title: 'No', description: CHECK, n8nCause }],
	])('whatever was thrown before anything was sent: %s', (error, failure) => {
		expect(errors.failureOfRun(error)).toEqual(failure);
	});
});

describe('above the output', () => {
	/** The hints that are added, as `info: …`. */
	const hintsOf = (hint: Hint, of: Array<Message | Outcome>) => {
		const added: NodeExecutionHint[] = [];
		const addExecutionHints = (hint: NodeExecutionHint) => added.push(hint);
		const context = { addExecutionHints, getNode: () => node, getMode: () => 'manual' };
		hint(context as unknown as IExecuteFunctions, of);
		return added.map(({ message, type, location }) => {
			expectListed(message);
			expect(location).toBe('outputPane');
			return `${type}: ${message}`;
		});
	};

	const NEWS = [OLD, NO, LATE, MAYBE];
	const statuses = (text: string) => words(text).map(odd);
	const outcomes: Hint = (context, of) => hints.addOutcomeHints(context, of as Outcome[], 0);
	const pushedOut: Hint = (context, of) => hints.addOutcomeHints(context, of as Outcome[], 4);
	const messages: Hint = (context, of) => hints.addMessageHints(context, of as Message[]);
	const once: Hint = (context, of) => {
		const getNode = () => ({ ...node, executeOnce: true });
		const getWorkflowDataProxy = () => ({ $input: { all: () => [...of, ...of, ...of] } });
		hints.addMessageHints({ ...context, getNode, getWorkflowDataProxy } as never, of as Message[]);
	};
	const dryRun: Hint = (context, of) =>
		hints.addDryRunHints(
			context,
			of.map((each) => ('delivery' in each ? { outcome: each } : { message: each })),
		);

	const twelve = (message: Message) => Array<Message>(12).fill(message);
	const national = to('+5491123456789', '+541123456789', '011 15 <2345-6789>');
	const TESTED = { ...OTHER_TO, tested: national };
	const gap = (...emptyPaths: string[]): Message => ({ ...TO_SEND, itemIndex: 0, emptyPaths });
	const AS_GIVEN = [to('1'), to('7', '7', '007'), to('+4930', '+4930', '(0049) 30')];
	const READDRESSED = 'info: 12 messages go to your test recipient 1 instead of customers';
	it.each`
		hint         | of                                                   | added
		${outcomes}  | ${[OK, OK]}                                          | ${[]}
		${pushedOut} | ${[OK, OK]}                                          | ${[expect.stringMatching(/^warning: .*keys of 4 earlier messages/)]}
		${outcomes}  | ${[SENT]}                                            | ${['info: 0 of 1 message accepted, 1 skipped (1 already sent)']}
		${outcomes}  | ${[OK, SENT, BLOCKED, BLOCKED]}                      | ${["info: 1 of 4 messages accepted, 3 skipped (2 on 'Do Not Contact', 1 already sent)"]}
		${outcomes}  | ${[OK, NO, LATE, LATE, MAYBE]}                       | ${['warning: 1 of 5 messages accepted, 1 rejected, 1 uncertain, 2 not attempted. Why: Late (2) · No (1) · Maybe (1)']}
		${outcomes}  | ${[...NEWS, SENT]}                                   | ${['warning: 0 of 5 messages accepted, 1 rejected, 2 uncertain, 1 not attempted, 1 skipped (1 already sent). Why: Old (1) · No (1) · Late (1) · and 1 other reason']}
		${outcomes}  | ${[...NEWS, FATAL]}                                  | ${['warning: 0 of 5 messages accepted, 2 rejected, 2 uncertain, 1 not attempted. Why: Old (1) · No (1) · Late (1) · and 2 other reasons']}
		${outcomes}  | ${CHANGED_ITEMS}                                     | ${[`warning: The content of items 0, 1, 3 to 11 ${COUNTED} changed after an earlier try sent the message. A retry doesn't send it again, so the customer has the earlier content`]}
		${outcomes}  | ${statuses('failed')}                                | ${[expect.stringContaining('1 accepted message with an unusual status: "failed" (1). See')]}
		${outcomes}  | ${statuses('<b> b c d')}                             | ${[expect.stringContaining('4 accepted messages with an unusual status: "‹b>" (1), "b" (1), "c" (1)')]}
		${outcomes}  | ${[...statuses('failed queued ongoing queued'), NO]} | ${[expect.any(String), 'warning: 3 accepted messages with an unusual status: "queued" (2), "failed" (1). See the service\'s dashboard']}
		${dryRun}    | ${[TO_SEND, NO, NO, SENT]}                           | ${['warning: Dry run: 1 of 4 messages would be sent to 1 recipient, 2 rejected, 1 skipped (1 already sent). Why: No (2)']}
		${dryRun}    | ${[TO_SEND, OK, SENT]}                               | ${['info: Dry run: 1 of 3 messages would be sent to 1 recipient, 1 skipped (1 already sent)']}
		${dryRun}    | ${[OTHER, TO_SEND, OTHER]}                           | ${['info: Dry run: 3 of 3 messages would be sent to 2 recipients']}
		${dryRun}    | ${[TO_SEND, OK]}                                     | ${['info: Dry run: 1 of 2 messages would be sent to 1 recipient']}
		${dryRun}    | ${[NO]}                                              | ${['warning: Dry run: 0 of 1 message would be sent, 1 rejected. Why: No (1)']}
		${dryRun}    | ${[TO_SEND, { ...TO_SEND, sendOnceKey: 'k' }]}       | ${[expect.any(String), expect.stringContaining("send-once keys aren't looked up")]}
		${messages}  | ${twelve(to('+4930123456'))}                         | ${['warning: All 12 messages go to +4930123456. If each item has its own recipient, map it from the item']}
		${messages}  | ${[...twelve(to('+4930123456')), to('+4930123457')]} | ${[]}
		${messages}  | ${twelve(to('+4930123456')).slice(0, 3)}             | ${[]}
		${messages}  | ${twelve(to('+4930123456')).slice(0, 4)}             | ${[expect.stringContaining('All 4 messages go to')]}
		${once}      | ${[TO_SEND]}                                         | ${["warning: Only the first of 3 items was read: 'Execute Once' is on in this node's Settings"]}
		${messages}  | ${AS_GIVEN}                                          | ${[]}
		${messages}  | ${[to('+4930', '+4930', '+49 (0) 30'), to('+4930')]} | ${[]}
		${messages}  | ${[OTHER_TO]}                                        | ${['info: 1 message goes to your test recipient 1 instead of customers']}
		${messages}  | ${twelve(OTHER_TO)}                                  | ${[READDRESSED]}
		${messages}  | ${[{ ...TO_SEND, itemIndex: 0, text: 'NaN' }]}       | ${[`warning: 1 text with what an expression gives for a missing field: "NaN" (1). See item 0 ${COUNTED}`]}
		${messages}  | ${[gap('{{ $json.a }}', '{{ $json.b }}')]}           | ${[`warning: 1 text with a gap where an expression found no value: "{{ $json.a }}" (1), "{{ $json.b }}" (1). See item 0 ${COUNTED}`]}
		${messages}  | ${[national]}                                        | ${[`info: 'Default Country' completed 1 phone number without a plus sign, ${EXAMPLE}`]}
		${messages}  | ${twelve(TESTED)}                                    | ${[READDRESSED, `info: 'Default Country' completed 12 phone numbers without a plus sign, ${EXAMPLE}`]}
	`('$hint.name: $added', ({ hint, of, added }: Hints) => {
		expect(hintsOf(hint, of)).toEqual(added);
	});
});

const TO_PHONES = [
	'+4915123456789',
	'+4915123456788',
	'+20225550143',
	'+33700123456',
	'+15550100200',
];
const BY_COUNTRY = 'info: Dry run: recipients by country: Germany 2, Egypt 1, France 1, unknown 1';
const ODD_PHONE =
	"warning: Phone numbers that may not exist: 1, e.g. +33700123456. They aren't rejected, since a numbering plan can be newer than this node";
const ODD_ID =
	'warning: Customer IDs that may be phone numbers: 2, e.g. 12025550143. This operation needs the IDs that the service gives its customers';
it.each([
	[TO_PHONES, true, [ODD_PHONE, BY_COUNTRY]],
	[[...TO_PHONES, ...TO_PHONES], false, [ODD_PHONE]],
	[['+4915123456789'], false, []],
	// Older spellings of an account, and numbers that are made up.
	[['+553187654321', '+5215512345678', '+22507010203', '+15550100200', '+447700900461'], false, []],
	[['12025550143', '4915123456789', '4711', '45123456'], true, [ODD_ID]],
	[['4711', '9007199254740993', '46701740'], false, []],
	[[], true, []],
])('to %j, dry run %j: %j', async (recipients, isDryRun, added) => {
	const found: string[] = [];
	const addExecutionHints = ({ message, type }: NodeExecutionHint) => {
		expectListed(message);
		found.push(`${type}: ${message}`);
	};
	const list = recipients.map((recipient) => ({
		request: {
			body: recipient.startsWith('+') ? { customer_phone: recipient } : { customer_id: recipient },
		},
	}));
	const context = { addExecutionHints } as unknown as IExecuteFunctions;
	await addRecipientHints(context, list as unknown as Message[], isDryRun);
	expect(found).toEqual(added);
});

it('an item for the error output has an error as releases of n8n up to 2.32 want it, that no copy has', async () => {
	const [item] = await outputItems({ ...node, onError: 'continueErrorOutput' }, [NO]);
	expect(item.error?.message).toBe('No. Fix No');
	expect(Object.keys(item)).toEqual(['json', 'pairedItem']);
	// As those releases do.
	expect(Object.assign(item, { error: undefined }).error).toBeUndefined();
	const [regular] = await outputItems({ ...node, onError: 'continueRegularOutput' }, [NO]);
	expect(regular.error).toBeUndefined();
});
