import { hash } from 'node:crypto';
import * as queries from './ledgerQueries.cts';
import type { MessageBody, OperationName } from './specification.cts';

/** One request that reached an endpoint. */
export interface Entry {
	seq: number;
	/** When its headers arrived: ms since the epoch, with fractions. */
	at: number;
	/** When the response was complete or the connection gone. */
	endedAt: number | null;
	operation: OperationName;
	/** customer_phone or customer_id */
	recipient: string | null;
	/** Null when unreadable or when bodies aren't kept; as it came, so only an accepted one is sure to be complete. */
	body: ReceivedBody | null;
	/** Null while open, and for ever when there was no response. */
	status: number | null;
	/** The service took the message, whether or not the client saw the response. */
	accepted: boolean;
	/** Name of the fault that met it. */
	fault: string | null;
	keyOk: boolean;
	/** Equal for the very same message. */
	fingerprint: string | null;
}

type ReceivedBody = Partial<
	MessageBody<'send_template_message'> &
		MessageBody<'send_text_message'> &
		MessageBody<'send_attachment_message'>
>;

/** A message that the service took, in a ledger that keeps bodies. */
export interface AcceptedEntry extends Entry {
	accepted: true;
	recipient: string;
	body: ReceivedBody;
	fingerprint: string;
}

export interface Summary {
	received: number;
	accepted: number;
	/** Requests that ended without being accepted. */
	rejected: number;
	duplicates: number;
	badKey: number;
	connections: number;
	byStatus: Record<string, number>;
	byFault: Record<string, number>;
	inFlight: number;
	maxInFlight: number;
	kept: number;
}

type Totals = Omit<Summary, 'inFlight' | 'maxInFlight' | 'kept'>;

/** Wall-clock ms with the resolution of the performance clock. */
const clock = () => performance.timeOrigin + performance.now();

/** What every request met. Counting is done on the way, so that the summary costs nothing. */
export class Ledger {
	readonly #limit: number;
	readonly #keepBodies: boolean;
	#entries: Entry[] = [];
	#oldest = 0;
	#seq = 0;
	#firstSeq = 1;
	#inFlight = 0;
	#maxInFlight = 0;
	#totals = emptyTotals();
	#timesAccepted = new Map<string, number>();
	#sockets = new WeakSet<object>();

	/** @param options.limit entries kept; the oldest are forgotten first */
	constructor({ limit = 1_000_000, keepBodies = true } = {}) {
		this.#limit = limit;
		this.#keepBodies = keepBodies;
	}

	open(operation: OperationName, socket: object, keyOk: boolean): Entry {
		const entry: Entry = {
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

	/** @param body as it came: it may be anything */
	read(entry: Entry, body: unknown): void {
		if (body === null || typeof body !== 'object') return;
		const { customer_phone, customer_id } = body as ReceivedBody;
		const recipient = customer_phone ?? customer_id;
		if (typeof recipient === 'string') entry.recipient = recipient;
		if (this.#keepBodies) entry.body = body;
	}

	/** @returns whether the very same message had been accepted before */
	accept(entry: Entry, body: MessageBody): boolean {
		entry.accepted = true;
		const content = Object.entries(body).sort(([left], [right]) => (left < right ? -1 : 1));
		entry.fingerprint = hash('sha1', JSON.stringify([entry.operation, content]), 'base64');
		if (entry.seq < this.#firstSeq) return false;
		const times = this.#timesAccepted.get(entry.fingerprint) ?? 0;
		this.#timesAccepted.set(entry.fingerprint, times + 1);
		this.#totals.accepted++;
		if (times > 0) this.#totals.duplicates++;
		return times > 0;
	}

	faulted(entry: Entry, name: string): void {
		entry.fault = name;
		if (entry.seq >= this.#firstSeq) addOne(this.#totals.byFault, name);
	}

	close(entry: Entry, status: number | null): void {
		entry.endedAt = clock();
		entry.status = status;
		this.#inFlight--;
		if (entry.seq < this.#firstSeq) return;
		addOne(this.#totals.byStatus, status ?? 'none');
		if (!entry.accepted) this.#totals.rejected++;
	}

	/** Oldest first. */
	entries(): Entry[] {
		return [...this.#entries.slice(this.#oldest), ...this.#entries.slice(0, this.#oldest)];
	}

	accepted(): AcceptedEntry[] {
		return this.entries().filter((entry): entry is AcceptedEntry => entry.accepted);
	}

	deliveriesByRecipient() {
		return queries.deliveriesByRecipient(this.#entries);
	}

	duplicates() {
		return queries.duplicates(this.entries());
	}

	/** Arrival times, oldest first. */
	starts(): number[] {
		return this.entries().map(({ at }) => at);
	}

	get maxInFlight(): number {
		return this.#maxInFlight;
	}

	maxInFlightOf(recipient: string): number {
		return queries.maxInFlight(this.#entries, recipient);
	}

	summary(): Summary {
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
	clear(): void {
		this.#entries = [];
		this.#oldest = 0;
		this.#firstSeq = this.#seq + 1;
		this.#maxInFlight = this.#inFlight;
		this.#totals = emptyTotals();
		this.#timesAccepted = new Map();
		this.#sockets = new WeakSet();
	}

	/** A ring: a full ledger forgets its oldest entry, the totals still know it. */
	#keep(entry: Entry): void {
		if (this.#entries.length < this.#limit) {
			this.#entries.push(entry);
			return;
		}
		const forgotten = this.#entries[this.#oldest];
		if (forgotten.fingerprint !== null) this.#timesAccepted.delete(forgotten.fingerprint);
		this.#entries[this.#oldest] = entry;
		this.#oldest = (this.#oldest + 1) % this.#limit;
	}
}

function emptyTotals(): Totals {
	return {
		received: 0,
		accepted: 0,
		rejected: 0,
		duplicates: 0,
		badKey: 0,
		connections: 0,
		byStatus: {},
		byFault: {},
	};
}

function addOne(counts: Record<string, number>, name: string | number): void {
	counts[name] = (counts[name] ?? 0) + 1;
}
