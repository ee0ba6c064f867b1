import Ajv, { type SchemaObject } from 'ajv';
import type { OperationName } from './specification.cts';

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
	/** Without `retryAfter` (seconds, or any text as it is) there is no such header. */
	rateLimit: { retryAfter?: number | string };
	unavailable: { retryAfter?: number | string };
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

const ms = { type: 'number', minimum: 0 };
const count = { type: 'integer', minimum: 1 };
const text = { type: 'string' };
const flag = { type: 'boolean' };
const status = { type: 'integer', minimum: 200, maximum: 599 };
const retryAfter = { type: ['number', 'string'], minimum: 0 };
const anything = {};
const oneOrMore = (items: SchemaObject) => ({
	anyOf: [items, { type: 'array', items, minItems: 1 }],
});
const objectOf = <Fields,>(properties: { [Name in keyof Fields]-?: SchemaObject }) => ({
	type: 'object',
	properties,
	additionalProperties: false,
});

interface Kind<Name extends FaultKind> {
	settings: { [Setting in keyof Settings[Name]]-?: SchemaObject };
	needs?: Array<keyof Settings[Name]>;
	/** The service has taken the message by then. */
	accepts?: boolean;
	/** Responds with the record or a part of it, so it needs a valid message. */
	needsRecord?: boolean;
}

const kinds: { [Name in FaultKind]: Kind<Name> } = {
	latency: { settings: { ms }, accepts: true },
	status: {
		settings: {
			...{ status, body: anything, contentType: text, accepted: flag },
			headers: { type: 'object' },
		},
		needs: ['status'],
	},
	rateLimit: { settings: { retryAfter } },
	unavailable: { settings: { retryAfter } },
	cutBefore: { settings: {} },
	cutAfter: { settings: {}, accepts: true },
	cutDuringBody: { settings: {}, accepts: true, needsRecord: true },
	hang: { settings: { afterAccept: flag, ms } },
	html: { settings: { status, body: text, accepted: flag } },
	redirect: { settings: { status, location: text, accepted: flag } },
	slowBody: { settings: { ms }, accepts: true, needsRecord: true },
	notARecord: { settings: { status, body: anything, accepted: flag }, accepts: true },
	empty: { settings: { status, accepted: flag }, accepts: true },
	successFalse: { settings: { message: text }, needsRecord: true },
};

const when = objectOf<Conditions>({
	recipient: oneOrMore(text),
	operation: text,
	nth: oneOrMore(count),
	first: count,
	every: count,
	perRecipientFirst: count,
	untilMs: ms,
});

const ajv = new Ajv({ discriminator: true, allowUnionTypes: true });
const isListOfRules = ajv.compile({
	type: 'array',
	items: {
		type: 'object',
		required: ['what'],
		discriminator: { propertyName: 'what' },
		oneOf: Object.entries(kinds).map(([what, { settings, needs = [], needsRecord }]) => ({
			...objectOf<Record<string, unknown>>({
				...{ what: { const: what }, name: text, when },
				...(needsRecord ? {} : { beforeAuth: flag, evenInvalid: flag }),
				...settings,
			}),
			required: ['what', ...needs],
		})),
	},
});

function accepts(rule: FaultRule): boolean {
	if (rule.what === 'hang') return rule.afterAccept === true;
	const told = 'accepted' in rule ? rule.accepted : undefined;
	return told ?? kinds[rule.what].accepts ?? false;
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

	constructor(readonly rule: FaultRule) {
		this.name = rule.name ?? rule.what;
		this.accepts = accepts(rule);
		this.#when = rule.when ?? {};
		this.#recipients = setOf(this.#when.recipient);
		this.#nth = setOf(this.#when.nth);
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
		const { first, every } = this.#when;
		if (this.#nth && !this.#nth.has(count)) return false;
		if (first !== undefined && count > first) return false;
		return every === undefined || count % every === 0;
	}

	#firstOfRecipient(recipient: string | null): boolean {
		if (this.#when.perRecipientFirst === undefined) return true;
		const count = (this.#ofRecipient.get(recipient) ?? 0) + 1;
		this.#ofRecipient.set(recipient, count);
		return count <= this.#when.perRecipientFirst;
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
	 * @throws TypeError for a mistyped rule, which would silently test nothing
	 */
	set(rules: FaultRule[]): void {
		if (!isListOfRules(rules))
			throw new TypeError(ajv.errorsText(isListOfRules.errors, { dataVar: 'rules' }));
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
			if (!armed.matches(request) || found) continue;
			armed.hits++;
			found = armed;
		}
		return found;
	}
}
