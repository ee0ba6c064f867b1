'use strict';

const SLOW_PIECES = 10;
const JSON_TYPE = 'application/json; charset=utf-8';

const signInPage =
	'<!doctype html><html><head><title>Sign in</title></head>' +
	'<body><h1>Please sign in</h1></body></html>';

/**
 * What a fault does to a request, one function per kind.
 *
 * @typedef {object} Scene
 * @property {import('fastify').FastifyReply} reply
 * @property {() => object} record the record of the message
 * @property {() => void} proceed what would have happened without the fault
 * @property {import('./pauses').Pauses} pauses
 * @property {number} roomInMs until a limit has room again
 */
const answers = {
	latency: ({ ms = 100 }, { pauses, proceed }) => pauses.after(ms, proceed),

	status: ({ status, body, headers = {}, contentType }, { reply }) => {
		const content = body === undefined ? usualBody(status) : body;
		const isText = typeof content === 'string';
		reply
			.code(status)
			.headers(headers)
			.type(contentType ?? (isText ? 'text/plain; charset=utf-8' : JSON_TYPE))
			.send(isText ? content : JSON.stringify(content));
	},

	rateLimit: (fault, { reply, roomInMs }) => {
		wait(reply, fault, roomInMs);
		reply.code(429).send(problem('rate_limited', 'Too many requests'));
	},

	unavailable: (fault, { reply, roomInMs }) => {
		wait(reply, fault, roomInMs);
		reply.code(503).send(problem('unavailable', 'The service is unavailable'));
	},

	cutBefore: (_, { reply }) => void reply.hijack().raw.destroy(),

	cutAfter: (_, { reply }) => void reply.hijack().raw.destroy(),

	cutDuringBody: (_, { reply, record }) => {
		const content = Buffer.from(JSON.stringify(record()));
		const raw = openBody(reply, content);
		raw.write(content.subarray(0, content.length >> 1), () => raw.destroy());
	},

	hang: ({ ms }, { reply, pauses }) => {
		const { raw } = reply.hijack();
		if (ms !== undefined) pauses.after(ms, () => raw.destroy());
	},

	html: ({ status = 200, body = signInPage }, { reply }) =>
		void reply.code(status).type('text/html; charset=utf-8').send(body),

	redirect: ({ status = 302, location = '/' }, { reply }) =>
		void reply.code(status).header('location', location).send(),

	slowBody: ({ ms = 1000 }, { reply, record, pauses }) => {
		const content = Buffer.from(JSON.stringify(record()));
		const raw = openBody(reply, content);
		raw.flushHeaders();
		const size = Math.ceil(content.length / SLOW_PIECES);
		const dribble = (from) => {
			if (raw.destroyed) return;
			raw.write(content.subarray(from, from + size));
			if (from + size >= content.length) return void raw.end();
			pauses.after(Math.max(1, ms / SLOW_PIECES), () => dribble(from + size));
		};
		pauses.after(Math.max(1, ms / SLOW_PIECES), () => dribble(0));
	},

	notARecord: ({ status = 200, body = { ok: true } }, { reply }) =>
		void reply.code(status).type(JSON_TYPE).send(JSON.stringify(body)),

	empty: ({ status = 200 }, { reply }) => void reply.code(status).send(),

	successFalse: ({ message = 'The message was not delivered' }, { reply, record }) => {
		const refused = record();
		reply.send({ ...refused, message, extra: { ...refused.extra, success: false } });
	},
};
answers.limit = answers.rateLimit;

function openBody(reply, content) {
	const { raw } = reply.hijack();
	raw.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': content.length });
	return raw;
}

/** 'date' is an HTTP date, 'auto' the seconds until a limit has room, other strings are literal. */
function wait(reply, { retryAfter, inSeconds = 1 }, roomInMs) {
	if (retryAfter === undefined) return;
	let value = String(retryAfter);
	if (retryAfter === 'auto') value = String(Math.max(1, Math.ceil(roomInMs / 1000)));
	// HTTP dates have whole seconds: round up, or the wait would be over too soon.
	if (retryAfter === 'date') {
		value = new Date(Math.ceil(Date.now() / 1000 + inSeconds) * 1000).toUTCString();
	}
	reply.header('retry-after', value);
}

function problem(code, error) {
	return { error, code, success: false };
}

function usualBody(status) {
	if (status === 401 || status === 403) return { detail: 'Invalid API key provided' };
	return problem(`status_${status}`, `The sandbox was told to answer ${status}`);
}

/** @param {any} rule @param {Scene} scene */
function answer(rule, scene) {
	answers[rule.what](rule, scene);
}

module.exports = { answer, problem };
