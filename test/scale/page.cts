/** Writes what a full run measured into bench/SCALE.md, between its marks: no figure there is typed by hand. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import * as paths from '../../scripts/lib/paths.cts';
import { tool } from '../../scripts/start.js';
import { tableOf } from '../docs/markdown.cts';

const PAGE = path.join(paths.root, 'bench/SCALE.md');

/** Figures whose names say too little on their own. */
const NAMES: Record<string, string> = {
	duplicates: 'messages that came twice',
	mostSentBetween: "messages between a row's first and last claim, at most",
	mostToOne: 'messages to one customer, at most',
	expected: 'rows that had to end otherwise',
	uncertainFor: 'why rows are uncertain',
	secondStart: 'after a second start',
};

const inWords = (name: string) =>
	NAMES[name] ?? name.replace(/(?<=\w)[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);

/** A figure as a person reads it: small numbers with a digit more, counts with what was counted. */
function shown(figure: unknown): string {
	if (typeof figure === 'number') {
		return figure.toLocaleString('en', { maximumFractionDigits: figure < 10 ? 1 : 0 });
	}
	if (typeof figure !== 'object' || figure === null) return String(figure);
	const counts = Object.entries(figure).map(
		([name, count]) => `${shown(count)} × ${inWords(name)}`,
	);
	return counts.join(', ') || 'none';
}

/** @param measured by scenario: an object of figures, or several of them side by side */
export function writePage(measured: Record<string, object>): void {
	const filled = fs
		.readFileSync(PAGE, 'utf8')
		.replace(
			/(<!-- measured: (\w+) -->)[^]*?(<!-- \/measured -->)/g,
			(all, open: string, name: string, close: string) =>
				name in measured ? `${open}\n\n${tableFor(name, measured[name])}\n\n${close}` : all,
		);
	fs.writeFileSync(PAGE, filled);
	execFileSync(process.execPath, [tool('prettier'), '--write', PAGE], { stdio: 'pipe' });
}

function tableFor(name: string, figures: object): string {
	const isWide = Object.values(figures).every((part) => typeof part === 'object');
	const columns = (isWide ? figures : { [name]: figures }) as Record<string, object>;
	const names = Object.keys(Object.values(columns)[0]);
	const values = Object.values(columns).map((column) => Object.values(column).map(shown));
	return tableOf([
		['', ...Object.keys(columns).map(inWords)],
		...names.map((each, row) => [inWords(each), ...values.map((column) => column[row])]),
	]);
}
