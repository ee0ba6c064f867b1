/** bench/SCALE.md says what the run measured, and nothing else. */
import fs from 'node:fs';
import path from 'node:path';
import * as paths from '../../scripts/lib/paths.cts';
import { fill, sections, FIGURES, MARKED, PAGE } from './page.cts';

const page = fs.readFileSync(PAGE, 'utf8');
const figures = JSON.parse(fs.readFileSync(FIGURES, 'utf8'));

/** Prettier aligns tables: what is left is what they say. */
const said = (text: string) => text.replace(/[ -]+/g, ' ').replace(/\n+/g, '\n');

test('its figures are those of a full run', () => {
	expect(figures.form).toBe('full');
	expect(said(page)).toBe(said(fill(page, figures)));
});

test('it shows every part that was measured, once', () => {
	const shown = [...page.matchAll(MARKED)].map(([, , name]) => name);
	expect(shown.sort()).toEqual(Object.keys(sections).sort());
});

test('the guide knows how many keys are kept', () => {
	const source = path.join(paths.root, 'nodes/OutboundMessaging/delivery/keyStore.ts');
	const [, kept] = /KEPT_KEYS = ([\d_]+)/.exec(fs.readFileSync(source, 'utf8'))!;
	const words = Number(kept.replaceAll('_', '')).toLocaleString('en');
	const guide = fs.readFileSync(path.join(paths.root, 'docs/large-sends.md'), 'utf8');
	expect(guide).toContain(`keeps at least its newest ${words} send-once keys`);
	expect(guide).toContain(`parts of at most ${words} customers`);
});
