/** How a try finds what earlier tries of its run did, and how a retry numbers its messages. */
import fc from 'fast-check';

import type { LedgerEntry, NodeState } from '../../../nodes/OutboundMessaging/delivery/nodeState';
import type { Listed } from '../../../nodes/OutboundMessaging/delivery/ledger';
import type { Message } from '../../../nodes/OutboundMessaging/delivery/message';
import { Ledger, matchEntries } from '../../../nodes/OutboundMessaging/delivery/ledger';
import { numberNext } from '../../../nodes/OutboundMessaging/delivery/retryNumbers';

/**
 * An item of the list, by its customer and what it says; without a text, it can't become a message.
 */
interface Row {
	customer?: string;
	text?: string;
}

const itemsOf = (rows: Row[]): Listed[] =>
	rows.map(({ customer, text }, itemIndex) => ({
		itemIndex,
		recipient: customer,
		content: text,
	}));

/** What an earlier try sent, and where its item was. */
interface Sent {
	customer: string;
	text: string;
	at: number;
}

const knownOf = (sent: Sent[]): LedgerEntry[] =>
	sent.map(({ customer, text, at }) => ({
		...{ recipient: customer, url: 'https://api.example.com/text' },
		...{ itemIndex: at, content: text },
	}));

/** By row: what the ledger has for it. */
function found(sent: Sent[], now: Row[]): Array<string | undefined> {
	const items = itemsOf(now);
	const matched = matchEntries(items, knownOf(sent));
	return items.map((item) => matched.get(item)?.content);
}

const ada = (text?: string): Row => ({ customer: 'Ada', text });
const ben = (text?: string): Row => ({ customer: 'Ben', text });
const sentTo = (customer: string, text: string, at: number): Sent => ({ customer, text, at });

const NONE = undefined;

it.each<{ what: string; sent: Sent[]; now: Row[]; expected: Array<string | undefined> }>([
	{
		what: 'the same list: each row has its own entry',
		sent: [sentTo('Ada', 'a', 0), sentTo('Ben', 'b', 1)],
		now: [ada('a'), ben('b')],
		expected: ['a', 'b'],
	},
	{
		what: 'another order: by customer and text',
		sent: [sentTo('Ada', 'a', 0), sentTo('Ada', 'b', 1)],
		now: [ada('b'), ada('a')],
		expected: ['b', 'a'],
	},
	{
		what: 'a text that has changed: the one at its place',
		sent: [sentTo('Ada', 'at 9:00', 0)],
		now: [ada('at 9:01')],
		expected: ['at 9:00'],
	},
	{
		what:
			'the first of two was rejected, and both texts have changed: ' +
			'the second one keeps its entry',
		sent: [sentTo('Ada', 'second at 9:00', 1)],
		now: [ada('first at 9:01'), ada('second at 9:01')],
		expected: [NONE, 'second at 9:00'],
	},
	{
		what: 'text and order have changed: the customer’s next one',
		sent: [sentTo('Ada', 'at 9:00', 2)],
		now: [ada('at 9:01')],
		expected: ['at 9:00'],
	},
	{
		what: 'a row that can’t be read now: the entry at its place',
		sent: [sentTo('Ada', 'a', 0)],
		now: [{}],
		expected: ['a'],
	},
	{
		what: 'a row of another customer that can’t be read now: nothing of this one',
		sent: [sentTo('Ada', 'a', 0)],
		now: [ben()],
		expected: [NONE],
	},
	{
		what: 'the first of two equal rows can’t be read now: the other one isn’t taken for it',
		sent: [sentTo('Ada', 'a', 0)],
		now: [{}, ada('a')],
		expected: ['a', NONE],
	},
	{
		what: 'two equal rows, one of which was sent: one of them is new',
		sent: [sentTo('Ada', 'a', 0)],
		now: [ada('a'), ada('a')],
		expected: ['a', NONE],
	},
])('$what', ({ sent, now, expected }) => {
	expect(found(sent, now)).toEqual(expected);
});

const customer = fc.constantFrom('Ada', 'Ben');
const text = fc.constantFrom('a', 'b', 'c');
const anyRow = fc
	.record({ customer: fc.option(customer), text: fc.option(text) })
	.map((row): Row => {
		return {
			customer: row.customer ?? undefined,
			text: row.customer ? (row.text ?? undefined) : undefined,
		};
	});
const anySent = fc.record({ customer, text, at: fc.nat(6) });

it('whatever the list: no entry is used twice, and none is another customer’s', () => {
	fc.assert(
		fc.property(
			fc.array(anyRow, { maxLength: 7 }),
			fc.array(anySent, { maxLength: 7 }),
			(now, sent) => {
				const items = itemsOf(now);
				const known = knownOf(sent);
				const matched = [...matchEntries(items, known)];
				expect(new Set(matched.map(([, entry]) => entry)).size).toBe(matched.length);
				for (const [item, entry] of matched) {
					if (item.recipient !== undefined) expect(entry.recipient).toBe(item.recipient);
				}
			},
		),
	);
});

it('whatever the list: a readable row is new only if its customer has no entry left', () => {
	fc.assert(
		fc.property(
			fc.array(anyRow, { maxLength: 7 }),
			fc.array(anySent, { maxLength: 7 }),
			(now, sent) => {
				const items = itemsOf(now);
				const known = knownOf(sent);
				const matched = matchEntries(items, known);
				const used = new Set(matched.values());
				const left = new Set(
					known.filter((entry) => !used.has(entry)).map((each) => each.recipient),
				);
				const isNew = items.filter((item) => item.content !== undefined && !matched.has(item));
				for (const item of isNew) expect([...left]).not.toContain(item.recipient);
			},
		),
	);
});

it('a list in another order, with the same texts: each row has an entry with its own text', () => {
	const rows = fc.array(fc.record({ customer, text }), { maxLength: 6 });
	fc.assert(
		fc.property(
			rows.chain((all) =>
				fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
			),
			([before, after]) => {
				const sent = before.map((row, at) => ({ ...row, at }));
				expect(found(sent, after)).toEqual(after.map((row) => row.text));
			},
		),
	);
});

interface Next {
	what: string;
	sent: Array<{ nth: number; content: string }>;
	content: string;
	/** The number that it has from an earlier try. */
	known?: number;
	next: { nth: number; equal: number };
}

it.each<Next>([
	{ what: 'the first one', sent: [], content: 'a', next: { nth: 0, equal: 0 } },
	{
		what: 'another one',
		sent: [{ nth: 0, content: 'a' }],
		content: 'b',
		next: { nth: 1, equal: 0 },
	},
	{
		what: 'an equal one',
		sent: [{ nth: 0, content: 'a' }],
		content: 'a',
		next: { nth: 1, equal: 1 },
	},
	{
		what: 'one that has a number, also if the one before it is gone',
		sent: [],
		content: 'b',
		known: 1,
		next: { nth: 1, equal: 0 },
	},
	{
		what: 'one before another that a try before this one sent',
		sent: [{ nth: 1, content: 'a' }],
		content: 'a',
		next: { nth: 0, equal: 0 },
	},
])('a retry numbers what it sends a customer: $what', ({ sent, content, known, next }) => {
	expect(numberNext(sent, content, known)).toEqual(next);
});

it(
	'a resent message that certainly was not sent is in the ledger as it was ' +
		'before, with its own text',
	() => {
		const message = (text: string): Message => ({
			...{ itemIndex: 0, recipient: 'Ada' },
			request: { url: 'https://api.example.com/text', body: { text } },
		});
		const state: NodeState = {};
		const first = new Ledger(state, undefined, '0');
		first.begin(message('at 9:00'));
		const before = structuredClone(state);

		const again = new Ledger(state, undefined, '0');
		const changed = message('at 9:01');
		again.match([{ message: changed, recipient: 'Ada' }]);
		const undo = again.begin(changed);
		expect(state).not.toEqual(before);
		undo();
		expect(state).toEqual(before);
	},
);

it("a customer's two messages with new texts at new places: each keeps its own end", () => {
	const url = 'https://api.example.com/text';
	const sent = { recipient: 'Ada', url };
	const first = { ...sent, itemIndex: 0, content: 'first', record: { id: '1' } };
	const second = { ...sent, itemIndex: 1, content: 'second, uncertain' };
	// The service had rejected the first one, so it was sent later.
	const ledger = new Ledger({ ledger: { 0: [second, first] } }, undefined, '0');

	const now = (text: string, itemIndex: number) => {
		return { itemIndex, recipient: 'Ada', request: { url, body: { text } } };
	};
	const matched = ledger.match([
		...[{ recipient: 'Ben' }, { recipient: 'Ben' }],
		{ recipient: 'Ada', message: now('first, corrected', 2) },
		{ recipient: 'Ada', message: now('second, corrected', 3) },
	]);
	expect([2, 3].map((at) => matched.get(at)?.content)).toEqual(['first', 'second, uncertain']);
});

it('what a Retry stores of a message stays readable for later releases', () => {
	const url = 'https://api.example.com/text';
	const message: Message = {
		itemIndex: 3,
		recipient: 'Ada',
		request: { url, body: { text: 'a' } },
	};
	const state: NodeState = {};
	const ledger = new Ledger(state, { id: 'b', executionId: '2', isRetry: true }, '0');
	const keys = ledger.keysOf(message);
	ledger.begin(message);

	// cspell:disable
	const content = '5er6zOgZRplqitOZ';
	const customer = `b Ada ${url}`;
	expect(keys).toEqual([{ key: `retry ${customer} 0`, content: `${customer} ${content} 0` }]);
	expect(state).toEqual({
		ledger: { 0: [{ recipient: 'Ada', url, itemIndex: 3, content, nth: 0 }] },
		sentByRetries: { 'ZG6/tojk': [{ nth: 0, content: 'P6sViubD' }] },
	});
	// cspell:enable
});
