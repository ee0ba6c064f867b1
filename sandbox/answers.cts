import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { FaultKind, FaultRule, RuleOf } from './faults.cts';
import { rejection } from './rejections.cts';
import type { MessageResult } from './specification.cts';
import type { Timers } from './timers.cts';

const SLOW_PIECES = 10;
const JSON_TYPE = 'application/json; charset=utf-8';

const signInPage =
	'<!doctype html><html><head><title>Sign in</title></head>' +
	'<body><h1>Please sign in</h1></body></html>';

/** The request that a fault meets. */
export interface Scene {
	reply: FastifyReply;
	/** The record of the message. */
	record: () => MessageResult;
	/** What would have happened without the fault. */
	proceed: () => void;
	timers: Timers;
}

/** What a fault does to a request. */
const answers: { [Kind in FaultKind]: (rule: RuleOf<Kind>, scene: Scene) => void } = {
	latency: ({ ms = 100 }, { timers, proceed }) => timers.after(ms, proceed),

	status: ({ status, body, headers = {}, contentType }, { reply }) => {
		const content = body === undefined ? usualBody(status) : body;
		const isText = typeof content === 'string';
		reply
			.code(status)
			.headers(headers)
			.type(contentType ?? (isText ? 'text/plain; charset=utf-8' : JSON_TYPE))
			.send(isText ? content : JSON.stringify(content));
	},

	rateLimit: askToWait(429, 'rate_limited', 'Too many requests'),
	unavailable: askToWait(503, 'unavailable', 'The service is unavailable'),

	cutBefore: (_, { reply }) => void reply.hijack().raw.destroy(),

	cutAfter: (_, { reply }) => void reply.hijack().raw.destroy(),

	cutDuringBody: (_, { reply, record }) => {
		const content = Buffer.from(JSON.stringify(record()));
		const raw = openBody(reply, content);
		raw.write(content.subarray(0, content.length >> 1), () => raw.destroy());
	},

	hang: ({ ms }, { reply, timers }) => {
		const { raw } = reply.hijack();
		if (ms !== undefined) timers.after(ms, () => raw.destroy());
	},

	html: ({ status = 200, body = signInPage }, { reply }) =>
		reply.code(status).type('text/html; charset=utf-8').send(body),

	redirect: ({ status = 302, location = '/' }, { reply }) =>
		reply.code(status).header('location', location).send(),

	slowBody: ({ ms = 1000 }, { reply, record, timers }) => {
		const content = Buffer.from(JSON.stringify(record()));
		const raw = openBody(reply, content);
		raw.flushHeaders();
		const size = Math.ceil(content.length / SLOW_PIECES);
		const drip = (from: number) => {
			if (raw.destroyed) return;
			raw.write(content.subarray(from, from + size));
			if (from + size >= content.length) return void raw.end();
			timers.after(Math.max(1, ms / SLOW_PIECES), () => drip(from + size));
		};
		timers.after(Math.max(1, ms / SLOW_PIECES), () => drip(0));
	},

	notARecord: ({ status = 200, body = { ok: true } }, { reply }) =>
		reply.code(status).type(JSON_TYPE).send(JSON.stringify(body)),

	empty: ({ status = 200 }, { reply }) => reply.code(status).send(),

	successFalse: ({ message = 'The message was not delivered' }, { reply, record }) => {
		const result = record();
		reply.send({ ...result, message, extra: { ...result.extra, success: false } });
	},
};

function askToWait(status: number, code: string, error: string) {
	return ({ retryAfter }: RuleOf<'rateLimit' | 'unavailable'>, { reply }: Scene) => {
		if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
		reply.code(status).send(rejection(code, error));
	};
}

function openBody(reply: FastifyReply, content: Buffer): ServerResponse {
	const { raw } = reply.hijack();
	raw.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': content.length });
	return raw;
}

function usualBody(status: number): object {
	if (status === 401 || status === 403) return { detail: 'Invalid API key provided' };
	return rejection(`status_${status}`, `The sandbox was told to answer ${status}`);
}

export function answer<Kind extends FaultKind>(rule: FaultRule & { what: Kind }, scene: Scene) {
	answers[rule.what](rule as unknown as RuleOf<Kind>, scene);
}
