/** bench/SCALE.md says what the run measured, and nothing else. */
import fs from 'node:fs';
import { KEPT_KEYS } from '../../nodes/OutboundMessaging/delivery/keys/keyStore.ts';
import { source } from '../docs/markdown.cts';
import { fill, FIGURES, MARKED, PAGE } from './page.cts';

const page = fs.readFileSync(PAGE, 'utf8');
const { form, ...figures } = JSON.parse(fs.readFileSync(FIGURES, 'utf8'));

/** Prettier aligns tables: what is left is what they say. */
const said = (text: string) => text.replace(/[ -]+/g, ' ').replace(/\n+/g, '\n');

test('its figures are all those of a full run', () => {
	expect(form).toBe('full');
	expect(said(page)).toBe(said(fill(page, figures)));
	const names = [...page.matchAll(MARKED)].flatMap(([, , each]) => each.split(', '));
	expect(names.sort()).toEqual(Object.keys(figures).sort());
});

test('the guide knows how many keys are kept', () => {
	const words = KEPT_KEYS.toLocaleString('en');
	const guide = source('docs/large-sends.md');
	expect(guide).toContain(`keeps at least its newest ${words} send-once keys`);
	expect(guide).toContain(`parts of at most ${words} customers`);
});
