/** Writes what the scale run measured into docs/large-sends.md, between its marks: no figure there is typed by hand. */
import fs from 'node:fs';
import path from 'node:path';
import * as paths from '../../scripts/lib/paths.cts';
import type { campaign } from './scenarios/campaign.cts';
import type { exactlyOnce } from './scenarios/exactlyOnce.cts';
import type { kill, KillFigures } from './scenarios/kill.cts';
import type { large } from './scenarios/large.cts';
import type { leave } from './scenarios/leave.cts';
import type { sendOnce } from './scenarios/sendOnce.cts';

export const PAGE = path.join(paths.root, 'docs/large-sends.md');
export const FIGURES = path.join(paths.root, 'docs/large-sends.json');
const PLANNED = [10_000, 100_000, 1_000_000];

type Measured<Scenario extends (...args: never[]) => unknown> = Awaited<ReturnType<Scenario>>;

/** What a run measured. */
export interface Figures {
	form: string;
	machine: { cores: number; gigabytes: number; n8n: string; postgres: string; redis: string };
	campaign: Measured<typeof campaign>;
	plain: Measured<typeof exactlyOnce>;
	rateLimits: Measured<typeof exactlyOnce>;
	retries: Measured<typeof exactlyOnce>;
	sendOnce: Measured<typeof sendOnce>;
	large: Measured<typeof large>;
	kill: Measured<typeof kill>;
	leave: Measured<typeof leave>;
}

type Cell = string | number;

type Columns<Row> = Record<string, (row: Row) => Cell>;

const table = (head: string[], rows: Cell[][]) =>
	[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** One line for each row. */
const list = <Row,>(rows: Row[], columns: Columns<Row>) =>
	table(
		Object.keys(columns),
		rows.map((row) => Object.values(columns).map((cell) => cell(row))),
	);

/** One line for each fact, with a column for each of its subjects. */
const facts = <Subject,>(subjects: Record<string, Subject>, lines: Columns<Subject>) =>
	table(
		['', ...Object.keys(subjects)],
		Object.entries(lines).map(([what, cell]) => [what, ...Object.values(subjects).map(cell)]),
	);

const whole = (number: number) => Math.round(number).toLocaleString('en');
const rounded = (number: number) => (number < 10 ? number.toFixed(1) : whole(number));

function time(seconds: number) {
	if (seconds < 120) return `${rounded(seconds)} s`;
	if (seconds < 7_200) return `${rounded(seconds / 60)} min`;
	return `${rounded(seconds / 3_600)} h`;
}

const size = (megabytes: number) =>
	megabytes < 1_024 ? `${rounded(megabytes)} MB` : `${rounded(megabytes / 1_024)} GB`;

const inWords = (counts: Record<string, number>) =>
	Object.entries(counts)
		.map(([what, count]) => `${count} × ${what}`)
		.join(', ') || 'none';

/** The parts of the page that hold figures, by the name in their mark. */
export const sections: Record<string, (figures: Figures) => string> = {
	machine: ({ machine }) =>
		`Measured on a machine with ${machine.cores} cores and ${machine.gigabytes} GB that ran everything at once: n8n ${machine.n8n} (main, webhook process, two workers, three for the campaign), PostgreSQL ${machine.postgres}, Redis ${machine.redis} and a mock service, which answers at once. Other work on it slows a run down, so compare figures of one run.`,

	campaign: ({ campaign }) =>
		facts(
			{ '': campaign },
			{
				recipients: ({ recipients }) => whole(recipients),
				time: ({ seconds }) => time(seconds),
				'workers killed': ({ kills }) => kills,
				'executions that were running then': ({ deadExecutions }) => deadExecutions,
				requests: ({ requests }) => whole(requests),
				'… answered with 429': ({ rateLimited }) => whole(rateLimited),
				'recipients accepted': ({ statuses }) => whole(statuses.accepted),
				'recipients rejected': ({ statuses }) => whole(statuses.rejected),
				'recipients skipped': ({ statuses }) => whole(statuses.skipped),
				'recipients uncertain': ({ statuses }) => whole(statuses.uncertain ?? 0),
				'… of the uncertain ones, sent according to the service': ({ uncertainDelivered }) =>
					whole(uncertainDelivered),
				'most messages to one recipient': ({ mostToOne }) => mostToOne,
				'rows that say otherwise than the service': (its) =>
					its.acceptedNotDelivered + its.notSentButDelivered,
				'most messages sent before a dead batch was claimed again': ({ mostSentBetween }) =>
					whole(mostSentBetween),
				[`second start with ${campaign.secondStart.added} new rows: messages to them, to others`]:
					({ secondStart: { sent, toOthers } }) => `${sent}, ${toOthers}`,
			},
		),

	checks: ({ plain, rateLimits, retries, leave }) =>
		list(
			[
				{ what: 'a plain list', ...plain },
				{ what: '5 % of the requests answered with 429', ...rateLimits },
				{ what: 'Retry On Fail, one customer in each batch rejected at first', ...retries },
				{ what: 'a worker told to stop in mid-batch, another one started', ...leave },
			],
			{
				'what was sent': ({ what }) => what,
				messages: ({ messages }) => whole(messages),
				executions: ({ executions }) => executions,
				'customers with exactly one message': ({ once }) => whole(once),
				requests: (row) => ('requests' in row ? whole(row.requests) : ''),
			},
		),

	plan({ plain, large }) {
		const long = large.at(-1)!;
		const seconds = (of: typeof plain | typeof long) => (messages: number) =>
			time((messages * of.seconds) / of.messages);
		const database = (of: typeof plain | typeof long) => (messages: number) =>
			size((messages * of.databaseMegabytes) / of.messages);
		return list(PLANNED, {
			messages: whole,
			[`in executions of ${plain.messages / plain.executions}, two workers`]: seconds(plain),
			'their database': database(plain),
			[`in executions of ${whole(long.messages)}, one worker`]: seconds(long),
			'its database': database(long),
		});
	},

	large: ({ large }) =>
		list(large, {
			'messages in one execution': ({ messages }) => whole(messages),
			seconds: ({ seconds }) => rounded(seconds),
			'memory of its worker, before and at most': ({ megabytesBefore, megabytesPeak }) =>
				`${size(megabytesBefore)}, ${size(megabytesPeak)}`,
			"longest time the worker didn't respond": ({ longestSilenceMs }) =>
				time(longestSilenceMs / 1_000),
			'least time left on the lock of its job': ({ leastLockMs }) => time(leastLockMs / 1_000),
			database: ({ databaseMegabytes }) => `+ ${size(databaseMegabytes)}`,
		}),

	kill({ kill: { withoutKey, withKey } }) {
		const reached = ({ once, missing, doubles }: KillFigures['afterDeath']) =>
			`${once} once, ${missing} not, ${doubles} twice or more`;
		return facts(
			{ 'without Send Once Key': withoutKey, 'with Send Once Key': withKey },
			{
				messages: ({ messages }) => whole(messages),
				'executions that died with their worker': ({ deadExecutions }) => deadExecutions,
				'n8n marks them as': ({ deadStatuses }) => inWords(deadStatuses),
				'… after': ({ noticedAfterSeconds: { least, most }, deadExecutions }) =>
					deadExecutions === 0 ? 'none died' : `${time(least)} to ${time(most)}`,
				'started again by another worker': ({ startedTwice }) => startedTwice,
				'customers reached by then': ({ afterDeath }) => reached(afterDeath),
				'Retry in the executions list ends as': ({ retry }) => inWords(retry),
				'customers reached after that': ({ afterRetry }) => reached(afterRetry),
				'after the same webhook calls once more': ({ afterSecondCall }) =>
					afterSecondCall ? reached(afterSecondCall) : 'not tried: it sends all of it again',
			},
		);
	},

	sendOnce: ({ sendOnce: { pairs, doubles, lost, laterDoubles } }) =>
		`Of ${pairs} pairs, each on two workers at the same moment, ${doubles} sent two messages and ${lost} sent none. When all were called once more later, ${laterDoubles} sent another one.`,
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
