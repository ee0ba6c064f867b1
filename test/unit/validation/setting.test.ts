import {
	choiceOf,
	numberIn,
	switchValue,
} from '../../../nodes/OutboundMessaging/validation/setting';
import type { Rejection } from '../help';
import { itRejects, NOTHING_FOUND } from '../help';

/** What all settings say about these values. */
const emptyOrSeveral = (fix: string): Rejection[] => [
	['is empty', fix, ''],
	['received several values at once', fix, [5], { a: 1 }],
	NOTHING_FOUND,
];

describe('a switch', () => {
	it('may be text', () => {
		expect([true, false, 'true', 'false'].map(switchValue)).toEqual([true, false, true, false]);
	});

	const FIX = 'Turn it on or off, or use an expression that gives true or false';
	itRejects(switchValue, [
		['is …', FIX, 1, 0, 'yes', 'no', 'TRUE', ' true', NaN],
		...emptyOrSeveral(FIX),
	]);
});

describe('a choice', () => {
	const choose = choiceOf([
		{ name: 'Do Not Resend', value: 'doNotResend' },
		{ name: 'Resend', value: 'resend' },
	]);

	it('takes the values of its list', () => {
		expect(['doNotResend', 'resend'].map(choose)).toEqual(['doNotResend', 'resend']);
	});

	const FIX =
		'Choose from the list, or use an expression that gives one of doNotResend (Do Not Resend), resend (Resend)';
	itRejects(choose, [
		['is …', FIX, 'Resend', 'RESEND', ' resend', 'toString', true, 1],
		...emptyOrSeveral(FIX),
	]);
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
	])('%# is fine', (check, given, value) => {
		expect(check(given)).toBe(value);
	});

	const FIX = 'Use a whole number from 1 to 1000';
	itRejects(whole, [
		['is …', FIX, 0, 1001, '2.5', 2 ** 31, NaN, Infinity, -Infinity, ' ', '1,000', true, 10n],
		...emptyOrSeveral(FIX),
	]);
	const ANY = 'Use a number from 0 to 86400';
	itRejects(any, [['is …', ANY, 86_401, -1, ' ', true], ...emptyOrSeveral(ANY)]);
});
