/** Writes what the scale run measured into bench/SCALE.md, between its marks: no figure there is typed by hand. */
import fs from 'node:fs';
import path from 'node:path';
import * as paths from '../../scripts/lib/paths.cts';
import { linear } from './lib/line.cts';
import type { campaign } from './scenarios/campaign.cts';
import type { exactlyOnce } from './scenarios/exactlyOnce.cts';
import type { KillFigures } from './scenarios/kill.cts';
import type { large } from './scenarios/large.cts';
import type { leave } from './scenarios/leave.cts';
import type { pacing } from './scenarios/pacing.cts';
import type { sendOnce } from './scenarios/sendOnce.cts';
import type { throughput } from './scenarios/throughput.cts';

export const PAGE = path.join(paths.root, 'bench/SCALE.md');
export const FIGURES = path.join(paths.root, 'bench/scale.json');
const PLANNED = [10_000, 100_000, 1_000_000];

type Measured<Scenario extends (...args: never[]) => unknown> = Awaited<ReturnType<Scenario>>;

/** What a run measured. */
export interface Figures {
	form: string;
	machine: { cores: number; gigabytes: number; n8n: string; postgres: string; redis: string };
	/** Missing until a full run has measured it. */
	campaign?: Measured<typeof campaign>;
	plain: Measured<typeof exactlyOnce>;
	rateLimits: Measured<typeof exactlyOnce>;
	retries: Measured<typeof exactlyOnce>;
	sendOnce: Measured<typeof sendOnce>;
	/** Only in the full form. */
	sendOnceUnlocked: Measured<typeof sendOnce>;
	large: Measured<typeof large>;
	pacing: Measured<typeof pacing>;
	kill: { withoutKey: KillFigures; withKey: KillFigures };
	leave: Measured<typeof leave>;
	throughput: Measured<typeof throughput>;
}

type Cell = string | number;

const table = (head: string[], rows: Cell[][]) =>
	[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

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

/** Counts by what is before the colon. */
function statuses(counts: Record<string, number>) {
	const sums: Record<string, number> = {};
	for (const [words, count] of Object.entries(counts)) {
		const [status] = words.split(':');
		sums[status] = (sums[status] ?? 0) + count;
	}
	return sums;
}

/** The parts of the page that hold figures, by the name in their mark. */
export const sections: Record<string, (figures: Figures) => string> = {
	machine: ({ machine }) =>
		`Measured on a machine with ${machine.cores} cores and ${machine.gigabytes} GB that ran everything at once: n8n ${machine.n8n} (main, webhook process, two workers, three for the campaign), PostgreSQL ${machine.postgres}, Redis ${machine.redis} and a mock service, which answers at once. Other work on it slows a run down, so compare figures of one run.`,

	campaign: ({ campaign }) =>
		campaign === undefined
			? "The full run hasn't been recorded yet. The tests run the same with 205 recipients and one killed worker."
			: table(
					['', ''],
					[
						['recipients', whole(campaign.recipients)],
						['time', time(campaign.seconds)],
						['workers killed', campaign.kills],
						['executions that were running then', campaign.deadExecutions],
						['requests', whole(campaign.requests)],
						['… answered with 429', whole(campaign.rateLimited)],
						...['accepted', 'rejected', 'skipped', 'uncertain'].map((status) => [
							`recipients ${status}`,
							whole(campaign.statuses[status] ?? 0),
						]),
						[
							'… of the uncertain ones, sent according to the service',
							whole(campaign.uncertainDelivered),
						],
						['most messages to one recipient', campaign.mostToOne],
						[
							'rows that say otherwise than the service',
							campaign.acceptedNotDelivered + campaign.notSentButDelivered,
						],
						[
							'most messages sent before a dead batch was claimed again',
							whole(campaign.mostSentBetween),
						],
						[
							`second start with ${campaign.secondStart.added} new rows: messages to them, to others`,
							`${campaign.secondStart.sent}, ${campaign.secondStart.toOthers}`,
						],
					],
				),

	checks: ({ plain, rateLimits, retries, leave }) =>
		table(
			['what was sent', 'messages', 'executions', 'customers with exactly one message', 'requests'],
			Object.entries({
				'a plain list': plain,
				'5 % of the requests answered with 429': rateLimits,
				'Retry On Fail, one customer in each batch rejected at first': retries,
				'a worker told to stop in mid-batch, another one started': leave,
			}).map(([what, each]) => [
				what,
				whole(each.messages),
				each.executions,
				whole(each.once),
				'requests' in each ? whole(each.requests) : '',
			]),
		),

	throughput: ({ throughput: { messagesPerSecond, ...ratios } }) =>
		table(
			['', 'messages per second', 'ratio'],
			[
				[
					'two workers',
					whole(messagesPerSecond.twoWorkers),
					`${ratios.twoWorkersToOne.toFixed(2)} × one worker`,
				],
				[
					'two workers, with Send Once Keys',
					whole(messagesPerSecond.twoWorkersWithKeys),
					`${ratios.keysToNone.toFixed(2)} × without`,
				],
				[
					'one worker',
					whole(messagesPerSecond.oneWorker),
					`${ratios.oneWorkerToMainAlone.toFixed(2)} × main alone`,
				],
				['main alone, without a queue', whole(messagesPerSecond.mainAlone), ''],
			],
		),

	growth: ({ plain: { growth } }) =>
		table(
			['messages sent', 'seconds', 'database', 'memory of a worker'],
			growth.map((row) => [
				whole(row.messages),
				rounded(row.seconds),
				`+ ${size(row.databaseMegabytes)}`,
				size(row.workerMegabytes),
			]),
		),

	plan({ plain, large }) {
		const seconds = linear(plain.growth, 'messages', 'seconds').slope;
		const megabytes = linear(plain.growth, 'messages', 'databaseMegabytes').slope;
		const perExecution = plain.messages / plain.executions;
		const long = large.at(-1)!;
		return table(
			[
				'messages',
				`in executions of ${perExecution}, two workers`,
				'database',
				`in executions of ${whole(long.messages)}, one worker`,
				'database',
			],
			PLANNED.map((messages) => [
				whole(messages),
				time(messages * seconds),
				size(messages * megabytes),
				time((messages * long.seconds) / long.messages),
				size((messages * long.databaseMegabytes) / long.messages),
			]),
		);
	},

	large: ({ large }) =>
		table(
			[
				'messages in one execution',
				'seconds',
				'memory of its worker, before and at most',
				"longest time the worker didn't respond",
				'least time left on the lock of its job',
				'slowest small execution next to it',
				'database',
			],
			large.map((row) => [
				whole(row.messages),
				rounded(row.seconds),
				`${size(row.megabytesBefore)}, ${size(row.megabytesPeak)}`,
				time(row.longestSilenceMs / 1_000),
				time(row.leastLockMs / 1_000),
				time(row.slowestNeighborMs / 1_000),
				`+ ${size(row.databaseMegabytes)}`,
			]),
		),

	kill({ kill }) {
		const reached = ({ once, missing, doubles }: KillFigures['afterDeath']) =>
			`${once} once, ${missing} not, ${doubles} twice or more`;
		const row = (what: string, read: (of: KillFigures) => Cell) => [
			what,
			read(kill.withoutKey),
			read(kill.withKey),
		];
		return table(
			['', 'without Send Once Key', 'with Send Once Key'],
			[
				row('messages', ({ messages }) => whole(messages)),
				row('executions that died with their worker', ({ deadExecutions }) => deadExecutions),
				row('n8n marks them as', ({ deadStatuses }) => inWords(deadStatuses)),
				row('… after', ({ noticedAfterSeconds: { least, most } }) =>
					least === null || most === null ? 'none died' : `${time(least)} to ${time(most)}`,
				),
				row('started again by another worker', ({ startedTwice }) => startedTwice),
				row('customers reached by then', ({ afterDeath }) => reached(afterDeath)),
				row('Retry in the executions list ends as', ({ retry }) => inWords(statuses(retry))),
				row('customers reached after that', ({ afterRetry }) => reached(afterRetry)),
				row('after the same webhook calls once more', ({ afterSecondCall }) =>
					afterSecondCall ? reached(afterSecondCall) : 'not tried: it sends all of it again',
				),
			],
		);
	},

	words({ kill }) {
		const [reason] = Object.keys({ ...kill.withoutKey.reasons, ...kill.withKey.reasons });
		return `> ${reason.replace(/^\w+: /, '')}`;
	},

	memory({ plain, large }) {
		const most = Math.max(
			...plain.growth.map(({ workerMegabytes }) => workerMegabytes),
			...large.map(({ megabytesPeak }) => megabytesPeak),
		);
		return `The most that a worker held in the whole run was ${size(most)}.`;
	},

	sendOnce({ sendOnce, sendOnceUnlocked }) {
		const row = (what: string, { pairs, doubles, lost, laterDoubles }: Figures['sendOnce']) => [
			what,
			pairs,
			doubles,
			lost,
			laterDoubles,
		];
		return table(
			[
				'',
				'pairs on two workers',
				'sent twice',
				'not sent',
				'sent again when called once more later',
			],
			[row('as it is', sendOnce), row('with the lock taken out, for comparison', sendOnceUnlocked)],
		);
	},

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
