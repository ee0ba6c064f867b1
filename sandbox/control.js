'use strict';

const MOST_ENTRIES = 100_000;

/**
 * The ledger and the faults over HTTP, for a sandbox that runs in a process of its own. No key.
 *
 * @param {import('fastify').FastifyInstance} app
 * @param {object} sandbox the parts that `startSandbox` has put together
 */
async function control(app, { ledger, faults, feed, clearLedger }) {
	app.get('/_sandbox/summary', () => ledger.summary());

	/** `?after=<seq>` and `?limit=` page through a ledger that is too long for one answer. */
	app.get('/_sandbox/ledger', (request) => {
		const { after = 0, limit = MOST_ENTRIES } = request.query;
		const newer = ledger.entries().filter(({ seq }) => seq > Number(after));
		const entries = newer.slice(0, Math.min(Number(limit) || MOST_ENTRIES, MOST_ENTRIES));
		return { entries, more: newer.length > entries.length };
	});

	app.delete('/_sandbox/ledger', (_, reply) => {
		clearLedger();
		reply.code(204).send();
	});

	app.get('/_sandbox/faults', () => faults.list());

	app.put('/_sandbox/faults', (request, reply) => {
		try {
			faults.set(request.body);
		} catch (error) {
			return reply.code(400).send({ error: error.message, code: 'fault_rule', success: false });
		}
		return faults.list();
	});

	app.delete('/_sandbox/faults', (_, reply) => {
		faults.clear();
		reply.code(204).send();
	});

	app.get('/_sandbox/feed', (_, reply) => feed.attach(reply.hijack().raw));
}

module.exports = { control };
