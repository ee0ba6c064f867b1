import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { InvalidApiKey, Rejection } from './wireFormat.cts';
import { answer } from './answers.cts';
import type { Faults } from './faults.cts';
import type { Feed } from './feed.cts';
import type { Entry, Ledger } from './ledger.cts';
import { rejectionOf, type RequestError } from './rejections.cts';
import { resultOf } from './results.cts';
import { operationList, type MessageBody, type Operation } from './specification.cts';
import { filledTemplate } from './templates.cts';
import type { Timers } from './timers.cts';

const INVALID_KEY: InvalidApiKey = { detail: 'Invalid API key provided' };

declare module 'fastify' {
	interface FastifyRequest {
		entry: Entry;
		rejection: { code: string; reason: string } | undefined;
	}
}

export interface EndpointParts {
	/** In front of the paths of the specification. */
	basePath: string;
	apiKey: string;
	headerName: string;
	/** Before every response to a request with a good key. */
	latency: number;
	ledger: Ledger;
	faults: Faults;
	feed: Feed;
	timers: Timers;
}

type Request = FastifyRequest<{ Body: MessageBody }>;

/** The operations of the specification. */
export function endpoints(app: FastifyInstance, parts: EndpointParts): void {
	for (const operation of operationList) endpoint(app, operation, parts);
}

/**
 * A request is met in this order: faults before the key, the key, the body, faults, and
 * then the record.
 */
function endpoint(
	app: FastifyInstance,
	operation: Operation,
	{ basePath, apiKey, headerName, latency, ledger, faults, feed, timers }: EndpointParts,
): void {
	const header = headerName.toLowerCase();

	app.post<{ Body: MessageBody }>(
		basePath + operation.path,
		{
			// The check is the specification's; fastify only needs to know that there is one.
			schema: { body: {} },
			validatorCompiler: () => operation.validateBody,
			onRequest: checkKey,
			errorHandler: rejectBody,
		},
		take,
	);

	function checkKey(request: FastifyRequest, reply: FastifyReply, next: () => void) {
		const keyOk = request.headers[header] === apiKey;
		request.entry = ledger.open(operation.name, keyOk);
		reply.raw.once('close', () => settle(request, reply));
		meet('beforeAuth', request, reply, () =>
			keyOk ? next() : reject(request, reply, 401, INVALID_KEY),
		);
	}

	function take(request: Request, reply: FastifyReply) {
		ledger.read(request.entry, request.body);
		meet('valid', request, reply, () => reply.send(resultOf(operation.name, request.body)));
	}

	function rejectBody(error: RequestError, request: FastifyRequest, reply: FastifyReply) {
		const { status, body } = rejectionOf(error, request.body);
		ledger.read(request.entry, request.body);
		meet('invalid', request, reply, () => reject(request, reply, status, body));
	}

	/** Accepts at once, whatever becomes of the response: a slow service has the message already. */
	function meet(
		stage: 'beforeAuth' | 'valid' | 'invalid',
		request: FastifyRequest,
		reply: FastifyReply,
		proceed: () => void,
	) {
		const { entry } = request;
		const armed = faults.meet(entry, stage);
		if (armed) {
			ledger.faulted(entry, armed.name);
			request.rejection = { code: armed.name, reason: `Fault on demand: ${armed.rule.what}` };
		}
		if (stage === 'valid' && (!armed || armed.accepts)) accept(request as Request);
		timers.after(stage === 'beforeAuth' ? 0 : latency, () => {
			if (!armed) return proceed();
			const record = () => resultOf(operation.name, (request as Request).body);
			answer(armed.rule, { reply, record, proceed, timers });
		});
	}

	function accept({ entry, body }: Request) {
		const duplicate = ledger.accept(entry, body);
		const { customer_id: customerId } = resultOf(operation.name, body).extra;
		const shown = filledTemplate(body);
		feed.add({ kind: 'message', ...entry, customerId, duplicate, content: body, ...shown });
	}

	function reject(
		request: FastifyRequest,
		reply: FastifyReply,
		status: number,
		body: Rejection | InvalidApiKey,
	) {
		request.rejection =
			'code' in body
				? { code: body.code, reason: body.error }
				: { code: 'invalid_key', reason: body.detail };
		reply.code(status).send(body);
	}

	/** The client may be gone before the response: then there is no status. */
	function settle({ entry, rejection }: FastifyRequest, { raw }: FastifyReply) {
		ledger.close(entry, raw.headersSent ? raw.statusCode : null);
		const why = rejection ?? { code: 'no_answer', reason: 'The client went away' };
		if (!entry.accepted) feed.add({ kind: 'rejected', ...entry, ...why });
	}
}
