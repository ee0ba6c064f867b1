'use strict';

const { operations } = require('./operations');
const { refusalOf } = require('./validation');
const { answer } = require('./answers');

const INVALID_KEY = { detail: 'Invalid API key provided' };

/**
 * The three endpoints. A request is met in this order: faults before the key, the key, the body,
 * faults, and then the record.
 *
 * @param {import('fastify').FastifyInstance} app
 * @param {object} sandbox the parts that `startSandbox` has put together
 */
async function endpoints(app, { apiKey, headerName, latency, ledger, faults, feed, pauses }) {
	const header = headerName.toLowerCase();

	app.decorateRequest('entry', null);
	app.decorateRequest('refusal', null);
	app.addHook('onRequest', admit);
	app.setErrorHandler(refuseBody);
	for (const operation of operations) {
		const { path: url, schema: body } = operation;
		app.post(url, { schema: { body }, config: { operation } }, take);
	}

	function admit(request, reply, next) {
		const operation = operationOf(request);
		const keyOk = request.headers[header] === apiKey;
		const entry = ledger.open(operation.name, request.raw.socket, keyOk);
		request.entry = entry;
		reply.raw.once('close', () => settle(request, reply));
		const byKey = () => (keyOk ? next() : refuse(request, reply, 401, INVALID_KEY));
		meet('beforeAuth', request, reply, byKey);
	}

	function take(request, reply) {
		const { entry, body } = request;
		const operation = operationOf(request);
		ledger.read(entry, operation.recipientField, body);
		meet('valid', request, reply, () => reply.send(operation.record(body)));
	}

	function refuseBody(error, request, reply) {
		const { status, body } = refusalOf(error, request.body);
		ledger.read(request.entry, operationOf(request).recipientField, request.body);
		meet('invalid', request, reply, () => refuse(request, reply, status, body));
	}

	/** Accepts at once, whatever becomes of the answer: a slow service has the message already. */
	function meet(stage, request, reply, proceed) {
		const { entry } = request;
		const armed = faults.meet(entry, stage);
		if (armed) {
			ledger.faulted(entry, armed.name);
			request.refusal = { code: armed.name, reason: `Fault on demand: ${armed.rule.what}` };
		}
		if (stage === 'valid' && (!armed || armed.accepts)) accept(request);
		const record = () => operationOf(request).record(request.body);
		const roomInMs = armed ? armed.roomInMs : 0;
		const go = armed
			? () => answer(armed.rule, { reply, record, proceed, pauses, roomInMs })
			: proceed;
		pauses.after(stage === 'beforeAuth' ? 0 : latency, go);
	}

	function accept({ entry, body, routeOptions }) {
		const { operation } = routeOptions.config;
		const content = Object.keys(operation.schema.properties).map((field) => body[field]);
		const duplicate = ledger.accept(entry, content);
		feed.message(entry, body, { customerId: operation.customerId(body), duplicate });
	}

	function refuse(request, reply, status, body) {
		request.refusal = { code: body.code ?? 'invalid_key', reason: body.error ?? body.detail };
		reply.code(status).send(body);
	}

	/** The client may be gone before the answer: then there is no status. */
	function settle({ entry, refusal }, { raw }) {
		ledger.close(entry, raw.headersSent ? raw.statusCode : null);
		if (!entry.accepted) feed.refused(entry, refusal);
	}
}

function operationOf(request) {
	return request.routeOptions.config.operation;
}

module.exports = { endpoints };
