import { SlidingWindow } from './slidingWindow.cts';
import type { OperationName } from './specification.cts';

interface RetryAfter {
	/** Seconds, `'date'`, `'auto'`, or any other text as it is; without it there is no header. */
	retryAfter?: number | string;
	/** How far away the date is. */
	inSeconds?: number;
}

/** What each kind of fault may be told. */
interface Settings {
	latency: { ms?: number };
	status: {
		status: number;
		body?: unknown;
		headers?: Record<string, string>;
		contentType?: string;
		accepted?: boolean;
	};
	rateLimit: RetryAfter;
	unavailable: RetryAfter;
	limit: RetryAfter & { requests: number; perMs: number };
	cutBefore: object;
	cutAfter: object;
	cutDuringBody: object;
	hang: { afterAccept?: boolean; ms?: number };
	html: { status?: number; body?: string; accepted?: boolean };
	redirect: { status?: number; location?: string; accepted?: boolean };
	slowBody: { ms?: number };
	notARecord: { status?: number; body?: unknown; accepted?: boolean };
	empty: { status?: number; accepted?: boolean };
	successFalse: { message?: string };
}

/** All of them must be true. */
export interface Conditions {
	recipient?: string | string[];
	operation?: OperationName;
	/** The count of a request among those that fit, from 1. */
	nth?: number | number[];
	first?: number;
	every?: number;
	probability?: number;
	seed?: number;
	perRecipientFirst?: number;
	untilMs?: number;
}

interface Common {
	/** As it appears in the ledger; `what` by default. */
	name?: string;
	when?: Conditions;
	/** Meets the request before its key is looked at. */
	beforeAuth?: boolean;
	/** Also meets requests whose body is rejected. */
	evenInvalid?: boolean;
}

export type FaultKind = keyof Settings;
export type RuleOf<Kind extends FaultKind> = Common & { what: Kind } & Settings[Kind];
/** `what` happens `when`; the settings of the kind are next to `what`. */
export type FaultRule = { [Kind in FaultKind]: RuleOf<Kind> }[FaultKind];

type Check = (value: unknown) => boolean;

const number: Check = (value) => typeof value === 'number' && value >= 0;
const positive: Check = (value) => Number.isInteger(value) && (value as number) > 0;
const text: Check = (value) => typeof value === 'string';
const flag: Check = (value) => typeof value === 'boolean';
const retryAfter: Check = (value) => number(value) || text(value);
const status: Check = (value) =>
	Number.isInteger(value) && (value as number) >= 200 && (value as number) <= 599;
const anything: Check = () => true;
const plainObject: Check = (value) =>
	value !== null && typeof value === 'object' && !Array.isArray(value);
const listOf =
	(check: Check): Check =>
	(value) =>
		check(value) || (Array.isArray(value) && value.length > 0 && value.every(check));

interface Kind<Name extends FaultKind> {
	settings: { [Setting in keyof Settings[Name]]-?: Check };
	needs?: Array<keyof Settings[Name]>;
	/** The service has taken the message by then. */
	accepts?: boolean;
	/** Responds with the record or a part of it, so it needs a valid message. */
	needsRecord?: boolean;
}

const kinds: { [Name in FaultKind]: Kind<Name> } = {
	latency: { settings: { ms: number }, accepts: true },
	status: {
		settings: { status, body: anything, headers: plainObject, contentType: text, accepted: flag },
		needs: ['status'],
	},
	rateLimit: { settings: { retryAfter, inSeconds: number } },
	unavailable: { settings: { retryAfter, inSeconds: number } },
	limit: {
		settings: { requests: positive, perMs: positive, retryAfter, inSeconds: number },
		needs: ['requests', 'perMs'],
	},
	cutBefore: { settings: {} },
	cutAfter: { settings: {}, accepts: true },
	cutDuringBody: { settings: {}, accepts: true, needsRecord: true },
	hang: { settings: { afterAccept: flag, ms: number } },
	html: { settings: { status, body: text, accepted: flag } },
	redirect: { settings: { status, location: text, accepted: flag } },
	slowBody: { settings: { ms: number }, accepts: true, needsRecord: true },
	notARecord: { settings: { status, body: anything, accepted: flag }, accepts: true },
	empty: { settings: { status, accepted: flag }, accepts: true },
	successFalse: { settings: { message: text }, needsRecord: true },
};

const commonSettings: Record<keyof Common | 'what', Check> = {
	name: text,
	what: text,
	when: plainObject,
	beforeAuth: flag,
	evenInvalid: flag,
};

const conditions: Record<keyof Conditions, Check> = {
	recipient: listOf(text),
	operation: text,
	nth: listOf(positive),
	first: positive,
	every: positive,
	probability: (value) => number(value) && (value as number) <= 1,
	seed: Number.isInteger,
	perRecipientFirst: positive,
	untilMs: number,
};

/** A mistyped rule would silently test nothing, so it is an error. */
function check(rule: FaultRule): void {
	const problem = (words: string) => new TypeError(`Fault rule ${JSON.stringify(rule)}: ${words}`);
	if (!plainObject(rule)) throw problem('a rule is an object');
	if (!Object.hasOwn(kinds, rule.what)) {
		throw problem(`"what" is one of ${Object.keys(kinds).join(', ')}`);
	}
	const kind = kinds[rule.what];
	checkAll({ ...commonSettings, ...kind.settings }, rule, problem);
	checkAll(conditions, rule.when ?? {}, problem);
	for (const name of kind.needs ?? []) {
		if (!Object.hasOwn(rule, name)) throw problem(`"${name}" is missing`);
	}
	if (kind.needsRecord && (rule.beforeAuth || rule.evenInvalid)) {
		throw problem(`${rule.what} needs a valid message: no beforeAuth, no evenInvalid`);
	}
}

function checkAll(
	checks: Record<string, Check>,
	values: object,
	problem: (words: string) => TypeError,
): void {
	for (const [name, value] of Object.entries(values)) {
		if (value === undefined) continue;
		if (!Object.hasOwn(checks, name)) throw problem(`"${name}" is not known here`);
		if (!checks[name](value)) throw problem(`"${name}" has a value that makes no sense`);
	}
}

function accepts(rule: FaultRule): boolean {
	if (rule.what === 'hang') return rule.afterAccept === true;
	const told = 'accepted' in rule ? rule.accepted : undefined;
	return told ?? kinds[rule.what].accepts ?? false;
}

/** A number in [0, 1) that depends on seed and position alone (mulberry32). */
function chance(seed: number, position: number): number {
	let mixed = (seed + Math.imul(position, 0x6d2b79f5)) | 0;
	mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
	mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
	return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000;
}

const setOf = <T,>(value: T | T[] | undefined) =>
	value === undefined ? undefined : new Set([value].flat() as T[]);

/** What a rule is judged by. */
export interface RequestToMeet {
	operation: OperationName;
	recipient: string | null;
}

/** One rule with its counters. */
class ArmedRule {
	readonly name: string;
	readonly accepts: boolean;
	matched = 0;
	hits = 0;
	readonly #when: Conditions;
	readonly #recipients: Set<string> | undefined;
	readonly #nth: Set<number> | undefined;
	readonly #setAt = performance.now();
	readonly #ofRecipient = new Map<string | null, number>();
	readonly #window: SlidingWindow | undefined;

	constructor(readonly rule: FaultRule) {
		this.name = rule.name ?? rule.what;
		this.accepts = accepts(rule);
		this.#when = rule.when ?? {};
		this.#recipients = setOf(this.#when.recipient);
		this.#nth = setOf(this.#when.nth);
		if (rule.what === 'limit') this.#window = new SlidingWindow(rule.requests, rule.perMs);
	}

	/** Counts the request; true when every condition holds. */
	matches({ operation, recipient }: RequestToMeet): boolean {
		const { untilMs } = this.#when;
		if (this.#when.operation !== undefined && this.#when.operation !== operation) return false;
		if (this.#recipients && (recipient === null || !this.#recipients.has(recipient))) return false;
		if (untilMs !== undefined && performance.now() - this.#setAt > untilMs) return false;
		return this.#inTurn(++this.matched) && this.#firstOfRecipient(recipient);
	}

	#inTurn(count: number): boolean {
		const { first, every, probability, seed = 1 } = this.#when;
		if (this.#nth && !this.#nth.has(count)) return false;
		if (first !== undefined && count > first) return false;
		if (every !== undefined && count % every !== 0) return false;
		return probability === undefined || chance(seed, count) < probability;
	}

	#firstOfRecipient(recipient: string | null): boolean {
		if (this.#when.perRecipientFirst === undefined) return true;
		const count = (this.#ofRecipient.get(recipient) ?? 0) + 1;
		this.#ofRecipient.set(recipient, count);
		return count <= this.#when.perRecipientFirst;
	}

	/** A limit lets a request through as long as its window has room. */
	strikes(): boolean {
		if (this.#window?.admit()) return false;
		this.hits++;
		return true;
	}

	/** Until a limit has room again. */
	get roomInMs(): number {
		return this.#window?.roomInMs() ?? 0;
	}
}

/** Faults on demand: every rule counts every request it fits, the first that strikes wins. */
export class Faults {
	#armed: ArmedRule[] = [];
	readonly #onChange: () => void;

	constructor(onChange = () => {}) {
		this.#onChange = onChange;
	}

	/**
	 * Replaces all rules and restarts their counters.
	 * @throws TypeError for a mistyped rule
	 */
	set(rules: FaultRule[]): void {
		if (!Array.isArray(rules)) throw new TypeError('Fault rules come as an array');
		rules.forEach(check);
		this.#armed = rules.map((rule) => new ArmedRule(structuredClone(rule)));
		this.#onChange();
	}

	clear(): void {
		this.set([]);
	}

	/** The rules with `matched` (requests that fit) and `hits` (requests they struck). */
	list(): Array<FaultRule & { matched: number; hits: number }> {
		return this.#armed.map(({ rule, matched, hits }) => ({ ...rule, matched, hits }));
	}

	names(): string[] {
		return this.#armed.map(({ name }) => name);
	}

	meet(request: RequestToMeet, stage: 'beforeAuth' | 'valid' | 'invalid'): ArmedRule | undefined {
		let found: ArmedRule | undefined;
		for (const armed of this.#armed) {
			const { beforeAuth = false, evenInvalid = false } = armed.rule;
			if (beforeAuth !== (stage === 'beforeAuth')) continue;
			if (stage === 'invalid' && !evenInvalid) continue;
			if (armed.matches(request) && !found && armed.strikes()) found = armed;
		}
		return found;
	}
}
