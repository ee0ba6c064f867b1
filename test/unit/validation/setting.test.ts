import {
	choiceOf,
	numberIn,
	switchValue,
} from '../../../nodes/OutboundMessaging/validation/setting';
import { NOTHING, rejects } from '../help';

/** What all settings say about these values. */
function itRejects(check: (value: unknown) => unknown, fix: string, values: unknown[]): void {
	it.each`
		title                                | description            | values
		${'is …'}                            | ${fix}                 | ${values}
		${'is empty'}                        | ${fix}                 | ${['']}
		${'received several values at once'} | ${fix}                 | ${[[5], { a: 1 }]}
		${NOTHING.title}                     | ${NOTHING.description} | ${NOTHING.values}
	`('$title', rejects(check));
}

describe('a switch', () => {
	it('may be text', () =>
		expect([true, false, 'true', 'false'].map(switchValue)).toEqual([true, false, true, false]));

	const FIX = 'Turn it on or off, or use an expression that gives true or false';
	itRejects(switchValue, FIX, [1, 0, 'yes', 'no', 'TRUE', ' true', NaN]);
});

describe('a choice', () => {
	const choose = choiceOf([
		{ name: 'Do Not Resend', value: 'doNotResend' },
		{ name: 'Resend', value: 'resend' },
	]);

	it('takes the values of its list', () =>
		expect(['doNotResend', 'resend'].map(choose)).toEqual(['doNotResend', 'resend']));

	const FIX =
		'Choose from the list, or use an expression that gives one of doNotResend (Do Not Resend), resend (Resend)';
	itRejects(choose, FIX, ['Resend', 'RESEND', ' resend', 'toString', true, 1]);
});

describe('a number', () => {
	const whole = numberIn({ min: 1, max: 1000, whole: true });
	const any = numberIn({ min: 0, max: 86_400, whole: false });

	it.each<[typeof whole, unknown, number]>([
		[whole, 1, 1],
		[whole, 1000, 1000],
		[whole, ' 7\n', 7],
		[any, 0.5, 0.5],
		[any, '86400', 86_400],
	])('%# is fine', (check, given, value) => expect(check(given)).toBe(value));

	const FIX = 'Use a whole number from 1 to 1000';
	const OTHERS = [0, 1001, '2.5', 2 ** 31, NaN, Infinity, -Infinity, ' ', '1,000', true, 10n];
	itRejects(whole, FIX, OTHERS);
	itRejects(any, 'Use a number from 0 to 86400', [86_401, -1, ' ', true]);
});
