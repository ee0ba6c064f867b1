import * as setting from '../../../nodes/OutboundMessaging/validation/setting';
import { itRejects, NO_SINGLE_VALUE } from '../help';

const choose = setting.choiceOf([
	{ name: 'Do Not Resend', value: 'doNotResend' },
	{ name: 'Resend', value: 'resend' },
]);
const whole = setting.numberIn({ min: 1, max: 1000, whole: true });
const any = setting.numberIn({ min: 0, max: 86_400, whole: false });

it.each<[(value: unknown) => unknown, unknown[], unknown[]]>([
	[setting.switchValue, [true, false, 'true', 'false'], [true, false, true, false]],
	[choose, ['doNotResend', 'resend'], ['doNotResend', 'resend']],
	[whole, [1, 1000, ' 7\n'], [1, 1000, 7]],
	[any, [0.5, '86400'], [0.5, 86_400]],
])('%#: %j are %j', (check, given, values) => expect(given.map(check)).toEqual(values));

const TURN = 'Turn it on or off, or use an expression that gives true or false';
itRejects(setting.switchValue, {
	[`is …\n${TURN}`]: [1, 0, 'yes', 'no', 'TRUE', ' true', NaN],
	'is empty': [''],
	...NO_SINGLE_VALUE,
});
const CHOOSE =
	'Choose from the list, or use an expression that gives one of doNotResend (Do Not ' +
	'Resend), resend (Resend)';
itRejects(choose, {
	[`is …\n${CHOOSE}`]: ['Resend', ' resend', 'toString', true, 1],
	...NO_SINGLE_VALUE,
});
itRejects(whole, {
	'is …\nUse a whole number from 1 to 1000': [
		...[0, 1001, 2 ** 31, NaN, Infinity, -Infinity, true, 10n],
		...['2.5', ' ', '1,000'],
	],
	...NO_SINGLE_VALUE,
});
itRejects(any, { 'is …\nUse a number from 0 to 86400': [86_401, -1, ' ', true] });
