import { Faults, type Conditions, type FaultRule } from '../../sandbox/faults.cts';
import { useSandbox } from './sandbox.cts';

const used = useSandbox();

/** What a client sees of each fault is asserted where the node meets it, and of most faults whether it has the message. */
test.each<[taken: boolean, rule: FaultRule]>([
	[true, { what: 'cutDuringBody' }],
	[true, { what: 'slowBody', ms: 50 }],
	[false, { what: 'empty', accepted: false }],
])('the service has taken the message (%j): %j', async (accepted, rule) => {
	used.sandbox.faults.set([rule]);
	await used.post('text').catch(() => {});
	expect(used.sandbox.ledger.entries()).toMatchObject([{ accepted, fault: rule.what }]);
});

/** Which of these requests, counted from 1, the rule strikes. */
function struck(when: Conditions | undefined, recipients: string[]): number[] {
	const faults = new Faults();
	faults.set([{ what: 'cutAfter', when }]);
	return recipients.flatMap((recipient, index) =>
		faults.meet({ operation: 'send_text_message', recipient }, 'valid') ? [index + 1] : [],
	);
}

test.each<[Conditions | undefined, string[], number[]]>([
	[undefined, ['1', '1'], [1, 2]],
	[{ nth: [1, 3] }, ['1', '1', '1', '1'], [1, 3]],
	[{ first: 2 }, ['1', '1', '1'], [1, 2]],
	[{ every: 2 }, ['1', '1', '1', '1', '1'], [2, 4]],
	[{ recipient: ['7', '8'] }, ['8', '1', '7'], [1, 3]],
	[{ recipient: '7', nth: 2 }, ['7', '1', '7'], [3]],
	[{ operation: 'send_template_message' }, ['1'], []],
	[{ perRecipientFirst: 1 }, ['1', '2', '1', '2', '3'], [1, 2, 5]],
	[{ probability: 0.3, seed: 7 }, Array<string>(10).fill('1'), [1, 2, 8]],
])('when %j', (when, recipients, expected) => {
	expect(struck(when, recipients)).toEqual(expected);
});

test('the first rule that strikes wins, and every rule counts for itself', () => {
	const faults = new Faults();
	faults.set([
		{ name: 'a', what: 'cutAfter', when: { nth: [1, 2] } },
		{ name: 'b', what: 'cutBefore', when: { nth: [2, 3] } },
	]);
	const request = { operation: 'send_text_message', recipient: '1' } as const;
	const names = [1, 2, 3, 4].map(() => faults.meet(request, 'valid')?.name);
	expect(names).toEqual(['a', 'a', 'b', undefined]);
	expect(faults.list()).toMatchObject([{ hits: 2 }, { hits: 1 }]);
});

test.each([
	['no list', { what: 'cutAfter' }],
	['an inherited name', [{ what: 'toString' }]],
	['an unknown setting', [{ what: 'latency', msec: 5 }]],
	['a setting of the wrong type', [{ what: 'latency', ms: '5' }]],
	['an unknown condition', [{ what: 'cutAfter', when: { nht: 2 } }]],
	['a missing status', [{ what: 'status' }]],
	['a record without a valid message', [{ what: 'slowBody', evenInvalid: true }]],
])('a mistyped rule is an error: %s', async (_, rules) => {
	const response = await used.control('faults', 'PUT', rules);
	expect(response.status).toBe(400);
	expect(await response.json()).toMatchObject({ code: 'fault_rule' });
});

test('set, read and cleared over HTTP', async () => {
	const rules = [{ what: 'status', status: 500, when: { first: 1 } }];
	await used.control('faults', 'PUT', rules);
	expect((await used.post('text')).status).toBe(500);
	expect((await used.post('text')).status).toBe(200);
	const list = await (await used.control('faults')).json();
	expect(list).toEqual([{ ...rules[0], matched: 2, hits: 1 }]);
	expect((await used.control('faults', 'DELETE')).status).toBe(204);
	expect(used.sandbox.faults.list()).toEqual([]);
});
