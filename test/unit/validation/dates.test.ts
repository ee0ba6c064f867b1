/* eslint-disable @n8n/community-nodes/no-restricted-imports,
	@n8n/community-nodes/no-restricted-globals -- tests run on a developer's machine */
/** Each expression that errors, hints and pages offer for a date, in n8n's own engine. */
import { readdirSync, readFileSync } from 'node:fs';
import type { GenericValue } from 'n8n-workflow';
import { tryToParseDateTime, Workflow } from 'n8n-workflow';

const filesBelow = (folder: string): string[] =>
	readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((file) => /\.(?:ts|md|json|cts)$/.test(file))
		.map((file) => `${folder}/${file}`);

const PLACES = ['nodes', 'credentials', 'docs', 'examples', 'scripts'].flatMap(filesBelow);
PLACES.push('README.md');
const DATE_CODE = /\b(?:DateTime\.from|toDateTime|toLocal\(|toFormat|toISO)|new Date\(\$/;

/** What the sources offer: code that reads a field, and makes a date or a time of it. */
const OFFERED = PLACES.flatMap((file) => [
	...readFileSync(file, 'utf8').matchAll(/\{\{ ?(.+?) ?\}\}/g),
])
	.map(([, code]) => code)
	.filter((code) => DATE_CODE.test(code) && code.includes('$json'));
/** A send-once key isn't read by people: it's the time as it's written, whatever the zone. */
const isForKeys = (code: string) => code.includes('setZone: true');
const CODES = [...new Set(OFFERED)].filter((code) => !isForKeys(code));
const FOR_KEYS = [...new Set(OFFERED)].filter(isForKeys);

/** The time of Greenwich on which a program's dates below are, and the days and times of people. */
const INSTANT = '2026-11-25T03:30:00.000Z';
const AT_NIGHT = { 'America/New_York': '2026-11-24T22:30', 'Europe/Berlin': '2026-11-25T04:30' };
type Zone = keyof typeof AT_NIGHT;
const everywhere = (time: string) => ({ 'America/New_York': time, 'Europe/Berlin': time });

/**
 * A cell, or a value of a program, and the day and time that it means in each workflow's time zone.
 */
const CELLS: Array<[cell: unknown, meant: Record<Zone, string> | undefined]> = [
	['2026-11-25', everywhere('2026-11-25T00:00')],
	['2026-11-25T09:00', everywhere('2026-11-25T09:00')],
	['2026-11-25 09:00:00', everywhere('2026-11-25T09:00')],
	['11/25/2026', everywhere('2026-11-25T00:00')],
	['11/25/2026 9:00', everywhere('2026-11-25T09:00')],
	['25.11.2026', everywhere('2026-11-25T00:00')],
	['25/11/2026', everywhere('2026-11-25T00:00')],
	['November 25, 2026', everywhere('2026-11-25T00:00')],
	['25 Nov 2026', everywhere('2026-11-25T00:00')],
	['Wed, 25 Nov 2026', everywhere('2026-11-25T00:00')],
	[46351, everywhere('2026-11-25T00:00')],
	['46351', everywhere('2026-11-25T00:00')],
	['46351.6458333333', everywhere('2026-11-25T15:30')],
	[46351.395833333336, everywhere('2026-11-25T09:30')],
	[0.3958333333, everywhere('1899-12-30T09:30')],
	[new Date(INSTANT), AT_NIGHT],
	[tryToParseDateTime(INSTANT), AT_NIGHT],
	[INSTANT, AT_NIGHT],
	['2026-11-25T04:30:00.000+01:00', AT_NIGHT],
	[String(new Date(INSTANT)), AT_NIGHT],
	...['', ' ', null, undefined, 'tomorrow', '-', 'TBD'].map((cell): [unknown, undefined] => [
		cell,
		undefined,
	]),
];

process.env.TZ = 'UTC';

/**
 * What n8n makes of code in a workflow's time zone; undefined if it makes nothing, or
 * what's rejected.
 */
function evaluated(code: string, cell: unknown, timezone: Zone): string | undefined {
	const parameters = {};
	const node = { id: '1', name: 'A', type: 'a', typeVersion: 1, position: [0, 0], parameters };
	const description = { properties: [] };
	const nodeTypes = { getByNameAndVersion: () => ({ description }) } as never;
	const settings = { timezone };
	const connections = {};
	const nodes = [node as never];
	const workflow = new Workflow({ nodes, connections, active: false, nodeTypes, settings });
	const fields = [...code.matchAll(/\$json\.(\w+)/g)].map(([, name]) => [name, cell]);
	const items = [{ json: Object.fromEntries(fields) as Record<string, GenericValue> }];
	try {
		const run = [null, 0, 0, 'A', items as never, 'manual', {}] as const;
		const made = String(workflow.expression.getParameterValue(`={{ ${code} }}`, ...run));
		return /undefined|null|Invalid DateTime|NaN/.test(made) ? undefined : made;
	} catch {
		return undefined;
	}
}

/** How code writes a day and a time: the end of it, applied to them. */
function written(code: string, time: string, zone: Zone): string | undefined {
	const [end] = /(?:\.setLocale\([^()]*\))?\.(?:toFormat\([^()]*\)|toISO\w*\(\))$/.exec(code) ?? [];
	if (end === undefined) throw new Error(`This test doesn't know how ${code} writes a date`);
	return evaluated(`DateTime.fromISO($json.date)${end}`, time, zone);
}

it('the server is in another time zone than the workflows', () =>
	expect(new Date(INSTANT).getHours()).toBe(3));

it('the sources offer expressions for dates', () => expect(CODES.length).toBeGreaterThan(5));

describe.each(CODES)('%s', (code) => {
	const tried = CELLS.flatMap(([cell, meant]) =>
		(Object.keys(AT_NIGHT) as Zone[]).map((zone) => {
			const made = evaluated(code, cell, zone);
			const right = meant && written(code, meant[zone], zone);
			return { cell, zone, made, right };
		}),
	);

	it('keeps the day and the hour of each cell that it reads', () => {
		const read = tried.filter(({ made }) => made !== undefined);
		expect(read.filter(({ made, right }) => made !== right)).toEqual([]);
	});

	it('reads a cell', () =>
		expect(tried.filter(({ made, right }) => right !== undefined && made === right)).not.toEqual(
			[],
		));
});

it.each(FOR_KEYS)('%s, for a key, is the same in each zone', (code) => {
	const zones = Object.keys(AT_NIGHT) as Zone[];
	for (const cell of ['2026-11-25T09:30:00+01:00', INSTANT]) {
		const made = zones.map((zone) => evaluated(code, cell, zone));
		expect(made[0]).toMatch(/^2026-11-25 \d\d:30$/);
		expect(new Set(made).size).toBe(1);
	}
});

it("no other code for dates is in the node's texts, nor in parts of them", () => {
	const lines = PLACES.filter((file) => /^nodes.*\.ts$/.test(file)).flatMap((file) =>
		readFileSync(file, 'utf8')
			.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
			.replaceAll(/\{\{ ?.+? ?\}\}/g, '')
			.split('\n'),
	);
	const parts = lines.filter((line) => DATE_CODE.test(line) && /\$json|\$\{/.test(line));
	// That is the node's own.
	expect(parts.filter((line) => !line.includes('onClock('))).toEqual([]);
});
