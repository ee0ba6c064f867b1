import { hoursCheck } from '../../../nodes/OutboundMessaging/safeguards/allowedHours';
import { unreadable } from '../../../nodes/OutboundMessaging/parameters/parameters';

const HOURS = { from: '08:00', until: '20:00' };
const ALL_DAYS = [0, 1, 2, 3, 4, 5, 6];
const NO_VALUE = 'the expression found no value. Check that the input item has that field';
const NO_DAYS = `'Allowed Hours' has nothing in 'Days': ${NO_VALUE}`;
const NO_ZONE = `'Allowed Hours' has nothing in 'Time Zone': ${NO_VALUE}`;
const NO_HOURS = expect.stringContaining("'Allowed Hours' has no hours") as string;
const NO_TIME = expect.stringContaining(`has nothing in 'From': ${NO_VALUE}`) as string;

it.each<[raw: unknown, value: unknown, read: unknown]>([
	[{}, {}, NO_HOURS],
	[{ window: '' }, { window: '' }, NO_HOURS],
	[{ window: HOURS }, { window: HOURS }, ['UTC', ALL_DAYS]],
	[{ window: { ...HOURS, days: [], timezone: '' } }, { window: HOURS }, ['UTC', ALL_DAYS]],
	[
		{ window: { ...HOURS, days: '={{ $json.days }}', timezone: '={{ $json.zone }}' } },
		{ window: { ...HOURS, days: 'Monday, sunday', timezone: ' Europe/Berlin ' } },
		['Europe/Berlin', [1, 0]],
	],
	[{ window: { days: '={{ $json.no }}' } }, { window: { ...HOURS, days: null } }, NO_DAYS],
	[{ window: { days: ['={{ $json.no }}'] } }, { window: { ...HOURS, days: [] } }, NO_DAYS],
	[{ window: { timezone: '={{ $json.no }}' } }, { window: { ...HOURS, timezone: '' } }, NO_ZONE],
	// Expressions in place of the fields: a workflow that was imported can have them.
	['={{ $json.hours }}', { window: { ...HOURS, days: ['friday'] } }, NO_ZONE],
	[{ window: '={{ $json.window }}' }, { window: HOURS }, NO_DAYS],
	['={{ $json.no }}', null, NO_TIME],
])('Allowed Hours as %j, whose value is %j: %j', (raw, value, read) => {
	const ended = () => {
		try {
			const { timezone, days } = hoursCheck(raw, 'UTC')(value);
			return [timezone, [...days]];
		} catch (error) {
			const { title, description } = unreadable('Allowed Hours', error).failure;
			return `${title}. ${description}`;
		}
	};
	expect(ended()).toEqual(read);
});
