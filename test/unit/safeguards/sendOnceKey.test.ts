import { DateTime } from 'luxon';

import { sendOnceKey } from '../../../nodes/OutboundMessaging/safeguards/sendOnceKey';
import { found } from '../../found';
import { refusalOf } from '../help';

/** Checks a key as the workflow has it. */
const requireLasting = (raw: unknown) => sendOnceKey.check('A-1042', { raw });

const CHANGES = "changes by itself, so it can't keep a message from being sent again: ";

const isRejected = (raw: unknown): boolean => {
	try {
		requireLasting(raw);
		return false;
	} catch {
		return true;
	}
};

it.each([
	'$execution.id',
	"$execution['id']",
	'$execution.resumeUrl',
	'$execution.resumeFormUrl',
	'$executionId',
	'JSON.stringify($execution)',
	'$json.id + $execution?.id',
	'Math.random()',
	'$json.date.toDateTime().toRelative()',
	"$json.date.toDateTime().diffNow('hours').hours.toFixed(0)",
	'crypto.randomUUID()',
	'uuidv4()',
	"['a', 'b'].randomItem()",
	'$now',
	'$now.toISO()',
	'$now.toString()',
	'$now.toMillis()',
	'$now.ts',
	'$now.valueOf()',
	'$now.toSeconds()',
	'$now.hour',
	"$now.toFormat('yyyy-MM-dd HH:mm')",
	'$now.toFormat("HH")',
	"$now.format('yyyy-MM-dd hh')",
	"$now.toFormat('X')",
	'$now.toFormat("dd \'at\' T")',
	'$now.minus({ days: 1 }).toISO()',
	"$now.setZone('UTC').toISOTime()",
	"$now.startOf('hour').toISO()",
	"$now.startOf('minute')",
	"$json.id + '-' + $now",
	'$now.toISO().hash()',
	'$now.toISO() + $json.day.toDateTime().toISODate()',
	'$now.toISO().slice(0, 16)',
	'$now.toLocaleString(DateTime.DATETIME_SHORT)',
	'new Date()',
	'new Date',
	'new Date().toISOString()',
	'new Date().getTime()',
	'+new Date()',
	'Date()',
	"new Date().toLocaleString('de-DE')",
	'Date.now()',
	'Date.now().toString().slice(0, 10)',
	'String(Date.now()).slice(0, 10)',
	'Math.floor(Date.now() / 1000)',
	'DateTime.now()',
	'DateTime.now().toISO()',
	'DateTime.local().toMillis()',
	'DateTime.utc().toSQL()',
	"DateTime.local({ zone: 'UTC' }).toISO()",
	'DateTime.fromMillis(Date.now()).toISO()',
	'new Date(Date.now() - 3600000).toISOString()',
	'`${ $now }`',
	'`${$json.id}-${$now.toISO()}`',
])('a key that changes by itself is rejected: {{ %s }}', (code) => {
	for (const raw of [`={{ ${code} }}`, `={{ $json.order }}-{{ ${code} }}-news`]) {
		const { title, description } = refusalOf(() => requireLasting(raw));
		expect(title).toContain(CHANGES);
		expect(description).toMatch(/^Use what the message is about/);
	}
});

it.each([
	'$json.id',
	'$execution.mode',
	"$execution.customData.get('round')",
	'$workflow.id',
	'$runIndex',
	'$json.now',
	'$json.uuid',
	"$json['$now']",
	"$('new Date()').item.json.id",
	'$json.random',
	'$json.itemIndex',
	"$json.date.toDateTime().diffNow('days').days < 3 ? 'soon' : 'later'",
	"Math.floor($json.date.toDateTime().diffNow('days').days)",
	'$json["Date.now()"]',
	'$vars.campaign',
	"$fromAI('random', 'Use uuid() or $now')",
	'$now.toISODate()',
	"$now.toFormat('yyyy-MM-dd')",
	'$now.toFormat("kkkk-\'W\'WW")',
	'$now.toFormat("yyyy \'month\' LL")',
	'$now.weekNumber',
	"$now.weekYear + '-' + $now.weekNumber",
	'$now.month',
	'$now.year',
	'$now.quarter',
	'$now.monthLong',
	"$now.startOf('day')",
	"$now.startOf('day').toISO()",
	"$now.startOf('week').toMillis()",
	"$now.endOf('month').toISO()",
	'$now.minus({ days: 1 }).toISODate()',
	"$now.plus(1, 'week').toFormat('kkkk-WW')",
	"$now.minus(1, 'day').toFormat('dd.MM.')",
	"$now.setZone('America/New_York').toISODate()",
	'$now.toISO().slice(0, 10)',
	"$now.toISO().split('T')[0]",
	'$now.toLocaleString()',
	'$now.toLocaleString(DateTime.DATE_FULL)',
	"$now.toLocaleString({ month: 'long' })",
	"$now.isWeekend() ? 'weekend' : 'week'",
	"$now.hour < 12 ? 'morning' : 'evening'",
	'$json.due.toDateTime() < $now',
	"$now > $json.due.toDateTime() ? 'late' : 'soon'",
	"$now.format('yyyy-MM')",
	"$now.extract('month')",
	'$today',
	'$today.toISODate()',
	'$today.toISO()',
	"$today.plus({ hours: 9 }).toFormat('HH:mm')",
	'$today.weekNumber',
	'new Date($json.date)',
	'new Date($json.date).toISOString()',
	'new Date().getFullYear()',
	'new Date().toDateString()',
	'new Date().toISOString().slice(0, 10)',
	"new Date().toISOString().split('T')[0]",
	"new Date().toLocaleDateString('de')",
	'new Date(Date.now() - 86400000).toISOString().substring(0, 10)',
	'DateTime.now().toISODate()',
	"DateTime.now().setZone('UTC').toFormat('yyyyMMdd')",
	'DateTime.fromISO($json.x).toISO()',
	'DateTime.local(2026, 12, 1)',
	'DateTime.fromMillis(Date.now()).toISODate()',
	"($json.date ?? $now).toFormat('yyyy-MM-dd')",
	'String($now).slice(0, 10)',
	"Math.floor($json.start.toDateTime().diff($now, 'days').days)",
	"$json.date.toDateTime().toFormat('HH:mm')",
	"[$now.year, $now.month].join('-')",
	'`${$json.id}-${$now.toISODate()}`',
])('a key that lasts for a day or longer is taken: {{ %s }}', (code) => {
	expect(() => requireLasting(`={{ $json.order }}-{{ ${code} }}`)).not.toThrow();
});

it.each(['order $now', '=order $now {{ $json.id }}', 'Date.now()', '', null, 4711, { id: '$now' }])(
	'what is no expression is taken: %j',
	(raw) => expect(() => requireLasting(raw)).not.toThrow(),
);

it.each(['null', 'NIL', 'none', 'N/A', 'NA', 'true', 'false', '-', '--', '- / -', '#', '\u2026'])(
	'a key that stands for no value would be one key for all messages, and is rejected: %s',
	(key) => {
		const refusal = refusalOf(() => sendOnceKey.check(key, { raw: key }));
		expect(refusal.title).toBe(`"${key}" stands for no value`);
	},
);

/** Two moments of one day. */
const MOMENTS = [Date.UTC(2026, 10, 30, 8, 1, 2, 3), Date.UTC(2026, 10, 30, 21, 34, 56, 789)];

const changesWithin = (read: (moment: number) => unknown) => {
	const [morning, evening] = MOMENTS.map((moment) => JSON.stringify([read(moment)]));
	return morning !== evening;
};

type Clock = { code: string; at: (moment: number) => object };
const CLOCKS: Clock[] = [
	{ code: '$now', at: (moment) => DateTime.fromMillis(moment, { zone: 'UTC' }) },
	{ code: 'new Date()', at: (moment) => new Date(moment) },
];

it.each(CLOCKS)('whatever changes within a day of $code is rejected', ({ code, at }) => {
	const passed: string[] = [];
	const prototype = Object.getPrototypeOf(at(0)) as object;
	for (const name of found(Object.getOwnPropertyNames(prototype))) {
		if (/^(?:constructor|set)|^_/.test(name)) continue;
		const read = (moment: number): unknown => {
			const value: unknown = at(moment)[name as never];
			return typeof value === 'function' ? (value as () => unknown).call(at(moment)) : value;
		};
		const of = (moment: number) => {
			try {
				return read(moment);
			} catch {
				return 'needs an argument';
			}
		};
		const isCall = typeof at(0)[name as never] === 'function';
		const key = `={{ ${code}.${name}${isCall ? '()' : ''} }}`;
		if (changesWithin(of) && !isRejected(key)) passed.push(key);
	}
	expect(passed).toEqual([]);
});

it('whatever letter of a format changes within a day is rejected, and no other', () => {
	const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'];
	const wrong = letters.filter((letter) => {
		const changes = changesWithin((moment) =>
			DateTime.fromMillis(moment, { zone: 'UTC' }).toFormat(letter),
		);
		// Morning and afternoon: who writes that means two a day.
		return letter !== 'a' && changes !== isRejected(`={{ $now.toFormat('${letter}') }}`);
	});
	expect(wrong).toEqual([]);
});
