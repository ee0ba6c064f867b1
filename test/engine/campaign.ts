import fc from 'fast-check';
import type { IDataObject, INodeParameters, OnError } from 'n8n-workflow';

import type { FaultRule } from '../../sandbox/index.cts';
import { OUTBOUND_MESSAGING } from './nodeTypes';
import { looped, NODE, node, sending, TEMPLATE, to, toSend, workflow } from './workflows';

/** One of a few customers in one of a few spellings, or what can't be read as a recipient. */
type Who = { customer: number; spelling: number } | { unreadable: string | null };

/** When an item may be sent, from the time at which the run begins. */
type Hours = 'open' | 'closed' | 'ends soon';

const CUSTOMERS = 5;
const spelledCustomer = fc.record(
	{ customer: fc.nat(CUSTOMERS - 1), spelling: fc.nat(5) },
	{ noNullPrototype: true },
);
const who = fc.oneof<Array<fc.WeightedArbitrary<Who>>>(
	{ arbitrary: spelledCustomer, weight: 40 },
	{
		arbitrary: fc.constantFrom('', ' ', null).map((unreadable) => ({ unreadable })),
		weight: 1,
	},
);
const mostly = <T>(usual: T, weight: number, other: fc.Arbitrary<T>) =>
	fc.oneof({ arbitrary: fc.constant(usual), weight }, { arbitrary: other, weight: 1 });

/** What may happen to one request. A service that hangs, or asks to wait, costs no time here: it's virtual. */
const whats: FaultRule[] = [
	{ what: 'status', status: 400 },
	{ what: 'status', status: 400 },
	{ what: 'status', status: 500 },
	{ what: 'status', status: 502, accepted: true },
	{ what: 'status', status: 401 },
	{ what: 'status', status: 403 },
	{ what: 'unavailable', retryAfter: 2 },
	{ what: 'unavailable' },
	{ what: 'rateLimit' },
	{ what: 'rateLimit', retryAfter: 1 },
	{ what: 'cutBefore' },
	{ what: 'cutAfter' },
	{ what: 'cutDuringBody' },
	{ what: 'hang', afterAccept: true },
	{ what: 'successFalse' },
	{ what: 'notARecord' },
	{ what: 'latency', ms: 3 },
];
const fault = fc.record({ rule: fc.constantFrom(...whats), nth: fc.integer({ min: 1, max: 12 }) });

/** A list, safeguards in any combination, and what the service does meanwhile. */
export const campaign = fc.record({
	items: fc.array(
		fc.record({ who, hours: fc.constantFrom<Hours>('open', 'closed', 'ends soon') }),
		{
			minLength: 1,
			maxLength: 6,
		},
	),
	operation: fc.constantFrom('sendTemplate', 'sendText'),
	/** 0: all at once. */
	batchSize: mostly(0, 2, fc.integer({ min: 1, max: 4 })),
	onError: fc.constantFrom<OnError>('stopWorkflow', 'continueRegularOutput'),
	tries: fc.constantFrom(0, 0, 2, 3),
	maxConcurrency: fc.constantFrom(1, 1, 2, 10),
	messagesPerSecond: mostly(0, 4, fc.constantFrom(0.5, 2)),
	resend: mostly(false, 3, fc.constant(true)),
	key: fc.constantFrom<'none' | 'item' | 'customer'>('none', 'none', 'item', 'customer'),
	faults: mostly<Array<{ rule: FaultRule; nth: number }>>(
		[],
		1,
		fc.uniqueArray(fault, { selector: ({ nth }) => nth, maxLength: 5 }),
	),
	doNotContact: mostly<Array<{ customer: number; spelling: number }>>(
		[],
		1,
		fc.array(spelledCustomer, { maxLength: 3 }),
	),
	listAsText: fc.boolean(),
	hasHours: mostly(false, 2, fc.constant(true)),
	/** Hours of places with other clocks, on the day on which they change as well. */
	place: fc.constantFrom(
		{ timezone: 'UTC', start: '2026-11-22T10:41:00Z' },
		{ timezone: 'Europe/Berlin', start: '2026-10-25T00:59:00Z' },
		{ timezone: 'America/New_York', start: '2026-03-08T06:59:00Z' },
		{ timezone: 'Australia/Lord_Howe', start: '2026-04-04T14:59:00Z' },
		{ timezone: 'Asia/Kathmandu', start: '2026-11-21T18:20:00Z' },
	),
	maxMessages: mostly(0, 1, fc.integer({ min: 1, max: 8 })),
	repeatedRecipients: fc.constantFrom<'sendAll' | 'sendFirst' | 'reject'>(
		'sendAll',
		'sendFirst',
		'sendFirst',
		'reject',
	),
	stopAfterFailures: fc.constantFrom(0, 1, 2, 3, 25),
	isTest: mostly(false, 6, fc.constant(true)),
	dryRun: mostly(false, 8, fc.constant(true)),
});

export type Campaign = typeof campaign extends fc.Arbitrary<infer T> ? T : never;

/** The customers of one campaign, and how they are spelled. */
export class Customers {
	/** @param run makes them differ from those of other runs: a request that was given up may arrive late */
	constructor(
		private readonly run: number,
		private readonly isPhone: boolean,
	) {}

	/** As the service gets it. */
	recipient(customer: number): string {
		const digits = `2${String(this.run).padStart(8, '0')}${customer}`;
		return this.isPhone ? `+1${digits}` : digits;
	}

	/** @param spelling number of the spelling; some need the default country */
	spelled(customer: number, spelling: number): string | number {
		const recipient = this.recipient(customer);
		if (!this.isPhone) {
			return [recipient, Number(recipient), ` ${recipient}`, `${recipient}\n`][spelling % 4];
		}
		const national = `${recipient.slice(2, 5)}) ${recipient.slice(5, 8)}-${recipient.slice(8)}`;
		return [
			recipient,
			recipient.replace('+', '00'),
			`+1 (${national}`,
			`\u202a${recipient}\u202c`,
			`(${national}`,
			recipient.slice(2),
		][spelling];
	}

	owns(recipient: string | null): boolean {
		return recipient?.slice(0, -1) === this.recipient(0).slice(0, -1);
	}
}

/** The customer whose number is the tester's own. */
const TESTER = 9;

/** One item as the oracle knows it. */
export interface Planned {
	index: number;
	/** Undefined when it can't be read. */
	recipient?: string;
	hours: Hours;
	/** What the message says, so that it can be told at the receiving end. */
	mark: string;
	key?: string;
}

export class CampaignRun {
	readonly customers: Customers;
	readonly items: Planned[];
	readonly blocked: Set<string>;
	readonly tester: string;

	constructor(
		readonly given: Campaign,
		run: number,
	) {
		const isPhone = given.operation === 'sendTemplate';
		this.customers = new Customers(run, isPhone);
		this.tester = this.customers.recipient(TESTER);
		this.blocked = new Set(
			given.doNotContact.map(({ customer }) => this.customers.recipient(customer)),
		);
		this.items = given.items.map(({ who: each, hours }, index) => {
			const recipient = 'unreadable' in each ? undefined : this.customers.recipient(each.customer);
			// Items that share a key must say the same.
			const mark = given.key === 'customer' ? `to ${recipient}` : `item ${index}`;
			const key = given.key === 'none' ? undefined : `${run} ${mark}`;
			return { index, recipient, hours: given.hasHours ? hours : 'open', mark, key };
		});
	}

	/** The time at which the run begins: three seconds before some windows end. */
	get start(): number {
		return Date.parse(this.given.place.start) + 57_000;
	}

	/** Whether an item's window is open, by the clock of its place. */
	isOpen({ hours }: Planned, instant = this.start): boolean {
		if (!this.given.hasHours) return true;
		const { from, until } = this.window(hours);
		const time = this.clock(instant);
		return from < until ? from <= time && time < until : from <= time || time < until;
	}

	/** Whether no window ends while the campaign runs. */
	get isSteady(): boolean {
		return this.items.every(
			(item) => this.isOpen(item) === this.isOpen(item, this.start + 600_000),
		);
	}

	input(): IDataObject[] {
		const { given, customers } = this;
		return this.items.map(({ mark, key, hours }, index) => {
			const each = given.items[index].who;
			const recipient =
				'unreadable' in each ? each.unreadable : customers.spelled(each.customer, each.spelling);
			return { recipient, mark, key, ...this.window(hours) };
		});
	}

	private window(hours: Hours): { from: string; until: string } {
		const at = (minutes: number) =>
			this.clock(Date.parse(this.given.place.start) + minutes * 60_000);
		// The minute that begins after the start is where some clocks change.
		if (hours === 'closed') return { from: at(180), until: at(240) };
		return { from: at(-30), until: hours === 'open' ? at(300) : at(1) };
	}

	/** Hours and minutes on the clock of the place. */
	private clock(instant: number): string {
		const { timezone } = this.given.place;
		const format = { timeZone: timezone, hour: '2-digit', minute: '2-digit' } as const;
		return new Date(instant).toLocaleTimeString('en-GB', format);
	}

	flow(onError = this.given.onError) {
		const { given } = this;
		const spec = {
			onError,
			tries: given.tries,
			parameters: this.parameters(),
			options: this.options(),
		};
		return given.batchSize === 0 ? toSend(spec) : looped(spec, given.batchSize);
	}

	/** An agent that calls the node with each item. */
	agent(kind: string) {
		const type = `${OUTBOUND_MESSAGING}Tool`;
		const parameters = {
			...this.parameters(),
			customerId: "={{ $fromAI('recipient', '', 'string') }}",
			text: "={{ $fromAI('mark', '', 'string') }}",
		};
		const tool = sending({
			type,
			tries: this.given.tries,
			options: this.options(),
			parameters,
		});
		return workflow([node('Start', 'test.start'), node('Agent', kind), tool], {
			Agent: { main: [[]] },
			[NODE]: { ai_tool: [[to({ name: 'Agent' }, 'ai_tool')]] },
		});
	}

	private parameters(): INodeParameters {
		const safeguards = this.safeguards() as INodeParameters;
		if (this.given.operation === 'sendText') {
			return { customerId: '={{ $json.recipient }}', text: '={{ $json.mark }}', safeguards };
		}
		const attributes = { attribute: [{ value: '={{ $json.mark }}' }] };
		return { ...TEMPLATE, customerPhone: '={{ $json.recipient }}', attributes, safeguards };
	}

	private options(): IDataObject {
		const { maxConcurrency, messagesPerSecond, operation } = this.given;
		return {
			maxConcurrency,
			messagesPerSecond,
			timeout: 10_000,
			...(operation === 'sendTemplate' && { defaultCountry: 'US' }),
		};
	}

	private safeguards(): IDataObject {
		const { given } = this;
		const list = given.doNotContact.map(({ customer, spelling }) =>
			this.customers.spelled(customer, spelling),
		);
		const { maxMessages, repeatedRecipients, stopAfterFailures, dryRun } = given;
		return {
			maxMessages,
			repeatedRecipients,
			stopAfterFailures,
			dryRun,
			...(list.length > 0 && {
				doNotContact: given.listAsText ? list.join('\n') : `={{ ${JSON.stringify(list)} }}`,
			}),
			...(given.hasHours && {
				allowedHours: {
					window: {
						from: '={{ $json.from }}',
						until: '={{ $json.until }}',
						timezone: given.place.timezone,
					},
				},
			}),
			...(given.isTest && { testRecipient: this.tester }),
			...(given.key !== 'none' && { sendOnceKey: '={{ $json.key }}' }),
			...(given.resend && { onUncertainDelivery: 'resend' }),
		};
	}

	/**
	 * What must be sent when nothing goes wrong at the service and no window ends on the way, by the words of the rules.
	 * @returns the items whose messages are sent, to their own recipients or to the test recipient
	 */
	expected(): Planned[] {
		const { given } = this;
		const sent: Planned[] = [];
		const keys = new Set<string>();
		const reached = new Set<string>();
		const stops = given.onError === 'stopWorkflow';
		const size = given.batchSize === 0 ? this.items.length : given.batchSize;
		for (let from = 0; from < this.items.length; from += size) {
			const batch = this.items.slice(from, from + size);
			const planned: Planned[] = [];
			let isRejected = false;
			let isHeldBack = false;
			for (const item of batch) {
				const { recipient } = item;
				if (recipient === undefined) {
					isRejected = true;
					continue;
				}
				if (this.blocked.has(recipient)) continue;
				const isRepeated =
					planned.some((other) => other.recipient === recipient) || reached.has(recipient);
				if (given.repeatedRecipients !== 'sendAll' && isRepeated) {
					isRejected ||= given.repeatedRecipients === 'reject';
				} else if (!this.isOpen(item)) {
					isHeldBack = true;
				} else {
					planned.push(item);
				}
			}
			const total = sent.length + planned.length;
			const isTooMany = given.maxMessages > 0 && planned.length > 0 && total > given.maxMessages;
			if (!isTooMany && !(isRejected && stops)) {
				for (const item of given.isTest ? planned.slice(0, 3 - sent.length) : planned) {
					const claims = item.key !== undefined && !given.isTest && !given.dryRun;
					if (claims && keys.has(item.key ?? '')) continue;
					keys.add(item.key ?? '');
					sent.push(item);
					reached.add(item.recipient ?? '');
				}
			}
			// A dry run continues after an item that isn't sent now: it shows the whole list.
			if (stops && (isTooMany || isRejected || (isHeldBack && !given.dryRun))) break;
		}
		return sent;
	}
}
