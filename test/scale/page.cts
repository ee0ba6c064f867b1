/** Writes what the scale run measured into bench/SCALE.md, between its marks: no figure there is typed by hand. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import * as paths from '../../scripts/lib/paths.cts';
import { tool } from '../../scripts/start.js';
import { tableOf } from '../docs/markdown.cts';
import type * as scenarios from './scenarios/index.cts';

export const PAGE = path.join(paths.root, 'bench/SCALE.md');
export const FIGURES = path.join(paths.root, 'bench/scale.json');

/** What a run measured, by its scenarios; some of it only in the full form. */
export type Figures = {
	[Name in keyof typeof scenarios]: Awaited<ReturnType<(typeof scenarios)[Name]>>;
} & {
	form: string;
	machine: { cores: number; gigabytes: number; n8n: string; postgres: string; redis: string };
};

type Columns = Record<string, Record<string, unknown>>;

/** Figures whose names say too little on their own. */
const NAMES: Record<string, string> = {
	once: 'customers with one message',
	missing: 'customers without a message',
	duplicates: 'messages that came twice',
	doubles: 'customers with two messages',
	laterDoubles: 'second messages in a later execution',
	lost: 'messages that were never sent',
	pairs: 'pairs on two workers',
	called: 'messages, each called twice',
	byStatus: 'responses',
	statuses: 'how they ended',
	starts: 'times the job was started',
	leastLockMs: 'least time left on the lock (ms)',
	locksSeen: 'looks at the lock',
	longestSilenceMs: "n8n's slowest response (ms)",
	megabytesBefore: "worker's memory before (MB)",
	megabytesPeak: "worker's memory at its peak (MB)",
	databaseMegabytes: 'growth of the database (MB)',
	leftAfterSeconds: 'seconds until the worker had ended',
	batch: 'rows in a batch',
	maxConcurrency: 'messages in parallel',
	deadExecutions: 'executions that died',
	mostSentBetween: "messages between a row's first and last claim, at most",
	mostToOne: 'messages to one customer, at most',
	expected: 'rows that had to end otherwise',
	withoutReason: 'rows without a reason',
	uncertainFor: 'why rows are uncertain',
	reported: "the workflow's own report",
	secondStart: 'after a second start',
	afterDeath: 'customers after the crash',
	retry: 'retries of the dead executions',
	afterRetry: 'customers after these retries',
	afterSecondCall: 'customers after the same calls again',
};

const inWords = (name: string) =>
	name.replace(/(?<=\w)[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);

/** A figure as a person reads it: small numbers with a digit more, counts with what was counted. */
function shown(figure: unknown): string {
	if (typeof figure === 'number') {
		return figure.toLocaleString('en', { maximumFractionDigits: figure < 10 ? 1 : 0 });
	}
	if (typeof figure !== 'object' || figure === null) return String(figure ?? '');
	const counts = Object.entries(figure).map(
		([name, count]) => `${shown(count)} × ${inWords(name)}`,
	);
	return counts.join(', ') || 'none';
}

/** What was measured in some scenarios, side by side: a column for each, or for each part of the only one. */
function tableFor(names: string[], figures: Record<string, unknown>): string {
	const measured = Object.fromEntries(names.map((name) => [name, figures[name]])) as Columns;
	const [only] = Object.values(measured);
	const hasParts = Object.values(only).every((part) => typeof part === 'object');
	const columns = names.length === 1 && hasParts ? (only as Columns) : measured;
	const rows = new Set(Object.values(columns).flatMap((column) => Object.keys(column)));
	const row = (name: string) => Object.values(columns).map((column) => shown(column[name]));
	return tableOf([
		['', ...Object.keys(columns).map(inWords)],
		...[...rows].map((name) => [NAMES[name] ?? inWords(name), ...row(name)]),
	]);
}

/** A place for figures, with the names of its scenarios. */
export const MARKED = /(<!-- measured: (.*?) -->)[^]*?(<!-- \/measured -->)/g;

/** The page with these figures in it. */
export const fill = (text: string, figures: Figures) =>
	text.replace(
		MARKED,
		(_, open: string, names: string, close: string) =>
			`${open}\n\n${tableFor(names.split(', '), figures)}\n\n${close}`,
	);

/** @param measured what of it was measured; the rest stays as it is */
export function writePage(measured: Partial<Figures>): void {
	const figures = { ...JSON.parse(fs.readFileSync(FIGURES, 'utf8')), ...measured } as Figures;
	fs.writeFileSync(FIGURES, JSON.stringify(figures));
	fs.writeFileSync(PAGE, fill(fs.readFileSync(PAGE, 'utf8'), figures));
	execFileSync(process.execPath, [tool('prettier'), '--write', FIGURES, PAGE], { stdio: 'pipe' });
}
