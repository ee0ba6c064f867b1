/** What is measured, and what it has to reach: the one table of the benchmark. */
import { WITH_SAFEGUARDS, type RivalName } from './rivals.cts';

/**
 * - `text`: a text message with two fields from `$json`
 * - `reference`: the same with the fields from `$('Rows').item.json`
 * - `tls`: as `text`, from an HTTPS sandbox
 * - `safeguards`: as `text`, with one safeguard after the other; and the bare floor, with and without keys
 * - `memory`: as `text`, in a fresh n8n for each run
 */
export const KINDS = ['text', 'reference', 'tls', 'safeguards', 'memory'] as const;
export type Kind = (typeof KINDS)[number];

/** How many times as fast as a rival our node has to be, and its share of what latency and messages in flight allow. */
export type Goals = Partial<Record<Exclude<RivalName, 'ours'> | 'limit', number>>;

export interface Scenario {
	kind: Kind;
	/** Items. */
	size: number;
	/** Of the service, in ms. */
	latency: number;
	/** Messages at a time, where a rival can be told. */
	inFlight: number;
	rivals: RivalName[];
	goals?: Goals;
	/** Fewer rounds than the others have. */
	rounds?: number;
}

const RACERS: RivalName[] = ['ours', 'http', 'declarative', 'floor'];
export const SAFEGUARDS = Object.keys(WITH_SAFEGUARDS) as Array<keyof typeof WITH_SAFEGUARDS>;
const WITH_AND_WITHOUT: RivalName[] = ['ours', ...SAFEGUARDS, 'floor', 'floorWithKeys'];
const ALL: RivalName[] = [
	...new Set([...RACERS, 'floorWithCredential' as const, ...WITH_AND_WITHOUT]),
];
const IN_FLIGHT = 100;

type Row = [Kind, size: number, latency: number, inFlight: number, goals?: Goals];

const RACE: Row[] = [
	['text', 1_000, 0, IN_FLIGHT, { http: 10, declarative: 15, floor: 1.3 }],
	['reference', 1_000, 0, IN_FLIGHT, { http: 9, declarative: 14, floor: 1.1 }],
	['text', 1_000, 50, IN_FLIGHT, { http: 4.5, declarative: 7.5, floor: 1.15, limit: 0.7 }],
	['text', 1_000, 200, IN_FLIGHT, { http: 1.1, declarative: 2.3, floor: 1.05, limit: 0.92 }],
	['text', 1_000, 200, 300, { http: 4, declarative: 6, floor: 1.25, limit: 0.75 }],
	['tls', 1_000, 0, IN_FLIGHT],
	['tls', 1_000, 50, IN_FLIGHT],
	['tls', 1_000, 200, IN_FLIGHT],
	['tls', 1_000, 200, 300],
];

const SCENARIOS: Scenario[] = [
	...RACE.map(([kind, size, latency, inFlight, goals]) => ({
		...{ kind, size, latency, inFlight, goals },
		rivals: RACERS,
	})),
	scenario('text', 10_000, 0, { rivals: ['ours', 'floor'], rounds: 2 }),
	scenario('safeguards', 10_000, 0, { rounds: 3 }),
	// The first list after a start: nothing is warm.
	...[1_000, 10_000, 50_000].map((size) =>
		scenario('memory', size, 0, {
			...(size === 1_000
				? { rivals: ['ours', 'floor', 'floorWithCredential'], goals: { floor: 1 } }
				: { rivals: ['ours'] }),
			rounds: 3,
		}),
	),
];

function scenario(kind: Kind, size: number, latency: number, more: Partial<Scenario> = {}) {
	const rivals = kind === 'safeguards' ? WITH_AND_WITHOUT : RACERS;
	return { kind, size, latency, inFlight: IN_FLIGHT, rivals, ...more };
}

export const idOf = ({ kind, size, latency, inFlight }: Scenario) =>
	[kind, size, latency, inFlight].join('-');

/** How a scenario is called in a table. */
export const titleOf = ({ kind, size, latency, inFlight }: Scenario) =>
	[
		kind === 'reference' && "fields from `$('Node').item.json`",
		kind === 'tls' && 'HTTPS',
		kind === 'memory' && 'fresh n8n',
		kind === 'safeguards' && 'safeguards',
		`${size.toLocaleString('en')} messages`,
		`${latency} ms`,
		`${inFlight} in flight`,
	]
		.filter(Boolean)
		.join(', ');

export interface Choice {
	/** Rivals and kinds; all of them when none is named. */
	only?: string[];
	sizes?: number[];
	latencies?: number[];
}

/** The scenarios that were asked for. Sizes and latencies may be others than those of the table. */
export function choose({ only = [], sizes, latencies }: Choice): Scenario[] {
	const kinds = KINDS.filter((kind) => only.includes(kind));
	const rivals = ALL.filter((rival) => only.includes(rival));
	const known = SCENARIOS.filter(
		({ kind, size, latency }) =>
			(kinds.length === 0 || kinds.includes(kind)) &&
			(sizes?.includes(size) ?? true) &&
			(latencies?.includes(latency) ?? true),
	);
	const ids = new Set(known.map((each) => `${each.kind} ${each.size} ${each.latency}`));
	const asked = ((sizes ?? latencies) ? (kinds.length ? kinds : (['text'] as const)) : []).flatMap(
		(kind) =>
			(sizes ?? [1_000]).flatMap((size) =>
				(latencies ?? [0]).map((latency) => scenario(kind, size, latency)),
			),
	);
	return [
		...known,
		...asked.filter((each) => !ids.has(`${each.kind} ${each.size} ${each.latency}`)),
	]
		.map((each) => ({
			...each,
			rivals: rivals.length === 0 ? each.rivals : each.rivals.filter((id) => rivals.includes(id)),
		}))
		.filter((each) => each.rivals.length > 0);
}
