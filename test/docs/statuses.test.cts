/**
 * docs/delivery.md says how a message ends by the response's status: `npm run docs` writes it from
 * the node's own table.
 */
import { meaningOf } from '../../nodes/OutboundMessaging/service/statuses.ts';
import { sectionOf } from './markdown.cts';

const ENDS = {
	rejected: '`rejected`',
	uncertain: '`uncertain`',
	notSent: 'tried again, then `rejected`',
	askedToWait: 'sent again after the wait, or `rejected`',
} as const;

function endOf(status: number, hasRetryAfter = false): string {
	const { verdict, isFatal, mayRepeatEarlier } = meaningOf(status, hasRetryAfter);
	if (isFatal) return `${ENDS[verdict]}, and the step ends`;
	return ENDS[verdict] + (mayRepeatEarlier ? '; an earlier message may have been sent' : '');
}

/** What most statuses of a hundred mean: none with 98 at its end means something of its own. */
const usual = (hundred: number) => endOf(hundred * 100 + 98);
const hundreds = [2, 3, 4, 5];
const statuses = hundreds.flatMap((hundred) =>
	Array.from({ length: 100 }, (_, index) => hundred * 100 + index),
);
const ownOnes = statuses.filter((status) => endOf(status) !== usual(Math.floor(status / 100)));

const ends = [
	['2xx with a record', 'accepted, or `rejected` if its `success` is false'],
	['2xx without a record', usual(2)],
	...hundreds.slice(1).map((hundred) => [`other ${hundred}xx`, usual(hundred)]),
	...ownOnes.map((status) => [`${status}`, endOf(status)]),
	['503 with `Retry-After`', endOf(503, true)],
	['no valid status', endOf(0)],
];

/** One line for each end, with all its statuses. */
const lines = [...new Set(ends.map(([, end]) => end))].map((end) => {
	const ofEnd = ends.filter((each) => each[1] === end).map(([status]) => status);
	return `- ${end}: ${ofEnd.join(', ')}`;
});

test('how a message ends, by the status of the response', () => {
	const { section, write } = sectionOf('docs/delivery.md', 'How a status ends');
	const expected = lines.join('\n');
	const [shown] = section.match(/^- [^]*$/m)!;
	if (process.env.WRITE_DOCS) write(section.replace(shown, () => expected));
	else expect(shown).toBe(expected);
});
