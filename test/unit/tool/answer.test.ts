import type { Failure, Outcome } from '../../../nodes/OutboundMessaging/delivery/outcome';
import { answerText, toolAnswer } from '../../../nodes/OutboundMessaging/tool/answer';

const answerTo = (
	outcome: Outcome,
	{ names = ['customer_id', 'text'], wasUncertain = false } = {},
) => toolAnswer(outcome, { wasUncertain, names });

const record = { id: 'm1', status: 'sent' };
const accepted = { delivery: 'accepted', record } as const;
const again = { ...accepted, fromPreviousTry: true };
const reason = 'alreadySent';
const skipped = { delivery: 'skipped', reason, details: { sendOnceKey: 'k' } } as const;
const SKIPPED = { skipped: true, reason, sendOnceKey: 'k' };

test.each<[Outcome, object, RegExp]>([
	[again, { ...record, alreadySent: true }, /wasn't sent again/],
	[{ ...again, contentChanged: true }, { ...record, alreadySent: true }, /different content/],
	[skipped, SKIPPED, /already sent to this customer. Nothing was sent now/],
])('%j', (outcome, answer, note) => {
	expect(answerTo(outcome)).toEqual({ ...answer, note: expect.stringMatching(note) as string });
});

const TELL = "Calling this tool again won't help: tell the person who runs this workflow.";
const LATER =
	'Call this tool again later. If that fails too, tell the person who runs this workflow.';
const ANOTHER = 'Call this tool again with another value for';
const PHONE = 'a phone number with a plus sign and the country code, e.g. +15550100200';
const because = (cause: string, more: object = {}) =>
	({ n8nCause: { cause, ...more } }) as Partial<Failure>;

test.each<[Partial<Failure>, string, string[]?]>([
	[{ parameter: 'customerPhone' }, `${ANOTHER} 'phone': ${PHONE}.`, ['phone']],
	[
		{ parameter: 'attributes', path: 'attribute[1].value' },
		`${ANOTHER} 'day' or 'time': a text of one line that isn't empty.`,
		['day', 'time'],
	],
	[{ parameter: 'aNewField' }, `${ANOTHER} 'a'.`, ['a']],
	[{ parameter: 'customerPhone', ...because('configuration-invalid') }, TELL, []],
	[{ reason: 'maxMessages', ...because('configuration-invalid') }, TELL],
	[{ reason: 'stopAfterFailures', ...because('rate-limited') }, TELL],
	[{ reason: 'outsideAllowedHours' }, "Don't call this tool again before that time."],
	[{ reason: 'toolCall' }, 'Correct it'],
	[
		{ statusCode: 400 },
		"If the error is about 'customer_id' or 'text', call this tool again with another value for it. Otherwise tell the person who runs this workflow.",
	],
	[{ statusCode: 400 }, TELL, []],
	[{ statusCode: 403 }, TELL],
	[{ statusCode: 401, ...because('credential-invalid') }, TELL],
	[because('configuration-invalid'), TELL],
	[because('node-defect'), TELL],
	[{}, TELL],
	[because('rate-limited'), LATER],
	[
		because('rate-limited', { retryAfterMs: 3_600_000 }),
		'The service asks to wait 3600 seconds: call this tool again after that.',
	],
	[because('temporarily-unavailable'), LATER],
])('after %j the agent is told: %s', (...[more, step, names]) => {
	const failure = { title: 'It was rejected', description: 'Correct it', ...more };
	const answer = answerTo({ delivery: 'rejected', failure }, { names });
	const fix = `Nothing was sent. ${step}`;
	expect(answer).toMatchObject({
		error: 'It was rejected',
		details: { delivery: 'rejected', fix },
	});
	expect(answerText(answer)).toBe(`It was rejected. ${fix}`);
});

test.each<[Outcome['delivery'], Partial<Failure>, boolean, RegExp]>([
	['uncertain', {}, false, /^It failed. The message may have been sent. Don't call .* twice. Te/],
	['notAttempted', {}, true, /an earlier .* may have been. Don't call .*Tell a person/],
	['rejected', { statusCode: 409 }, false, /an earlier .* may have been. Don't call .*Tell a/],
	['rejected', { reason: 'uncertainDelivery' }, false, /an earlier .* may have been. Don't call/],
])('%s, %j, uncertain before: %s: not to call again', (delivery, more, wasUncertain, said) => {
	const failure = { title: 'It failed', description: 'Then run this item again', ...more };
	const text = answerText(answerTo({ delivery, failure } as Outcome, { wasUncertain }));
	expect(text).toMatch(said);
	expect(text).not.toMatch(/item|call this tool again (?:later|with)/i);
});
