import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { FaultRule } from '../../sandbox/index.cts';
import type { Sending } from './workflows';
import { agent, looped, MODES, TEMPLATE, toSend } from './workflows';

/** One of a few customers in one of a few spellings, or what can't be read as a recipient. */
type Who = { customer: number; spelling: number } | { unreadable: string | null };

const spelledCustomer = fc.record(
	{ customer: fc.nat(4), spelling: fc.nat(5) },
	{ noNullPrototype: true },
);
const unreadable = fc.constantFrom('', ' ', null).map((value) => ({ unreadable: value }));
const who = fc.oneof<Array<fc.WeightedArbitrary<Who>>>(
	{ arbitrary: spelledCustomer, weight: 40 },
	{ arbitrary: unreadable, weight: 1 },
);
const mostly = <T>(usual: T, weight: number, other: fc.Arbitrary<T>) =>
	fc.oneof({ arbitrary: fc.constant(usual), weight }, { arbitrary: other, weight: 1 });

const plain = <T extends string>(what: T) => ({ what });
/**
 * What may happen to one request. A service that hangs, or asks to wait, costs no time
 * here: it's virtual.
 */
const whats: FaultRule[] = [
	...[400, 400, 401, 403, 500].map((status) => ({ what: 'status' as const, status })),
	...[408, 499, 502].map((status) => ({ what: 'status' as const, status, accepted: true })),
	...(['unavailable', 'rateLimit', 'cutBefore', 'cutAfter', 'cutDuringBody'] as const).map(plain),
	...(['hang', 'successFalse', 'notARecord', 'empty', 'redirect'] as const).map(plain),
	{ what: 'unavailable', retryAfter: 2 },
	{ what: 'rateLimit', retryAfter: 1 },
	{ what: 'hang', afterAccept: true },
	{ what: 'html', accepted: true },
	{ what: 'latency', ms: 5 },
];
const fault = fc.record({ rule: fc.constantFrom(...whats), nth: fc.integer({ min: 1, max: 12 }) });
const faults = fc.uniqueArray(fault, { selector: ({ nth }) => nth, maxLength: 5 });

/** No safeguards, and all items at once. */
const unguarded = {
	isGuarded: false,
	batchSize: 0,
	messagesPerSecond: 0,
	doNotContact: [] as Array<{ customer: number; spelling: number }>,
	maxMessages: 0,
	repeatedRecipients: 'sendAll' as 'sendAll' | 'sendFirst' | 'reject',
	stopAfterFailures: 25,
	isTest: false,
	dryRun: false,
};
const guarded: fc.Arbitrary<typeof unguarded> = fc.record({
	isGuarded: fc.constant(true),
	batchSize: mostly(0, 2, fc.integer({ min: 1, max: 4 })),
	messagesPerSecond: mostly(0, 4, fc.constantFrom(0.5, 2)),
	doNotContact: mostly(unguarded.doNotContact, 1, fc.array(spelledCustomer, { maxLength: 3 })),
	maxMessages: mostly(0, 1, fc.integer({ min: 1, max: 8 })),
	repeatedRecipients: fc.constantFrom('sendAll', 'sendFirst', 'sendFirst', 'reject'),
	stopAfterFailures: fc.constantFrom(0, 1, 2, 3, 25),
	isTest: mostly(false, 6, fc.constant(true)),
	dryRun: mostly(false, 8, fc.constant(true)),
});

const sending = fc.record({
	recipients: fc.array(who, { minLength: 1, maxLength: 8 }),
	operation: fc.constantFrom('sendTemplate', 'sendText'),
	onError: fc.constantFrom(...MODES),
	tries: fc.constantFrom(0, 0, 2, 3),
	maxConcurrency: fc.constantFrom<number>(1, 1, 2, 10),
	resend: mostly(false, 2, fc.constant(true)),
	/** One for each item, one that items of the same customer share, or one that others share. */
	key: fc.constantFrom('none', 'none', 'none', 'item', 'item', 'customer', 'customer', 'shared'),
	faults: mostly([], 1, faults),
});

/** A list, safeguards in any combination or none at all, and what the service does meanwhile. */
export const campaign = fc
	.tuple(
		sending,
		fc.oneof({ arbitrary: guarded, weight: 5 }, { arbitrary: fc.constant(unguarded), weight: 3 }),
	)
	.map(([given, safeguards]) => {
		// A loop has no use for an error output, and its batches may share keys.
		const isLooped = safeguards.batchSize > 0;
		const onError = isLooped && given.onError === MODES[2] ? MODES[1] : given.onError;
		const key = isLooped && given.key === 'shared' ? 'item' : given.key;
		return { ...given, ...safeguards, onError, key };
	});

export type Campaign = typeof campaign extends fc.Arbitrary<infer T> ? T : never;

/** The customer whose number is the tester's own. */
const TESTER = 9;

/** One item as the oracle knows it. */
export interface Planned {
	/** Undefined when it can't be read. */
	recipient?: string;
	/** What the message says, so that it can be told at the receiving end. */
	mark: string;
	key?: string;
}

/** A key is its customer's: the same one for another customer is another key. */
export const claimOf = ({ recipient, key }: Planned) => `${recipient} ${key}`;

export class CampaignRun {
	readonly items: Planned[];
	readonly blocked: Set<string>;
	readonly tester: string;
	private readonly isPhone: boolean;

	/** @param run gives each run customers of its own: a request that was given up may arrive late */
	constructor(
		readonly given: Campaign,
		private readonly run: number,
	) {
		this.isPhone = given.operation === 'sendTemplate';
		this.tester = this.recipient(TESTER);
		this.blocked = new Set(given.doNotContact.map(({ customer }) => this.recipient(customer)));
		this.items = given.recipients.map((each, index) => {
			const recipient = 'unreadable' in each ? undefined : this.recipient(each.customer);
			// Items that share a key must say the same.
			const mark = given.key === 'customer' ? `to ${recipient}` : `item ${index}`;
			const key = `${run} ${given.key === 'shared' ? index % 3 : mark}`;
			return { recipient, mark, ...(given.key !== 'none' && { key }) };
		});
	}

	/** As the service gets it. */
	private recipient(customer: number): string {
		// As a phone number, one that is valid in Washington.
		const digits = `2022${String(this.run).padStart(5, '0')}${customer}`;
		return this.isPhone ? `+1${digits}` : digits;
	}

	/** Some spellings need the default country. */
	private spelled(who: Who): string | number | null {
		if ('unreadable' in who) return who.unreadable;
		const to = this.recipient(who.customer);
		if (!this.isPhone) return [to, Number(to), ` ${to}`, `${to}\n`][who.spelling % 4];
		const national = `${to.slice(2, 5)}) ${to.slice(5, 8)}-${to.slice(8)}`;
		const international = [to, to.replace('+', '00'), `+1 (${national}`, `\u202a${to}\u202c`];
		return [...international, `(${national}`, to.slice(2)][who.spelling];
	}

	owns(recipient: string | null): boolean {
		return recipient?.slice(0, -1) === this.tester.slice(0, -1);
	}

	input(): IDataObject[] {
		return this.items.map(({ mark, key }, index) => {
			return { recipient: this.spelled(this.given.recipients[index]), mark, key };
		});
	}

	flow() {
		const { batchSize } = this.given;
		return batchSize === 0 ? toSend(this.spec()) : looped(this.spec(), batchSize);
	}

	/** An agent that calls the node with each item. */
	agent(kind: string) {
		const [customerId, text] = ['recipient', 'mark'].map((name) => `={{ $fromAI('${name}') }}`);
		return agent(kind, { ...this.spec(), onError: undefined, parameters: { customerId, text } });
	}

	/** The node as a user sets it up. */
	private spec(): Sending {
		const { onError, tries, maxConcurrency, messagesPerSecond, maxMessages } = this.given;
		const { repeatedRecipients, stopAfterFailures, dryRun, isTest, key, resend } = this.given;
		const list = this.given.doNotContact.map((who) => this.spelled(who));
		const text = { customerId: '={{ $json.recipient }}', text: '={{ $json.mark }}' };
		const attributes = { attribute: [{ value: '={{ $json.mark }}' }] };
		const template = { ...TEMPLATE, customerPhone: '={{ $json.recipient }}', attributes };
		const defaultCountry = this.isPhone ? 'US' : '';
		return {
			...{ onError, tries, parameters: this.isPhone ? template : text },
			options: { maxConcurrency, messagesPerSecond, timeout: 10_000, defaultCountry },
			safeguards: {
				...{ maxMessages, repeatedRecipients, stopAfterFailures, dryRun },
				...(list.length > 0 && { doNotContact: `={{ ${JSON.stringify(list)} }}` }),
				...(isTest && { testRecipient: this.tester }),
				...(key !== 'none' && { sendOnceKey: '={{ $json.key }}' }),
				onUncertainDelivery: resend ? 'resend' : 'doNotResend',
			},
		};
	}

	/** In a test run, no message has a key. */
	get hasKeys(): boolean {
		return this.given.key !== 'none' && !this.given.isTest;
	}

	/**
	 * Whether two messages to one customer share a key, differ, and would both be sent: the list is
	 * rejected for it.
	 */
	get hasSharedKey(): boolean {
		const { key, repeatedRecipients, isTest } = this.given;
		// In a test run, no message has a key.
		if (key !== 'shared' || repeatedRecipients !== 'sendAll' || isTest) return false;
		const sent = this.items.filter(({ recipient }) => recipient && !this.blocked.has(recipient));
		return new Set(sent.map(claimOf)).size < sent.length;
	}

	/**
	 * What must be sent when nothing goes wrong at the service by the words of the rules.
	 * @returns the items whose messages are sent, to their own recipients or to the test recipient
	 */
	expected(): Planned[] {
		const { given } = this;
		const sent: Planned[] = [];
		if (this.hasSharedKey) return sent;
		const keys = new Set<string>();
		const reached = new Set<string>();
		const stops = given.onError === 'stopWorkflow';
		const size = given.batchSize === 0 ? this.items.length : given.batchSize;
		for (let from = 0; from < this.items.length; from += size) {
			const batch = this.items.slice(from, from + size);
			// A dry run claims no key: it knows those of its own list.
			if (given.dryRun) keys.clear();
			const readable = batch.filter(({ recipient }) => recipient !== undefined);
			const allowed = readable.filter(({ recipient = '' }) => !this.blocked.has(recipient));
			const all = allowed.map(({ recipient = '' }) => recipient);
			const isFirst = (at: number) => all.indexOf(all[at]) === at && !reached.has(all[at]);
			const sendsAll = given.repeatedRecipients === 'sendAll';
			const planned = allowed.filter((_, index) => sendsAll || isFirst(index));
			const isRepeated = given.repeatedRecipients === 'reject' && planned.length < all.length;
			const isRejected = readable.length < batch.length || isRepeated;
			const due = given.isTest ? planned.slice(0, 3 - sent.length) : planned;
			const total = sent.length + due.length;
			const limit = given.maxMessages || Infinity;
			// With keys, the limit acts when a message's turn comes.
			const isTooMany = !this.hasKeys && due.length > 0 && total > limit;
			// A dry run shows the good items and the bad ones.
			const hidesAll = isTooMany || (isRejected && stops && !given.dryRun);
			if (hidesAll && stops) break;
			for (const item of hidesAll ? [] : due) {
				if (this.hasKeys && (keys.has(claimOf(item)) || sent.length === limit)) continue;
				keys.add(claimOf(item));
				sent.push(item);
				reached.add(item.recipient ?? '');
			}
		}
		return sent;
	}
}
