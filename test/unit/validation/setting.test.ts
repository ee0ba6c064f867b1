import {
	choiceOf,
	numberIn,
	switchValue,
} from '../../../nodes/OutboundMessaging/validation/setting';
import { refusalOf, visible } from '../help';

const NOTHING_FOUND = {
	message: 'is empty: the expression found no value',
	fix: 'Check that the input item has that field',
};

describe('a switch', () => {
	it.each([
		[true, true],
		[false, false],
		['true', true],
		['false', false],
	])('%j is %j', (given, on) => {
		expect(switchValue(given)).toBe(on);
	});

	const FIX = 'Turn it on or off, or use an expression that yields true or false';
	it.each([
		...[1, 0, 'yes', 'no', 'TRUE', ' true', NaN].map((each) => [each, `is "${each}"`, FIX]),
		['', 'is empty', FIX],
		[[], 'received several values at once', FIX],
		[{ a: 1 }, 'received several values at once', FIX],
		[null, NOTHING_FOUND.message, NOTHING_FOUND.fix],
		[undefined, NOTHING_FOUND.message, NOTHING_FOUND.fix],
	] as Array<[unknown, string, string]>)('%p is rejected', (given, message, fix) => {
		expect(refusalOf(() => switchValue(given))).toEqual({ message, fix });
	});
});

describe('a choice', () => {
	const choose = choiceOf([
		{ name: 'Do Not Resend', value: 'doNotResend' },
		{ name: 'Resend', value: 'resend' },
	]);

	it('takes the values of its list', () => {
		expect(['doNotResend', 'resend'].map(choose)).toEqual(['doNotResend', 'resend']);
	});

	it.each(['Resend', 'RESEND', ' resend', 'toString', '', true, 1, null, undefined, ['resend']])(
		'%p is rejected',
		(given) => {
			const { message, fix } = refusalOf(() => choose(given));
			expect(message).toMatch(/^(is|received) /);
			if (given !== null && given !== undefined) {
				expect(fix).toBe(
					'Choose from the list, or use an expression that yields one of doNotResend (Do Not Resend), resend (Resend)',
				);
			}
		},
	);
});

describe('a number', () => {
	const whole = numberIn({ min: 1, max: 1000, whole: true });
	const any = numberIn({ min: 0, max: 86_400, whole: false });

	it.each<[typeof whole, unknown, number]>([
		[whole, 1, 1],
		[whole, 1000, 1000],
		[whole, '250', 250],
		[whole, ' 7\n', 7],
		[any, 0, 0],
		[any, 0.5, 0.5],
		[any, '86400', 86_400],
	])('%# is fine', (check, given, value) => {
		expect(check(given)).toBe(value);
	});

	it.each(
		[0, -1, 1001, 2.5, '2.5', 1e21, 2 ** 31, NaN, Infinity, -Infinity, '', ' ', 'soon', '1,000']
			.concat([true, [5], {}, null, undefined, 10n] as never)
			.map((each) => [visible(each), each]),
	)('%s is rejected', (_, given) => {
		const { message, fix } = refusalOf(() => whole(given));
		expect(message).toMatch(/^(is|received) /);
		if (given !== null && given !== undefined) {
			expect(fix).toBe('Use a whole number from 1 to 1000');
		}
	});

	it('says which value it got', () => {
		expect(refusalOf(() => any(86_401))).toEqual({
			message: 'is "86401"',
			fix: 'Use a number from 0 to 86400',
		});
	});
});
