'use strict';

const REMEMBERED = 500;
const FLUSH_MS = 100;
const HEARTBEAT_MS = 15_000;
const LONGEST_TEXT = 4_000;
const MOST_UNREAD_BYTES = 4_000_000;

/** The live feed of the inbox page (server-sent events), gathered so that a flood stays cheap. */
class Feed {
	#recent = [];
	#pending = [];
	#clients = new Set();
	#flushTimer;
	#heartbeat;
	#describe;

	/** @param {() => object} describe counters and settings that go along with every batch */
	constructor(describe) {
		this.#describe = describe;
	}

	/** @param {import('./ledger').Entry} entry @param {any} body @param {object} more */
	message(entry, body, { customerId, duplicate }) {
		const { seq, at, operation, recipient, fault } = entry;
		const content = clip(body);
		this.#add({
			kind: 'message',
			seq,
			at,
			operation,
			recipient,
			customerId,
			duplicate,
			fault,
			content,
		});
	}

	/** @param {import('./ledger').Entry} entry @param {{ code: string, reason: string }|null} why */
	refused(entry, why) {
		const { seq, at, operation, recipient, status } = entry;
		const { code, reason } = why ?? { code: 'no_answer', reason: 'The client went away' };
		this.#add({
			kind: 'refused',
			seq,
			at,
			operation,
			recipient,
			status,
			code,
			reason: clip(reason),
		});
	}

	/** Tells the pages that something beside the messages has changed. */
	touch() {
		this.#schedule();
	}

	clear() {
		this.#recent = [];
		this.#pending = [];
		this.#send('clear', this.#describe());
	}

	/** @param {import('node:http').ServerResponse} response stays open until the page is closed */
	attach(response) {
		response.writeHead(200, {
			'content-type': 'text/event-stream; charset=utf-8',
			'cache-control': 'no-store',
			connection: 'keep-alive',
		});
		// A page that reconnects begins anew, so it never shows a message twice.
		this.#flush();
		response.write(event('hello', { ...this.#describe(), items: this.#recent.slice(-REMEMBERED) }));
		this.#clients.add(response);
		response.once('close', () => this.#clients.delete(response));
		this.#heartbeat ??= setInterval(() => this.#write(': still here\n\n'), HEARTBEAT_MS).unref();
	}

	stop() {
		clearTimeout(this.#flushTimer);
		clearInterval(this.#heartbeat);
		for (const response of this.#clients) response.destroy();
		this.#clients.clear();
	}

	#add(item) {
		this.#recent.push(item);
		// Cut in bulk: shifting one by one would cost every request.
		if (this.#recent.length >= 2 * REMEMBERED) this.#recent = this.#recent.slice(-REMEMBERED);
		if (this.#clients.size === 0) return;
		this.#pending.push(item);
		if (this.#pending.length >= 2 * REMEMBERED) this.#pending = this.#pending.slice(-REMEMBERED);
		this.#schedule();
	}

	#schedule() {
		if (this.#clients.size === 0) return;
		this.#flushTimer ??= setTimeout(() => this.#flush(), FLUSH_MS);
	}

	#flush() {
		clearTimeout(this.#flushTimer);
		this.#flushTimer = undefined;
		const items = this.#pending.slice(-REMEMBERED);
		this.#pending = [];
		this.#send('batch', { ...this.#describe(), items });
	}

	#send(name, data) {
		if (this.#clients.size > 0) this.#write(event(name, data));
	}

	/** A page that does not read is cut off; the browser reconnects by itself. */
	#write(chunk) {
		for (const response of this.#clients) {
			if (response.writableLength > MOST_UNREAD_BYTES) response.destroy();
			else response.write(chunk);
		}
	}
}

function event(name, data) {
	return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Nobody reads megabytes on a phone, and 500 of them would fill the memory. */
function clip(value) {
	if (typeof value === 'string') {
		return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value;
	}
	if (value === null || typeof value !== 'object') return value;
	const fields = Object.entries(value).slice(0, 100);
	return Object.fromEntries(fields.map(([name, field]) => [name, clip(field)]));
}

module.exports = { Feed };
