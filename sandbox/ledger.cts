import { hash } from 'node:crypto';
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
	/**
	 * Null when unreadable or when bodies aren't kept; as it came, so only an accepted one is
	 * sure to be complete.
	 */
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

type Fields<Body> = Body extends unknown ? keyof Body : never;
type ValueOf<Body, Field> = Body extends { [Each in Field & string]?: infer Value } ? Value : never;
/** The fields of every operation. */
type ReceivedBody = { [Field in Fields<MessageBody>]?: ValueOf<MessageBody, Field> };

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
	byStatus: Record<string, number>;
	inFlight: number;
	maxInFlight: number;
}

type Totals = Omit<Summary, 'inFlight' | 'maxInFlight'>;

/** Wall-clock ms with the resolution of the performance clock. */
const clock = () => performance.timeOrigin + performance.now();

/** What every request met. Counting is done on the way, so that the summary costs nothing. */
export class Ledger {
	readonly #keepBodies: boolean;
	#entries: Entry[] = [];
	#seq = 0;
	#firstSeq = 1;
	#inFlight = 0;
	#maxInFlight = 0;
	#totals = emptyTotals();
	#timesAccepted = new Map<string, number>();

	constructor({ keepBodies = true } = {}) {
		this.#keepBodies = keepBodies;
	}

	open(operation: OperationName, keyOk: boolean): Entry {
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
		this.#entries.push(entry);
		this.#totals.received++;
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
	}

	close(entry: Entry, status: number | null): void {
		entry.endedAt = clock();
		entry.status = status;
		this.#inFlight--;
		if (entry.seq < this.#firstSeq) return;
		const { byStatus } = this.#totals;
		byStatus[status ?? 'none'] = (byStatus[status ?? 'none'] ?? 0) + 1;
		if (!entry.accepted) this.#totals.rejected++;
	}

	/** Oldest first. */
	entries(): Entry[] {
		return [...this.#entries];
	}

	accepted(): AcceptedEntry[] {
		return this.entries().filter((entry): entry is AcceptedEntry => entry.accepted);
	}

	deliveriesByRecipient() {
		return deliveriesByRecipient(this.#entries);
	}

	/** Messages that had been accepted before: operation, recipient and content are the same. */
	duplicates(): AcceptedEntry[] {
		const seen = new Set<string>();
		return this.accepted().filter(({ fingerprint }) => seen.size === seen.add(fingerprint).size);
	}

	get maxInFlight(): number {
		return this.#maxInFlight;
	}

	maxInFlightOf(recipient: string): number {
		const steps = this.#entries
			.filter((entry) => entry.recipient === recipient)
			.flatMap(({ at, endedAt }) => [[at, 1], ...(endedAt === null ? [] : [[endedAt, -1]])])
			// At the same instant an end comes before a start: touching is not overlapping.
			.sort((left, right) => left[0] - right[0] || left[1] - right[1]);
		let now = 0;
		return Math.max(0, ...steps.map(([, step]) => (now += step)));
	}

	summary(): Summary {
		return {
			...this.#totals,
			byStatus: { ...this.#totals.byStatus },
			inFlight: this.#inFlight,
			maxInFlight: this.#maxInFlight,
		};
	}

	/** Forgets everything; requests still open are no longer counted, except as in flight. */
	clear(): void {
		this.#entries = [];
		this.#firstSeq = this.#seq + 1;
		this.#maxInFlight = this.#inFlight;
		this.#totals = emptyTotals();
		this.#timesAccepted = new Map();
	}
}

const emptyTotals = (): Totals => ({
	...{ received: 0, accepted: 0, rejected: 0, duplicates: 0 },
	byStatus: {},
});

/** @returns recipient to number of accepted messages */
export function deliveriesByRecipient(entries: Entry[]): Map<string, number> {
	const deliveries = new Map<string, number>();
	for (const { accepted, recipient } of entries) {
		if (accepted && recipient !== null)
			deliveries.set(recipient, (deliveries.get(recipient) ?? 0) + 1);
	}
	return deliveries;
}
