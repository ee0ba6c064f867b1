import type { Failure } from '../common/failure';
import type { SendResult } from '../delivery/message';
import type { HttpResult } from './httpResult';
import { isMarkedFailed, isMessageRecord, redactedRecord } from './record';
import { statusByWords } from './reason';
import type { Redact } from './redact';
import { meaningOf, NOT_SENT, withMeaningOf } from './statuses';
import { extractServiceError, parseJson } from './serviceError';
import { exactly, inAnyCase } from '../common/text';

/** Judges a response by its status and body (specification 2.1 and 7). */
export function classifyResponse(result: HttpResult, redact: Redact): SendResult {
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

/**
 * What a response, or that there's none, means by its status alone, and the words that the
 * service has for it.
 */
export function explain({ status, text, headers, noResponse }: HttpResult, redact: Redact) {
	const byStatus = meaningOf(status, typeof headers['retry-after'] === 'string');
	const error = extractServiceError(text, redact);
	const said = [error.text, error.code && `code ${error.code}`].filter(Boolean).join(', ');
	const isRedirect = status >= 300 && status < 400;
	const end = isRedirect ? redirectTarget(headers.location, redact) : said && `: ${said}`;
	const complete = (title: string) => title.replace('…', String(status)) + end;
	const { meaning = byStatus, code = error.code } = noResponse ?? {};
	return { meaning, words: error.text, code, complete };
}

/** @param saysFailed whether the body says that it failed, though the status is 2xx */
function notAccepted(result: HttpResult, redact: Redact, saysFailed: boolean): SendResult {
	const { meaning: byStatus, words, code, complete } = explain(result, redact);
	const byWords = statusByWords(words, result.text);
	const meaning = withMeaningOf(byWords, saysFailed ? NOT_SENT : byStatus);
	const { verdict: delivery, isFatal, n8nCause, mayRepeatEarlier, description } = meaning;
	const title = complete(meaning.title);
	const facts = { statusCode: result.status || undefined, code, n8nCause, mayRepeatEarlier };
	if (delivery === 'uncertain') {
		const unclear = `${title}; the message may or may not have been sent`;
		return { delivery, failure: { title: unclear, description, ...facts } };
	}
	const failure: Failure = { title, description, ...facts, isUnsent: !mayRepeatEarlier };
	if (delivery === 'askedToWait') {
		const wait = { retryAfterMs: retryAfterMs(result.headers['retry-after'], Date.now()) };
		failure.n8nCause = { cause: 'rate-limited', ...wait };
		return { delivery, failure, ...wait };
	}
	return { delivery, isFatal, failure };
}

const HOST = inAnyCase`^https?://([a-z0-9.:[\]\-]{1,100})(?:/|$)`;

/**
 * Only the host of a redirect is shown: its path may carry secrets, and a hostile one the
 * key in its host.
 */
export function redirectTarget(location: unknown, redact: Redact): string {
	const [, host = ''] = HOST.exec(String(location)) ?? [];
	return host === '' || redact(host) !== host ? '' : ` to ${host}`;
}

/**
 * How many milliseconds a service asks to wait (RFC 9110, 10.2.3): seconds or a date, which has
 * letters (`Date.parse` would take "-5" for the month of May); undefined when the header is
 * missing, a list, senseless or not in the future.
 */
export function retryAfterMs(value: unknown, now: number): number | undefined {
	const text = typeof value === 'string' ? value.trim() : '';
	const isDate = /[A-Za-z]/.test(text);
	const seconds = SECONDS.test(text) ? Number(text) : NaN;
	const wait = isDate ? Date.parse(text) - now : seconds * 1000;
	return wait > 0 ? Math.ceil(Math.min(wait, LONGEST)) : undefined;
}

const SECONDS = exactly`^[0-9]+(\.[0-9]+)?$`;
/**
 * A year. Hundreds of digits would make an endless number, and nothing can be
 * measured against that.
 */
const LONGEST = 365 * 24 * 3_600_000;
