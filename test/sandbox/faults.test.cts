import { Faults, type Conditions } from '../../sandbox/faults.cts';
import { useSandbox } from './sandbox.cts';

const used = useSandbox();

/** When which of these requests, counted from 1, is struck. */
test.each<[Conditions | undefined, string[], number[]]>([
	[undefined, ['1', '1'], [1, 2]],
	[{ nth: [1, 3] }, ['1', '1', '1', '1'], [1, 3]],
	[{ first: 2 }, ['1', '1', '1'], [1, 2]],
	[{ every: 2 }, ['1', '1', '1', '1', '1'], [2, 4]],
	[{ recipient: ['7', '8'] }, ['8', '1', '7'], [1, 3]],
	[{ recipient: '7', nth: 2 }, ['7', '1', '7'], [3]],
	[{ operation: 'send_template_message' }, ['1'], []],
	[{ perRecipientFirst: 1 }, ['1', '2', '1', '2', '3'], [1, 2, 5]],
])('when %j', (when, recipients, expected) => {
	const faults = new Faults();
	faults.set([{ what: 'cutAfter', when }]);
	const struck = recipients.flatMap((recipient, index) =>
		faults.meet({ operation: 'send_text_message', recipient }, 'valid') ? [index + 1] : [],
	);
	expect(struck).toEqual(expected);
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
