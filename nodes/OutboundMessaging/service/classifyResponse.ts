import { type Failure, CHECK_FIRST, type SendResult } from '../delivery/outcome';
import { type HttpResult, CANCELED, TIMED_OUT, TOO_LARGE } from './exchange';
import { isMarkedFailed, isMessageRecord, redactedRecord } from './record';
import { statusByWords } from './reason';
import type { Redact } from './redact';
import { DOWN, meaningOf, MISCONFIGURED, NOT_SENT, TRY_LATER, withMeaningOf } from './statuses';
import { extractServiceError, parseJson } from './serviceError';

/** Judges a response by its status and body (specification 2.1 and 7). */
export function classifyResponse(result: HttpResult, redact: Redact): SendResult {
	if (result.kind === 'failed') {
		return result.notSent ? notConnected(result.code) : withoutResponse(result.code);
	}
	if (result.kind === 'blocked') return blocked(result);
	const { status, text } = result;
	const body = parseJson(text);
	const isSuccess = status >= 200 && status < 300;
	const saysFailed = isSuccess && isMarkedFailed(body);
	if (isSuccess && !saysFailed && isMessageRecord(body)) {
		const repeatsKey = redact(text) !== text;
		return { delivery: 'accepted', record: repeatsKey ? redactedRecord(text, redact) : body };
	}
	return notAccepted(result, redact, saysFailed);
}

type Answered = Extract<HttpResult, { kind: 'answered' }>;

function uncertain(what: string, marks: Partial<Failure>, description: string): SendResult {
	const title = `${what}; the message may or may not have been sent`;
	return { delivery: 'uncertain', failure: { title, description, ...marks } };
}

/** What a response means by its status alone, and the words that the service has for it. */
export function explain({ status, text, headers }: Answered, redact: Redact) {
	const meaning = meaningOf(status, typeof headers['retry-after'] === 'string');
	const error = extractServiceError(text, redact);
	const isRedirect = status >= 300 && status < 400;
	const said = isRedirect ? redirectTarget(headers.location, redact) : quoted(error);
	const complete = (title: string) => title.replace('…', String(status)) + said;
	return { meaning, error, complete };
}

/** @param saysFailed though the status is 2xx */
function notAccepted(answer: Answered, redact: Redact, saysFailed: boolean): SendResult {
	const { meaning: byStatus, error, complete } = explain(answer, redact);
	const byWords = statusByWords(error.text, answer.text);
	const meaning = withMeaningOf(byWords, saysFailed ? NOT_SENT : byStatus);
	const { verdict: delivery, isFatal, n8nCause, mayRepeatEarlier, description } = meaning;
	const title = complete(meaning.title);
	const statusCode = answer.status || undefined;
	const marks = { statusCode, code: error.code, n8nCause, mayRepeatEarlier };
	if (delivery === 'uncertain') return uncertain(title, marks, description);

	// A title that says that it wasn't sent doesn't need to be repeated.
	const isUnsent = !saysFailed && !mayRepeatEarlier;
	const failure: Failure = { title, description, ...marks, isUnsent };
	if (delivery === 'askedToWait') {
		const wait = { retryAfterMs: retryAfterMs(answer.headers['retry-after'], Date.now()) };
		failure.n8nCause = { cause: 'rate-limited', ...wait };
		return { delivery, failure, ...wait };
	}
	return { delivery: delivery === 'notSent' ? delivery : 'rejected', isFatal, failure };
}

/** The connection was never made. */
export function notConnected(code: string) {
	const why = /CERT|SIGNATURE/.test(code) ? UNTRUSTED : CONNECTION_ERRORS.get(code);
	const title = `n8n couldn't connect to the service${why === undefined ? '' : `: ${why}`}`;
	const description = `${TRY_LATER}, and that n8n can reach it`;
	const failure = { title, description, isUnsent: true, code, ...DOWN };
	return { delivery: 'notSent', failure } as const;
}

const UNTRUSTED = "its certificate is for another host, has expired, or can't be verified";
/** Why a connection wasn't made, by the codes of Node. Those of certificates are many. */
const CONNECTION_ERRORS = new Map([
	['ECONNREFUSED', 'the connection was refused'],
	['ECONNRESET', 'the connection was closed'],
	['ECONNABORTED', 'the connection timed out'],
	['ETIMEDOUT', 'the connection timed out'],
	['ENOTFOUND', "its host name doesn't exist"],
	['EAI_AGAIN', "its host name couldn't be looked up"],
	['EHOSTUNREACH', 'its host is unreachable'],
	['ENETUNREACH', 'its network is unreachable'],
	['EPROTO', "it doesn't use HTTPS at this port"],
]);

const LATE = "The service didn't respond in time";
/** Why no whole response came back over a connection, by the code; otherwise, it broke. */
export const NO_RESPONSE = new Map([
	[CANCELED, 'The execution was canceled before the service responded'],
	[TOO_LARGE, "The service's response was larger than 1 MB"],
	[TIMED_OUT, LATE],
	['ETIMEDOUT', LATE],
]);

/** The request may have left, and no whole response came back. */
function withoutResponse(code: string): SendResult {
	const title = NO_RESPONSE.get(code) ?? 'The connection broke before the service responded';
	const advice = ". If this happens often, increase 'Timeout (Milliseconds)'";
	const marks = { code, ...(code !== CANCELED && DOWN) };
	return uncertain(title, marks, CHECK_FIRST + (title === LATE ? advice : ''));
}

/** A proxy may let the next request through; what n8n or the credential blocks, it blocks for each message. */
function blocked(result: Extract<HttpResult, { kind: 'blocked' }>): SendResult {
	const { title, description, status: statusCode } = result;
	const cause = statusCode !== undefined && statusCode >= 500 ? DOWN : MISCONFIGURED;
	const failure = { title, description, isUnsent: true, statusCode, ...cause };
	if (statusCode !== undefined) return { delivery: 'notSent', failure };
	return { delivery: 'rejected', isFatal: true, failure };
}

function quoted({ text, code }: { text?: string; code?: string }): string {
	const words = [text, code && `code ${code}`].filter(Boolean).join(', ');
	return words === '' ? '' : `: ${words}`;
}

/** Only the host of a redirect is shown: its path may carry secrets, and a hostile one the key in its host. */
export function redirectTarget(location: unknown, redact: Redact): string {
	const host = /^https?:\/\/([A-Za-z0-9.:[\]-]{1,100})(?:\/|$)/i.exec(String(location))?.[1];
	return host === undefined || redact(host) !== host ? '' : ` to ${host}`;
}

/**
 * How many milliseconds a service asks to wait (RFC 9110, 10.2.3): seconds or a date, which has letters (`Date.parse` would
 * take "-5" for the month of May); undefined when the header is missing, a list, senseless or not in the future.
 */
export function retryAfterMs(value: unknown, now: number): number | undefined {
	const text = typeof value === 'string' ? value.trim() : '';
	const isDate = /[A-Za-z]/.test(text);
	const seconds = /^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : NaN;
	const wait = isDate ? Date.parse(text) - now : seconds * 1000;
	return wait > 0 ? Math.ceil(Math.min(wait, LONGEST)) : undefined;
}

/** A year. Hundreds of digits would make an endless number, and nothing can be measured against that. */
const LONGEST = 365 * 24 * 3_600_000;
