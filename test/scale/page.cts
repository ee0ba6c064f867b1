/** Writes what a full run measured into bench/SCALE.md, between its marks: no figure there is typed by hand. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import * as paths from '../../scripts/lib/paths.cts';
import { tool } from '../../scripts/start.js';
import { source, tableOf } from '../docs/markdown.cts';

const PAGE = path.join(paths.root, 'bench/SCALE.md');

/** Figures whose names say too little on their own. */
const NAMES: Record<string, string> = {
	batch: 'rows in a batch',
	maxConcurrency: 'messages in parallel',
	deadExecutions: 'executions that died',
	statuses: 'how they ended',
	duplicates: 'messages that came twice',
	mostSentBetween: "messages between a row's first and last claim, at most",
	mostToOne: 'messages to one customer, at most',
	expected: 'rows that had to end otherwise',
	uncertainFor: 'why rows are uncertain',
	withoutReason: 'rows without a reason',
	reported: "the workflow's own report",
	secondStart: 'after a second start',
	startsOfTheJob: 'times the job was started',
	slowestResponseOfN8nInMs: "n8n's slowest response (ms)",
	megabytesBefore: "worker's memory before (MB)",
	megabytesAtPeak: "worker's memory at its peak (MB)",
	afterTheCrash: 'customers after the crash',
	retries: 'retries of the dead executions',
	afterRetries: 'customers after these retries',
	atOnce: 'customers after the six executions',
	onceMoreLater: 'customers after one more',
	doubles: 'twice',
};

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
	execFileSync(process.execPath, [tool('prettier'), '--write', PAGE], { stdio: 'pipe' });
}

function tableFor(figures: object): string {
	const isWide = Object.values(figures).every((part) => typeof part === 'object');
	const columns = (isWide ? figures : { measured: figures }) as Record<string, object>;
	const names = Object.keys(Object.values(columns)[0]);
	const values = Object.values(columns).map((column) => Object.values(column).map(shown));
	return tableOf([
		['', ...Object.keys(columns)],
		...names.map((each, row) => [inWords(each), ...values.map((column) => column[row])]),
	]);
}
