import { toSend } from '../delivery/message';
import { misconfigured } from '../delivery/runRejected';
import { twoLines } from '../common/twoLines';
import { number } from '../fields/field';
import type { Safeguard } from './safeguard';

export const maxMessages = {
	field: number(
		'Max Messages',
		'The most messages that one execution may send. If a step would exceed this, none of it is sent. 0 means no limit.',
		{ preset: 100, min: 0, max: 1000000, whole: true },
		{ off: 0 },
	),
	wholeList(items, limit, { state }) {
		const planned = toSend(items);
		const { sent } = state.counts;
		if (limit === 0 || planned.length === 0 || sent + planned.length <= limit) return items;
		// Either all have a key, or none has.
		const [{ sendOnceKey }] = planned;
		const count = `${sendOnceKey === undefined ? '' : 'up to '}${planned.length}`;
		const before = sent === 0 ? '' : ` after ${sent} that were sent earlier in this execution`;
		const text = twoLines`'Max Messages' is ${limit}, and this step would send ${count}${before}
			Check that the list is the one you mean. To send all of it, raise 'Max Messages'`;
		throw misconfigured(text, 'maxMessages');
	},
} satisfies Safeguard<number>;
