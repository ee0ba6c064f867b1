/** Writes what the scale run measured into bench/SCALE.md, between its marks: no figure there is typed by hand. */
import fs from 'node:fs';
import path from 'node:path';
import * as paths from '../../scripts/lib/paths.cts';
import { tableOf } from '../docs/markdown.cts';
import type * as scenarios from './scenarios/index.cts';

export const PAGE = path.join(paths.root, 'bench/SCALE.md');
export const FIGURES = path.join(paths.root, 'bench/scale.json');
const PLANNED = [10_000, 100_000, 1_000_000];

/** What a run measured; some of it only in the full form. */
export type Figures = {
	[Name in keyof typeof scenarios]: Awaited<ReturnType<(typeof scenarios)[Name]>>;
} & {
	form: string;
	machine: { cores: number; gigabytes: number; n8n: string; postgres: string; redis: string };
};

/**
 * Whether figures grow along a line.
 *
 * @param rows in ascending order of x
 * @returns growth for one more of x; and how much steeper the second half is than the first: 1 on a line, about 2 to 3
 *   on a parabola
 */
export function linear<Name extends string>(rows: Array<Record<Name, number>>, x: Name, y: Name) {
	const slope = (from: number, to: number) =>
		(rows[to][y] - rows[from][y]) / (rows[to][x] - rows[from][x]);
	const last = rows.length - 1;
	const middle = Math.floor(last / 2);
	return { slope: slope(0, last), bend: slope(middle, last) / slope(0, middle) };
}

/** What was measured, side by side: a column for each, and a row for each figure of it. */
const table = <T,>(columns: Record<string, T>, rows: Record<string, (of: T) => string | number>) =>
	tableOf([
		['', ...Object.keys(columns)],
		...Object.entries(rows).map(([label, read]) => [label, ...Object.values(columns).map(read)]),
	]);

const whole = (number: number) => Math.round(number).toLocaleString('en');
const rounded = (number: number) => (number < 10 ? number.toFixed(1) : whole(number));

function time(seconds: number) {
	if (seconds < 120) return `${rounded(seconds)} s`;
	return seconds < 7_200 ? `${rounded(seconds / 60)} min` : `${rounded(seconds / 3_600)} h`;
}

const size = (megabytes: number) =>
	megabytes < 1_024 ? `${rounded(megabytes)} MB` : `${rounded(megabytes / 1_024)} GB`;

const inWords = (counts: Record<string, number>) =>
	Object.entries(counts)
		.map(([what, count]) => `${count} × ${what}`)
		.join(', ') || 'none';

type Killed = Figures['kill']['withoutKey'];

const reached = ({ once, missing, doubles }: Killed['afterDeath']) =>
	`${once} once, ${missing} not, ${doubles} twice or more`;

/** The parts of the page that hold figures, by the name in their mark. */
export const sections: Record<string, (figures: Figures) => string> = {
	machine: ({ machine }) =>
		`Measured on a machine with ${machine.cores} cores and ${machine.gigabytes} GB that ran everything at once: n8n ${machine.n8n} (main, webhook process, two workers, three for the campaign), PostgreSQL ${machine.postgres}, Redis ${machine.redis} and a mock service, which answers at once. Other work on it slows a run down, so compare figures of one run.`,

	campaign: ({ campaign }) =>
		table(
			{ 'the campaign': campaign },
			{
				recipients: (of) => whole(of.recipients),
				time: (of) => time(of.seconds),
				'workers killed': (of) => of.kills,
				'executions that were running then': (of) => of.deadExecutions,
				requests: (of) => whole(of.requests),
				'… answered with 429': (of) => whole(of.rateLimited),
				'recipients accepted': (of) => whole(of.statuses.accepted),
				'recipients rejected': (of) => whole(of.statuses.rejected),
				'recipients skipped': (of) => whole(of.statuses.skipped),
				'recipients uncertain': (of) => whole(of.statuses.uncertain ?? 0),
				'… sent according to the service': (of) => whole(of.uncertainDelivered),
				'most messages to one recipient': (of) => of.mostToOne,
				'rows that say otherwise than the service': (of) =>
					of.acceptedNotDelivered + of.notSentButDelivered,
				'most messages sent before a dead batch was claimed again': (of) =>
					whole(of.mostSentBetween),
				'second start, rows added': (of) => of.secondStart.added,
				'… messages to them, to others': ({ secondStart: { sent, toOthers } }) =>
					`${sent}, ${toOthers}`,
			},
		),

	checks: ({ plain, rateLimits, retries, leave }) =>
		table(
			{
				'a plain list': plain,
				'5 % of the requests answered with 429': rateLimits,
				'Retry On Fail, one customer in each batch rejected at first': retries,
				'a worker told to stop in mid-batch, another one started': leave,
			},
			{
				messages: (of) => whole(of.messages),
				executions: (of) => of.executions,
				'customers with exactly one message': (of) => whole(of.once),
				requests: ({ requests }) => (requests ? whole(requests) : ''),
			},
		),

	throughput({ throughput: { messagesPerSecond: pace, ...ratios } }) {
		const { twoWorkers, twoWorkersWithKeys, oneWorker, mainAlone } = pace;
		return table(
			{
				'two workers': [twoWorkers, `${ratios.twoWorkersToOne.toFixed(2)} × one worker`],
				'… with Send Once Keys': [twoWorkersWithKeys, `${ratios.keysToNone.toFixed(2)} × without`],
				'one worker': [oneWorker, `${ratios.oneWorkerToMainAlone.toFixed(2)} × main alone`],
				'main alone, without a queue': [mainAlone, ''],
			},
			{ 'messages per second': ([each]) => whole(Number(each)), ratio: ([, ratio]) => ratio },
		);
	},

	plan({ plain, large }) {
		const seconds = linear(plain.growth, 'messages', 'seconds').slope;
		const megabytes = linear(plain.growth, 'messages', 'databaseMegabytes').slope;
		const long = large.at(-1)!;
		const short = `in executions of ${plain.messages / plain.executions}, two workers`;
		const one = `in executions of ${whole(long.messages)}, one worker`;
		return table(Object.fromEntries(PLANNED.map((count) => [`${whole(count)} messages`, count])), {
			[short]: (count) => time(count * seconds),
			'… database': (count) => size(count * megabytes),
			[one]: (count) => time((count * long.seconds) / long.messages),
			'… its database': (count) => size((count * long.databaseMegabytes) / long.messages),
		});
	},

	large: ({ large }) =>
		table(Object.fromEntries(large.map((each) => [`${whole(each.messages)} messages`, each])), {
			seconds: (of) => rounded(of.seconds),
			'memory of its worker before': (of) => size(of.megabytesBefore),
			'… at most': (of) => size(of.megabytesPeak),
			"longest time the worker didn't respond": (of) => time(of.longestSilenceMs / 1_000),
			'least time left on the lock of its job': (of) => time(of.leastLockMs / 1_000),
			'slowest small execution next to it': (of) => time(of.slowestNeighborMs / 1_000),
			database: (of) => `+ ${size(of.databaseMegabytes)}`,
		}),

	kill: ({ kill: { withoutKey, withKey } }) =>
		table<Killed & { afterSecondCall?: Killed['afterDeath'] }>(
			{ 'without Send Once Key': withoutKey, 'with Send Once Key': withKey },
			{
				messages: (of) => whole(of.messages),
				'executions that died with their worker': (of) => of.deadExecutions,
				'n8n marks them as': (of) => inWords(of.deadStatuses),
				'… after': ({ noticedAfterSeconds: { least, most } }) =>
					least === null || most === null ? 'none died' : `${time(least)} to ${time(most)}`,
				'started again by another worker': (of) => of.startedTwice,
				'customers reached by then': (of) => reached(of.afterDeath),
				'Retry in the executions list ends as': (of) => inWords(of.retry),
				'customers reached after that': (of) => reached(of.afterRetry),
				'after the same webhook calls once more': ({ afterSecondCall }) =>
					afterSecondCall ? reached(afterSecondCall) : 'not tried: it sends all of it again',
			},
		),

	sendOnce: ({ sendOnce, sendOnceUnlocked }) =>
		table(
			{ 'as it is': sendOnce, 'with the lock taken out, for comparison': sendOnceUnlocked },
			{
				'pairs on two workers': (of) => of.pairs,
				'sent twice': (of) => of.doubles,
				'not sent': (of) => of.lost,
				'sent again when called once more later': (of) => of.laterDoubles,
			},
		),

	pacing: ({ pacing: { executions, perSecond, busiestSecond } }) =>
		`With ${executions} executions at a time, each set to ${perSecond} messages per second, the busiest second had ${busiestSecond}.`,
};

export const MARKED = /(<!-- measured: (\w+) -->)[^]*?(<!-- \/measured -->)/g;

/** The page with these figures in it. */
export const fill = (text: string, figures: Figures) =>
	text.replace(
		MARKED,
		(_, open: string, name: string, close: string) =>
			`${open}\n\n${sections[name](figures)}\n\n${close}`,
	);

export async function writePage(figures: Figures): Promise<void> {
	// Jest, which only reads this page, can't load it.
	const prettier = await import('prettier');
	const format = async (file: string, text: string) =>
		fs.writeFileSync(
			file,
			await prettier.format(text, { ...(await prettier.resolveConfig(file)), filepath: file }),
		);
	await format(FIGURES, JSON.stringify(figures));
	await format(PAGE, fill(fs.readFileSync(PAGE, 'utf8'), figures));
}
