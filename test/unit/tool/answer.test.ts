import type { Outcome } from '../../../nodes/OutboundMessaging/delivery/outcome';
import type { Facts } from '../../../nodes/OutboundMessaging/tool/answer';
import { answerText, toolAnswer } from '../../../nodes/OutboundMessaging/tool/answer';

interface Row {
	outcome: Outcome;
	facts: Partial<Facts>;
	answer: object;
	note: RegExp;
	names: string[];
	fix: string;
}

const record = { id: 'm1', status: 'sent' };
const accepted: Outcome = { delivery: 'accepted', record };
const changed: Outcome = { ...accepted, contentChanged: true };
const repeated = { ...record, alreadySent: true };
const key = { sendOnceKey: 'k' };
const skipped: Outcome = { delivery: 'skipped', reason: 'alreadySent', details: key };
const skippedAs = (reason: string) => ({ ...key, skipped: true, reason });

test.each`
	what                                    | outcome     | facts                     | answer                             | note
	${'accepted before'}                    | ${accepted} | ${{ isRepeated: true }}   | ${repeated}                        | ${/wasn't sent again/}
	${'… with different content'}           | ${changed}  | ${{ isRepeated: true }}   | ${repeated}                        | ${/different content/}
	${'skipped'}                            | ${skipped}  | ${{}}                     | ${skippedAs('alreadySent')}        | ${/Nothing was sent now/}
	${'… with the key of another customer'} | ${skipped}  | ${{ isKeyOfOther: true }} | ${skippedAs('keyOfOtherCustomer')} | ${/This customer got nothing.*another customer.*tell the person/}
`('$what', ({ outcome, facts, answer, note }: Row) => {
	const answered = toolAnswer(outcome, facts, () => []);
	expect(answered).toEqual({ ...answer, note: expect.stringMatching(note) as string });
});

test('accepted: the record alone', () => {
	expect(toolAnswer(accepted, {}, () => [])).toEqual(record);
});

const rejected = (more: object = {}): Outcome => ({
	delivery: 'rejected',
	failure: { title: 'It was rejected', description: 'Correct it', ...more },
});
const because = (cause: string, more: object = {}) => rejected({ n8nCause: { cause, ...more } });
const CALL_AGAIN = 'Call this tool again with another value for';
const HOPELESS = "Calling this tool again won't help: tell the person who runs this workflow.";
const MAPPED = {
	parameter: 'customerId',
	description: 'Enter the ID, or map a field that has a value. Use digits. Or a phone number',
};
const FIELD = { description: 'Correct the field of this item' };
const FORBIDDEN = { statusCode: 403, description: 'Nothing was sent to anyone. Check the key' };
const SETTING = { parameter: 'text', n8nCause: { cause: 'configuration-invalid' } };
const ITSELF = { ...SETTING, description: "Call this tool again without 'id'" };
const CLOSED = { reason: 'outsideAllowedHours', description: 'Run this item again then' };

test.each`
	what                              | outcome                                                    | names                                     | fix
	${'no response'}                  | ${rejected({ description: 'Check the URL. Ask someone' })} | ${[]}                                     | ${'Check the URL. Ask someone.'}
	${'nothing that an agent can do'} | ${rejected(FIELD)}                                         | ${[]}                                     | ${''}
	${'a value of the agent'}         | ${rejected({ parameter: 'customerId' })}                   | ${['customer_id']}                        | ${`${CALL_AGAIN} 'customer_id'. Correct it.`}
	${'… without what to do in n8n'}  | ${rejected(MAPPED)}                                        | ${['customer_id', 'customer_id', 'shop']} | ${`${CALL_AGAIN} 'customer_id' and 'shop'. Use digits. Or a phone number.`}
	${'what it may be about'}         | ${rejected({ statusCode: 400, ...FIELD })}                 | ${['customer_id', 'text']}                | ${"If the error is about 'customer_id' or 'text', call this tool again with another value for it. Otherwise tell the person who runs this workflow."}
	${'no value of the agent'}        | ${rejected({ statusCode: 400, ...FIELD })}                 | ${[]}                                     | ${HOPELESS}
	${'access is denied'}             | ${rejected(FORBIDDEN)}                                     | ${['text']}                               | ${`${HOPELESS} Check the key.`}
	${'outside the allowed hours'}    | ${rejected(CLOSED)}                                        | ${[]}                                     | ${"Don't call this tool again before that time."}
	${'a value of the workflow'}      | ${rejected(SETTING)}                                       | ${[]}                                     | ${`${HOPELESS} Correct it.`}
	${'the credential'}               | ${because('credential-invalid')}                           | ${[]}                                     | ${`${HOPELESS} Correct it.`}
	${'a mistake of the node'}        | ${because('node-defect')}                                  | ${[]}                                     | ${`${HOPELESS} Correct it.`}
	${'a rate limit'}                 | ${because('rate-limited')}                                 | ${[]}                                     | ${'Call this tool again later.'}
	${'a rate limit with a time'}     | ${because('rate-limited', { retryAfterMs: 3_600_000 })}    | ${[]}                                     | ${'The service asks to wait 3600 seconds: call this tool again after that.'}
	${'the database'}                 | ${because('temporarily-unavailable')}                      | ${[]}                                     | ${'Call this tool again later. Correct it.'}
	${'a fix for the agent itself'}   | ${rejected(ITSELF)}                                        | ${[]}                                     | ${`${ITSELF.description}.`}
`('$what: what the agent is told to do', ({ outcome, names, fix }: Row) => {
	const answer = toolAnswer(outcome, {}, () => names);
	const whole = `Nothing was sent. ${fix}`.trim();
	expect(answer).toMatchObject({
		error: 'It was rejected',
		details: { delivery: outcome.delivery, fix: whole },
	});
	expect(answerText(answer)).toBe(`It was rejected. ${whole}`);
});

test.each<['uncertain' | 'notAttempted', Partial<Facts>, RegExp]>([
	[
		'uncertain',
		{},
		/^It failed. The message may have been sent. Don't call .* twice. Tell a person/,
	],
	[
		'notAttempted',
		{ wasUncertain: true },
		/an earlier .* may have been. Don't call .*Tell a person/,
	],
	['notAttempted', { isStopped: true }, /Calling this tool again won't help/],
])(
	'%s, %j: the agent is told not to call again, whatever the failure advises',
	(delivery, facts, said) => {
		const failure = { title: 'It failed', description: 'Then run this item again' };
		const text = answerText(toolAnswer({ delivery, failure }, facts, () => ['text']));
		expect(text).toMatch(said);
		expect(text).not.toMatch(/item|call this tool again later/i);
	},
);
