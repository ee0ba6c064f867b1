import type { Failure, Outcome } from '../../../nodes/OutboundMessaging/delivery/outcome';
import { answerText, toolAnswer } from '../../../nodes/OutboundMessaging/tool/answer';

const NAMES = ['customer_id', 'text'];
const answerTo = (outcome: Outcome, { names = NAMES, wasUncertain = false } = {}) =>
	toolAnswer(outcome, { wasUncertain, names });

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
interface Told {
	more: Partial<Failure>;
	step: string;
	names: string[];
}
const because = (cause: string, more: object = {}) =>
	({ n8nCause: { cause, ...more } }) as Partial<Failure>;

test.each`
	more                                                                   | step                                                                                                                                                  | names
	${{ parameter: 'customerPhone' }}                                      | ${`${ANOTHER} 'phone': ${PHONE}.`}                                                                                                                    | ${['phone']}
	${{ parameter: 'attributes', path: 'attribute[1].value' }}             | ${`${ANOTHER} 'day' or 'time': a text of one line that isn't empty.`}                                                                                 | ${['day', 'time']}
	${{ parameter: 'aNewField' }}                                          | ${`${ANOTHER} 'a'.`}                                                                                                                                  | ${['a']}
	${{ parameter: 'customerPhone', ...because('configuration-invalid') }} | ${TELL}                                                                                                                                               | ${[]}
	${{ reason: 'maxMessages', ...because('configuration-invalid') }}      | ${TELL}                                                                                                                                               | ${NAMES}
	${{ reason: 'stopAfterFailures', ...because('rate-limited') }}         | ${TELL}                                                                                                                                               | ${NAMES}
	${{ reason: 'outsideAllowedHours' }}                                   | ${"Don't call this tool again before that time."}                                                                                                     | ${NAMES}
	${{ reason: 'toolCall' }}                                              | ${'Correct it'}                                                                                                                                       | ${NAMES}
	${{ statusCode: 400 }}                                                 | ${"If the error is about 'customer_id' or 'text', call this tool again with another value for it. Otherwise tell the person who runs this workflow."} | ${NAMES}
	${{ statusCode: 400 }}                                                 | ${TELL}                                                                                                                                               | ${[]}
	${{ statusCode: 403 }}                                                 | ${TELL}                                                                                                                                               | ${NAMES}
	${{ statusCode: 401, ...because('credential-invalid') }}               | ${TELL}                                                                                                                                               | ${NAMES}
	${because('configuration-invalid')}                                    | ${TELL}                                                                                                                                               | ${NAMES}
	${because('node-defect')}                                              | ${TELL}                                                                                                                                               | ${NAMES}
	${{}}                                                                  | ${TELL}                                                                                                                                               | ${NAMES}
	${because('rate-limited')}                                             | ${LATER}                                                                                                                                              | ${NAMES}
	${because('rate-limited', { retryAfterMs: 3_600_000 })}                | ${'The service asks to wait 3600 seconds: call this tool again after that.'}                                                                          | ${NAMES}
	${because('temporarily-unavailable')}                                  | ${LATER}                                                                                                                                              | ${NAMES}
`('after $more the agent is told: $step', ({ more, step, names }: Told) => {
	const failure = { title: 'It was rejected', description: 'Correct it', ...more };
	const answer = answerTo({ delivery: 'rejected', failure }, { names });
	const fix = `Nothing was sent. ${step}`;
	const details = { delivery: 'rejected', fix };
	expect(answer).toMatchObject({ error: 'It was rejected', details });
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
