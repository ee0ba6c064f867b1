'use strict';

const crypto = require('node:crypto');
const readings = require('./readings');

/**
 * @typedef {object} Entry one request that reached an endpoint
 * @property {number} seq
 * @property {number} at when its headers arrived, ms since the epoch with fractions
 * @property {number|null} endedAt when the answer was complete or the connection gone
 * @property {string} operation
 * @property {string|null} recipient customer_phone or customer_id
 * @property {any} body null when unreadable or bodies are not kept
 * @property {number|null} status null while open, and for ever when no answer was given
 * @property {boolean} accepted the service took the message, whoever saw the answer
 * @property {string|null} fault name of the fault that met it
 * @property {boolean} keyOk
 * @property {string|null} fingerprint equal for the very same message
 */

/** Wall-clock ms with the resolution of the performance clock. */
const clock = () => performance.timeOrigin + performance.now();

/** What every request met. Counting is done on the way, so that the summary costs nothing. */
class Ledger {
	#limit;
	#keepBodies;
	#entries = [];
	#oldest = 0;
	#seq = 0;
	#firstSeq = 1;
	#inFlight = 0;
	#maxInFlight = 0;
	#totals = emptyTotals();
	#timesAccepted = new Map();
	#sockets = new WeakSet();

	/** @param {{ limit?: number, keepBodies?: boolean }} [options] */
	constructor({ limit = 1_000_000, keepBodies = true } = {}) {
		this.#limit = limit;
		this.#keepBodies = keepBodies;
	}

	/**
	 * @param {string} operation
	 * @param {object} socket
	 * @param {boolean} keyOk
	 * @returns {Entry}
	 */
	open(operation, socket, keyOk) {
		const entry = {
			seq: ++this.#seq,
			at: clock(),
			endedAt: null,
			operation,
			recipient: null,
			body: null,
			status: null,
			accepted: false,
			fault: null,
			keyOk,
			fingerprint: null,
		};
		this.#keep(entry);
		this.#totals.received++;
		if (!keyOk) this.#totals.badKey++;
		if (!this.#sockets.has(socket)) {
			this.#sockets.add(socket);
			this.#totals.connections++;
		}
		this.#maxInFlight = Math.max(this.#maxInFlight, ++this.#inFlight);
		return entry;
	}

	/** @param {Entry} entry @param {string} recipientField @param {any} body */
	read(entry, recipientField, body) {
		if (body === null || typeof body !== 'object') return;
		if (typeof body[recipientField] === 'string') entry.recipient = body[recipientField];
		if (this.#keepBodies) entry.body = body;
	}

	/**
	 * @param {Entry} entry
	 * @param {unknown[]} content the fields of the message in a fixed order
	 * @returns {boolean} whether the very same message had been accepted before
	 */
	accept(entry, content) {
		entry.accepted = true;
		entry.fingerprint = crypto.hash('sha1', JSON.stringify([entry.operation, content]), 'base64');
		if (entry.seq < this.#firstSeq) return false;
		const times = this.#timesAccepted.get(entry.fingerprint) ?? 0;
		this.#timesAccepted.set(entry.fingerprint, times + 1);
		this.#totals.accepted++;
		if (times > 0) this.#totals.duplicates++;
		return times > 0;
	}

	/** @param {Entry} entry @param {string} name */
	faulted(entry, name) {
		entry.fault = name;
		if (entry.seq >= this.#firstSeq) addOne(this.#totals.byFault, name);
	}

	/** @param {Entry} entry @param {number|null} status */
	close(entry, status) {
		entry.endedAt = clock();
		entry.status = status;
		this.#inFlight--;
		if (entry.seq < this.#firstSeq) return;
		addOne(this.#totals.byStatus, status ?? 'none');
		if (!entry.accepted) this.#totals.rejected++;
	}

	/** @returns {Entry[]} oldest first */
	entries() {
		return [...this.#entries.slice(this.#oldest), ...this.#entries.slice(0, this.#oldest)];
	}

	/** @returns {Entry[]} */
	accepted() {
		return this.entries().filter((entry) => entry.accepted);
	}

	deliveriesByRecipient() {
		return readings.deliveriesByRecipient(this.#entries);
	}

	duplicates() {
		return readings.duplicates(this.entries());
	}

	/** @returns {number[]} arrival times, oldest first */
	starts() {
		return this.entries().map(({ at }) => at);
	}

	get maxInFlight() {
		return this.#maxInFlight;
	}

	/** @param {string} recipient */
	maxInFlightOf(recipient) {
		return readings.maxInFlight(this.#entries, recipient);
	}

	/** Counts only. `rejected` counts the requests that ended without being accepted. */
	summary() {
		return {
			...this.#totals,
			byStatus: { ...this.#totals.byStatus },
			byFault: { ...this.#totals.byFault },
			inFlight: this.#inFlight,
			maxInFlight: this.#maxInFlight,
			kept: this.#entries.length,
		};
	}

	/** Forgets everything; requests still open are no longer counted, except as in flight. */
	clear() {
		this.#entries = [];
		this.#oldest = 0;
		this.#firstSeq = this.#seq + 1;
		this.#maxInFlight = this.#inFlight;
		this.#totals = emptyTotals();
		this.#timesAccepted = new Map();
		this.#sockets = new WeakSet();
	}

	/** A ring: a full ledger forgets its oldest entry, the totals still know it. */
	#keep(entry) {
		if (this.#entries.length < this.#limit) {
			this.#entries.push(entry);
			return;
		}
		const forgotten = this.#entries[this.#oldest];
		if (forgotten.accepted) this.#timesAccepted.delete(forgotten.fingerprint);
		this.#entries[this.#oldest] = entry;
		this.#oldest = (this.#oldest + 1) % this.#limit;
	}
}

function emptyTotals() {
	return {
		received: 0,
		accepted: 0,
		rejected: 0,
		duplicates: 0,
		badKey: 0,
		connections: 0,
		byStatus: Object.create(null),
		byFault: Object.create(null),
	};
}

function addOne(counts, name) {
	counts[name] = (counts[name] ?? 0) + 1;
}

module.exports = { Ledger };
