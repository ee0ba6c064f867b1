'use strict';

const { SlidingWindow } = require('./limiter');

const number = (value) => typeof value === 'number' && value >= 0;
const positive = (value) => Number.isInteger(value) && value > 0;
const text = (value) => typeof value === 'string';
const flag = (value) => typeof value === 'boolean';
const retryAfter = (value) => number(value) || text(value);
const status = (value) => Number.isInteger(value) && value >= 200 && value <= 599;
const anything = () => true;
const plainObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const listOf = (check) => (value) =>
	check(value) || (Array.isArray(value) && value.length > 0 && value.every(check));

/**
 * Every kind of fault: what it may be told, and whether the service has taken the message by then.
 * `needsRecord` kinds answer with (a part of) the record, so they need a valid message.
 */
const kinds = {
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

const everyRule = {
	name: text,
	what: text,
	when: plainObject,
	beforeAuth: flag,
	evenInvalid: flag,
};

const conditions = {
	recipient: listOf(text),
	operation: text,
	nth: listOf(positive),
	first: positive,
	every: positive,
	probability: (value) => number(value) && value <= 1,
	seed: Number.isInteger,
	perRecipientFirst: positive,
	untilMs: number,
};

/**
 * @typedef {object} Rule `what` happens `when`; the settings of the kind stand beside `what`
 * @property {string} what
 * @property {string} [name] as it appears in the ledger; `what` by default
 * @property {object} [when]
 * @property {boolean} [beforeAuth] meets the request before its key is looked at
 * @property {boolean} [evenInvalid] also meets requests whose body is refused
 */

/** A mistyped rule would silently test nothing, so it is an error. */
function check(rule) {
	const problem = (words) => new TypeError(`Fault rule ${JSON.stringify(rule)}: ${words}`);
	if (!plainObject(rule)) throw problem('a rule is an object');
	const kind = Object.hasOwn(kinds, rule.what) ? kinds[rule.what] : undefined;
	if (!kind) throw problem(`"what" is one of ${Object.keys(kinds).join(', ')}`);
	checkAll({ ...everyRule, ...kind.settings }, rule, problem);
	checkAll(conditions, rule.when ?? {}, problem);
	for (const name of kind.needs ?? []) {
		if (rule[name] === undefined) throw problem(`"${name}" is missing`);
	}
	if (kind.needsRecord && (rule.beforeAuth || rule.evenInvalid)) {
		throw problem(`${rule.what} needs a valid message: no beforeAuth, no evenInvalid`);
	}
}

function checkAll(checks, values, problem) {
	for (const [name, value] of Object.entries(values)) {
		if (value === undefined) continue;
		if (!Object.hasOwn(checks, name)) throw problem(`"${name}" is not known here`);
		if (!checks[name](value)) throw problem(`"${name}" has a value that makes no sense`);
	}
}

function accepts(rule) {
	if (rule.what === 'hang') return rule.afterAccept === true;
	return rule.accepted ?? kinds[rule.what].accepts ?? false;
}

/** A number in [0, 1) that depends on seed and position alone (mulberry32). */
function chance(seed, position) {
	let mixed = (seed + Math.imul(position, 0x6d2b79f5)) | 0;
	mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
	mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
	return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000;
}

const setOf = (value) => (value === undefined ? undefined : new Set([value].flat()));

/** One rule with its counters. */
class ArmedRule {
	#when;
	#recipients;
	#nth;
	#setAt = performance.now();
	#ofRecipient = new Map();
	#window;
	matched = 0;
	hits = 0;

	constructor(rule) {
		this.rule = rule;
		this.name = rule.name ?? rule.what;
		this.accepts = accepts(rule);
		this.#when = rule.when ?? {};
		this.#recipients = setOf(this.#when.recipient);
		this.#nth = setOf(this.#when.nth);
		if (rule.what === 'limit') this.#window = new SlidingWindow(rule.requests, rule.perMs);
	}

	/** Counts the request; true when every condition holds. */
	matches({ operation, recipient }) {
		const { untilMs } = this.#when;
		if (this.#when.operation !== undefined && this.#when.operation !== operation) return false;
		if (this.#recipients && !this.#recipients.has(recipient)) return false;
		if (untilMs !== undefined && performance.now() - this.#setAt > untilMs) return false;
		return this.#inTurn(++this.matched) && this.#firstOfRecipient(recipient);
	}

	#inTurn(count) {
		const { first, every, probability, seed = 1 } = this.#when;
		if (this.#nth && !this.#nth.has(count)) return false;
		if (first !== undefined && count > first) return false;
		if (every !== undefined && count % every !== 0) return false;
		return probability === undefined || chance(seed, count) < probability;
	}

	#firstOfRecipient(recipient) {
		if (this.#when.perRecipientFirst === undefined) return true;
		const count = (this.#ofRecipient.get(recipient) ?? 0) + 1;
		this.#ofRecipient.set(recipient, count);
		return count <= this.#when.perRecipientFirst;
	}

	/** A limit lets a request through as long as its window has room. */
	strikes() {
		if (this.#window && this.#window.admit()) return false;
		this.hits++;
		return true;
	}

	/** @returns {number} ms until a limit has room again */
	get roomInMs() {
		return this.#window ? this.#window.roomInMs() : 0;
	}
}

/** Faults on demand: every rule counts every request it fits, the first that strikes wins. */
class Faults {
	#armed = [];
	#onChange;

	/** @param {(names: string[]) => void} [onChange] */
	constructor(onChange = () => {}) {
		this.#onChange = onChange;
	}

	/** Replaces all rules and starts their counters anew. @param {Rule[]} rules */
	set(rules) {
		if (!Array.isArray(rules)) throw new TypeError('Fault rules come as an array');
		rules.forEach(check);
		this.#armed = rules.map((rule) => new ArmedRule(structuredClone(rule)));
		this.#onChange(this.names());
	}

	clear() {
		this.set([]);
	}

	/** The rules with `matched` (requests that fit) and `hits` (requests they struck). */
	list() {
		return this.#armed.map(({ rule, matched, hits }) => ({ ...rule, matched, hits }));
	}

	names() {
		return this.#armed.map(({ name }) => name);
	}

	/**
	 * @param {{ operation: string, recipient: string|null }} request
	 * @param {'beforeAuth'|'valid'|'invalid'} stage
	 * @returns {ArmedRule|undefined}
	 */
	meet(request, stage) {
		let found;
		for (const armed of this.#armed) {
			const { beforeAuth = false, evenInvalid = false } = armed.rule;
			if (beforeAuth !== (stage === 'beforeAuth')) continue;
			if (stage === 'invalid' && !evenInvalid) continue;
			if (armed.matches(request) && !found && armed.strikes()) found = armed;
		}
		return found;
	}
}

module.exports = { Faults };
