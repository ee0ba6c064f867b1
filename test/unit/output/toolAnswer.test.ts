import type { Outcome } from '../../../nodes/OutboundMessaging/delivery/outcome';
import { answerText, toolAnswer } from '../../../nodes/OutboundMessaging/output/toolAnswer';

const record = { id: 'm1', status: 'sent' };
const rejected = (more: object = {}): Outcome => ({
	delivery: 'rejected',
	failure: { title: 'It was rejected', description: 'Correct it', ...more },
});
const asked = (names: string[]) => () => names;

test.each<[string, Outcome, boolean, object]>([
	['accepted: the record', { delivery: 'accepted', record }, false, record],
	[
		'accepted before: the record, and that it was not sent again',
		{ delivery: 'accepted', record },
		true,
		{ ...record, alreadySent: true, note: expect.stringContaining("wasn't sent again") },
	],
	[
		'accepted before with different content',
		{ delivery: 'accepted', record, contentChanged: true },
		true,
		{ ...record, alreadySent: true, note: expect.stringContaining('different content') },
	],
	[
		'skipped',
		{ delivery: 'skipped', reason: 'alreadySent', details: { sendOnceKey: 'k' } },
		false,
		{
			skipped: true,
			reason: 'alreadySent',
			sendOnceKey: 'k',
			note: expect.stringContaining('Nothing was sent now'),
		},
	],
])('%s', (_, outcome, isRepeated, answer) => {
	expect(toolAnswer(outcome, isRepeated, asked([]))).toEqual(answer);
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
	const answer = toolAnswer(outcome, false, asked(names));
	expect(answer).toMatchObject({
		error: 'It was rejected',
		details: { delivery: outcome.delivery, fix },
	});
	expect(answerText(answer)).toBe(`It was rejected. ${fix}`);
});
