import type { FastifyInstance } from 'fastify';
import type { FaultRule, Faults } from './faults.cts';
import type { Feed } from './feed.cts';
import type { Ledger } from './ledger.cts';
import { rejection } from './rejections.cts';

const MAX_ENTRIES = 100_000;

export interface ControlParts {
	ledger: Ledger;
	faults: Faults;
	feed: Feed;
}

/** The ledger and the faults over HTTP, for a sandbox that runs in a process of its own. No key. */
export function control(app: FastifyInstance, { ledger, faults, feed }: ControlParts): void {
	app.get('/_sandbox/summary', () => ledger.summary());

	/** `?after=<seq>` and `?limit=` page through a ledger that is too long for one response. */
	app.get<{ Querystring: { after?: string; limit?: string } }>('/_sandbox/ledger', ({ query }) => {
		const newer = ledger.entries().filter(({ seq }) => seq > Number(query.after ?? 0));
		const entries = newer.slice(0, Math.min(Number(query.limit) || MAX_ENTRIES, MAX_ENTRIES));
		return { entries, more: newer.length > entries.length };
	});

	app.delete('/_sandbox/ledger', (_, reply) => {
		ledger.clear();
		feed.clear();
		return reply.code(204).send();
	});

	app.get('/_sandbox/faults', () => faults.list());

	app.put<{ Body: FaultRule[] }>('/_sandbox/faults', ({ body }, reply) => {
		try {
			faults.set(body);
		} catch (error) {
			return reply.code(400).send(rejection('fault_rule', (error as Error).message));
		}
		return faults.list();
	});

	app.delete('/_sandbox/faults', (_, reply) => {
		faults.clear();
		return reply.code(204).send();
	});

	app.get('/_sandbox/feed', (_, reply) => feed.attach(reply.hijack().raw));
}
