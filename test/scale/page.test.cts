/** docs/large-sends.md says what the run measured, and nothing else. */
import fs from 'node:fs';
import figures from '../../docs/large-sends.json';
import { KEPT_KEYS } from '../../nodes/OutboundMessaging/delivery/keyStore.ts';
import { fill, sections, MARKED, PAGE, type Figures } from './page.cts';

const page = fs.readFileSync(PAGE, 'utf8');

/** Prettier aligns tables: what is left is what they say. */
const said = (text: string) => text.replace(/[ -]+/g, ' ').replace(/\n+/g, '\n');

test('its figures are those of a full run', () => {
	expect(figures.form).toBe('full');
	expect(said(page)).toBe(said(fill(page, figures as unknown as Figures)));
});

test('it shows every part that was measured, once', () => {
	const shown = [...page.matchAll(MARKED)].map(([, , name]) => name);
	expect(shown.sort()).toEqual(Object.keys(sections).sort());
});

test('it knows how many keys are kept', () => {
	const words = KEPT_KEYS.toLocaleString('en');
	expect(page).toContain(`keeps at least its newest ${words} send-once keys`);
	expect(page).toContain(`parts of at most ${words} customers`);
});
