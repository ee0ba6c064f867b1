/**
 * Writes what a full run measured into bench/SCALE.md, between its marks: no figure there
 * is typed by hand.
 */
import fs from 'node:fs';
import path from 'node:path';
import * as paths from '../../scripts/lib/paths.cts';
import { source, tableOf } from '../docs/markdown.cts';

const PAGE = path.join(paths.root, 'bench/SCALE.md');

/** Figures whose names say too little on their own. */
const NAMES: Record<string, string> = {
	deadExecutions: 'executions that died',
	statuses: 'how they ended',
	duplicates: 'messages that came twice',
	mostSentBetween: "messages between a row's first and last claim, at most",
	mostToOne: 'messages to one customer, at most',
	secondStart: 'after a second start',
	startsOfTheJob: 'times the job was started',
	slowestResponseOfN8nInMs: "n8n's slowest response (ms)",
	megabytesAtPeak: "worker's memory at its peak (MB)",
	afterTheCrash: 'customers after the crash',
	retries: 'retries of the dead executions',
	afterRetries: 'customers after these retries',
	atOnce: 'customers after the six executions',
	onceMoreLater: 'customers after one more',
	doubles: 'twice',
};

/** Figures that only the tests judge by. */
const LEFT_OUT = new Set([
	...['batch', 'maxConcurrency', 'batchesAtATime', 'expected', 'delivered', 'withoutReason'],
	...['acceptedWithId', 'distinctIds', 'uncertainDelivered', 'uncertainFor', 'reported'],
	...['megabytesBefore', 'workers', 'startedTwice', 'otherStatuses', 'deadStatuses'],
]);

const inWords = (name: string) =>
	NAMES[name] ?? name.replace(/(?<=\w)[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);

/** A figure as a person reads it: small numbers with a digit more, counts with what was counted. */
function shown(figure: unknown): string {
	if (typeof figure === 'number')
		return figure.toLocaleString('en', { maximumFractionDigits: figure < 10 ? 1 : 0 });
	if (typeof figure !== 'object' || figure === null) return String(figure);
	const counts = Object.entries(figure).map(
		([name, count]) => `${shown(count)} × ${inWords(name)}`,
	);
	return counts.join(', ') || 'none';
}

/** @param measured by scenario: an object of figures, or several of them side by side */
export function writePage(measured: Record<string, object>): void {
	const filled = source('bench/SCALE.md').replace(
		/(<!-- measured: (\w+) -->)[^]*?(<!-- \/measured -->)/g,
		(all, open: string, name: string, close: string) =>
			name in measured ? `${open}\n\n${tableFor(measured[name])}\n\n${close}` : all,
	);
	fs.writeFileSync(PAGE, filled);
}

type Figures = Record<string, unknown>;

function tableFor(figures: object): string {
	const isWide = Object.values(figures).every((part) => typeof part === 'object');
	const measured = (isWide ? figures : { measured: figures }) as Record<string, Figures>;
	const columns = Object.values(measured);
	const names = Object.keys(columns[0]).filter((name) => !LEFT_OUT.has(name));
	return tableOf([
		['', ...Object.keys(measured)],
		...names.map((name) => [inWords(name), ...columns.map((column) => shown(column[name]))]),
	]);
}
