/** docs/delivery.md says how a message ends by the response's status: `npm run docs` writes it from the node's own table. */
import { meaningOf } from '../../nodes/OutboundMessaging/service/statuses.ts';
import { sectionOf, tableOf } from './markdown.cts';

const ENDS = {
	rejected: '`rejected`',
	uncertain: '`uncertain`',
	notSent: 'Tried again, then `rejected`',
	askedToWait: 'Sent again after the wait, or `rejected`',
} as const;

/** What most statuses of a hundred mean. */
const usual = (hundred: number) => meaningOf(hundred * 100 + 99);
const statuses = Array.from({ length: 400 }, (_, index) => 200 + index);
const isOwn = (status: number) => {
	const { verdict, isFatal } = meaningOf(status);
	const other = status >= 400 && status < 500 ? meaningOf(400) : usual(Math.floor(status / 100));
	return verdict !== other.verdict || isFatal !== other.isFatal;
};

const endOf = (status: number, hasRetryAfter = false) => {
	const { verdict, isFatal } = meaningOf(status, hasRetryAfter);
	return ENDS[verdict] + (isFatal ? ', and the step ends' : '');
};

const rows = [
	['2xx with a record', 'accepted, or `rejected` if its `success` is false'],
	['2xx without a record', endOf(299)],
	['3xx', endOf(399)],
	['4xx', endOf(400)],
	['5xx', endOf(599)],
	...statuses.filter(isOwn).map((status) => [`${status}`, endOf(status)]),
	['503 with `Retry-After`', endOf(503, true)],
	['No valid status', endOf(0)],
];

test('how a message ends, by the status of the response', () => {
	const { section, write } = sectionOf('docs/delivery.md', 'How a status ends');
	const cells = (text: string) => text.replaceAll(/ *\| */g, '|').replaceAll(/-{2,}/g, '---');
	const expected = tableOf([['Status', 'The message'], ...rows]);
	const shown = section.match(/^\|[^]*\|$/m)?.[0];
	if (process.env.WRITE_DOCS) write(section.replace(shown ?? /$/, () => `\n\n${expected}`.trim()));
	else expect(cells(shown!)).toBe(expected);
});
