import type { Outcome } from '../../../nodes/OutboundMessaging/delivery/outcome';
import type { Facts } from '../../../nodes/OutboundMessaging/output/toolAnswer';
import { answerText, toolAnswer } from '../../../nodes/OutboundMessaging/output/toolAnswer';

const record = { id: 'm1', status: 'sent' };
const rejected = (more: object = {}): Outcome => ({
	delivery: 'rejected',
	failure: { title: 'It was rejected', description: 'Correct it', ...more },
});
const asked = (names: string[]) => () => names;

test.each<[string, Outcome, Partial<Facts>, object]>([
	['accepted: the record', { delivery: 'accepted', record }, {}, record],
	[
		'accepted before: the record, and that it was not sent again',
		{ delivery: 'accepted', record },
		{ isRepeated: true },
		{ ...record, alreadySent: true, note: expect.stringContaining("wasn't sent again") },
	],
	[
		'accepted before with different content',
		{ delivery: 'accepted', record, contentChanged: true },
		{ isRepeated: true },
		{ ...record, alreadySent: true, note: expect.stringContaining('different content') },
	],
	[
		'skipped',
		{ delivery: 'skipped', reason: 'alreadySent', details: { sendOnceKey: 'k' } },
		{},
		{
			skipped: true,
			reason: 'alreadySent',
			sendOnceKey: 'k',
			note: expect.stringContaining('Nothing was sent now'),
		},
	],
	[
		'skipped: the key of another customer',
		{ delivery: 'skipped', reason: 'alreadySent', details: { sendOnceKey: 'k' } },
		{ isKeyOfOther: true },
		{
			skipped: true,
			reason: 'keyOfOtherCustomer',
			sendOnceKey: 'k',
			note: expect.stringMatching(/This customer got nothing.*another customer.*tell the person/),
		},
	],
])('%s', (_, outcome, facts, answer) => {
	expect(toolAnswer(outcome, facts, asked([]))).toEqual(answer);
});

test.each<[string, Outcome, string[], string]>([
	['rejected by the service', rejected(), [], 'Nothing was sent. Correct it.'],
	[
		'a value of the agent',
		rejected({ parameter: 'customerId' }),
		['customer_id'],
		"Nothing was sent. Call this tool again with another value for 'customer_id'. Correct it.",
	],
	[
		'a value of the agent: what to do in n8n is left out',
		rejected({
			parameter: 'customerId',
			description: 'Enter the ID, or map a field that has a value. Use digits',
		}),
		['customer_id', 'customer_id', 'shop'],
		"Nothing was sent. Call this tool again with another value for 'customer_id' and 'shop'. Use digits.",
	],
	[
		'rejected by the service: the arguments that it may be about',
		rejected({ statusCode: 400, description: 'Correct the field, then run this item again' }),
		['customer_id', 'text'],
		"Nothing was sent. If the error is about 'customer_id' or 'text', call this tool again with another value for it. Otherwise tell the person who runs this workflow.",
	],
	[
		'rejected by the service, and nothing is the agent’s',
		rejected({ statusCode: 400, description: 'Correct the field, then run this item again' }),
		[],
		"Nothing was sent. Calling this tool again won't help: tell the person who runs this workflow.",
	],
	[
		'access is denied',
		rejected({ statusCode: 403, description: 'Nothing was sent to anyone. Check the key' }),
		['text'],
		"Nothing was sent. Calling this tool again won't help: tell the person who runs this workflow. Check the key.",
	],
	[
		'outside the allowed hours',
		rejected({ code: 'outsideAllowedHours', description: 'Run this item again then' }),
		[],
		"Nothing was sent. Don't call this tool again before that time.",
	],
	[
		'a value of the workflow',
		rejected({ parameter: 'text', n8nCause: { cause: 'configuration-invalid' } }),
		[],
		"Nothing was sent. Calling this tool again won't help: tell the person who runs this workflow. Correct it.",
	],
	[
		'the credential',
		rejected({ n8nCause: { cause: 'credential-invalid' } }),
		[],
		"Nothing was sent. Calling this tool again won't help: tell the person who runs this workflow. Correct it.",
	],
	[
		'a rate limit',
		rejected({ n8nCause: { cause: 'rate-limited' } }),
		[],
		'Nothing was sent. Call this tool again later.',
	],
	[
		'a rate limit with a time',
		rejected({ n8nCause: { cause: 'rate-limited', retryAfterMs: 3_600_000 } }),
		[],
		'Nothing was sent. The service asks to wait 3600 seconds: call this tool again after that.',
	],
	[
		'the database',
		rejected({ n8nCause: { cause: 'temporarily-unavailable' } }),
		[],
		'Nothing was sent. Call this tool again later. Correct it.',
	],
	[
		'a fix for the agent itself',
		rejected({
			description: "Call this tool again without 'id'",
			n8nCause: { cause: 'configuration-invalid' },
		}),
		[],
		"Nothing was sent. Call this tool again without 'id'.",
	],
	[
		'uncertain: whatever the failure advises, the agent must not call again',
		{ ...(rejected() as object), delivery: 'uncertain' } as Outcome,
		[],
		"The message may have been sent. Don't call this tool again for this customer: that could send the message twice. Tell a person to check the service's dashboard.",
	],
])('%s: what the agent is told to do', (_, outcome, names, fix) => {
	const answer = toolAnswer(outcome, {}, asked(names));
	expect(answer).toMatchObject({
		error: 'It was rejected',
		details: { delivery: outcome.delivery, fix },
	});
	expect(answerText(answer)).toBe(`It was rejected. ${fix}`);
});

test.each<[string, Partial<Facts>, RegExp]>([
	['an earlier message may have been sent', { wasUncertain: true }, /Don't call.*Tell a person/],
	['too many messages failed', { isStopped: true }, /Calling this tool again won't help/],
])('%s', (_, facts, fix) => {
	const failure = { title: 'There was no time', description: 'Then run this item again' };
	const { details } = toolAnswer({ delivery: 'notAttempted', failure }, facts, asked(['text']));
	expect(details).toMatchObject({ fix: expect.stringMatching(fix) });
	expect(JSON.stringify(details)).not.toMatch(/item|call this tool again later/i);
});
