import { type Failure, type HowToFix, CHECK_FIRST, nothingSentFix } from '../delivery/outcome';
import type { SendResult } from '../delivery/port';
import { type HttpResult, CANCELED, TIMED_OUT, TOO_LARGE } from './exchange';
import { isMarkedFailed, isMessageRecord, redactedRecord } from './record';
import type { Redact } from './redact';
import { retryAfterMs } from './retryAfter';
import { extractServiceError, parseJson } from './serviceError';

/**
 * Judges a response by its status and body (specification 2.1 and 7).
 * @param redact takes the API key out of whatever the service says
 */
export function classifyResponse(result: HttpResult, redact: Redact): SendResult {
	if (result.kind === 'failed') {
		return result.notSent ? notConnected(result.code) : withoutResponse(result.code);
	}
	if (result.kind === 'blocked') return blocked(result);
	const { status, text, headers } = result;
	if (status >= 200 && status < 300) return classifySuccess(status, text, redact);
	return classifyError(status, text, headers, redact);
}

type Cause = NonNullable<Failure['n8nCause']>['cause'];

const MAYBE_SENT = 'the message may or may not have been sent';

function classifySuccess(status: number, text: string, redact: Redact): SendResult {
	const body = parseJson(text);
	const isFailed = isMarkedFailed(body);
	if (!isFailed && isMessageRecord(body)) {
		const repeatsKey = redact(text) !== text;
		return { delivery: 'accepted', record: repeatsKey ? redactedRecord(body, redact) : body };
	}

	const error = extractServiceError(text, redact);
	const failure = { statusCode: status, code: error.code };
	if (isFailed) {
		return {
			delivery: 'rejected',
			failure: {
				...failure,
				title: `The service responded that the message wasn't sent${quoted(error)}`,
				description: 'Check the customer and the content of this item, then run it again',
			},
		};
	}
	return {
		delivery: 'uncertain',
		failure: {
			...failure,
			title: `The service responded (${status}), but not with a message result${quoted(error)}; ${MAYBE_SENT}`,
			description: `Check that 'Base URL' in the credential is the URL of the messaging service itself. ${CHECK_FIRST}`,
		},
	};
}

/** Every status but 2xx. */
function classifyError(
	status: number,
	text: string,
	headers: Record<string, unknown>,
	redact: Redact,
): SendResult {
	const error = extractServiceError(text, redact);
	const said = quoted(error);
	const failure = (title: string, how: HowToFix, cause?: Cause): Failure => ({
		title,
		...how,
		statusCode: status === 0 ? undefined : status,
		code: error.code,
		n8nCause: cause && { cause },
	});
	const retryAfter = header(headers, 'retry-after');
	const isLimited = status === 429 || (status === 503 && retryAfter !== undefined);

	if (!isLimited && (status >= 500 || status < 300 || hasGatewayGivenUp(status))) {
		const what = status === 0 ? 'without a valid HTTP status' : `with status ${status}`;
		return {
			delivery: 'uncertain',
			failure: failure(
				`The service responded ${what}${said}; ${MAYBE_SENT}`,
				{ description: CHECK_FIRST },
				'temporarily-unavailable',
			),
		};
	}
	if (status < 400) {
		const target = redirectTarget(headers.location, redact);
		return {
			delivery: 'rejected',
			failure: failure(
				`The service redirected the request (${status})${target}, and the redirect wasn't followed`,
				nothingSentFix(
					"Enter the final URL of the service as 'Base URL' in the credential, starting with https://",
				),
				'configuration-invalid',
			),
		};
	}
	const [title, fix, cause] = MEANINGS[status] ?? [
		`The service rejected the message (${status})`,
		error.text ? FIX_FIELD : FIX_UNKNOWN,
	];
	const failed = failure(`${title}${said}`, nothingSentFix(fix), cause);
	if (isLimited) {
		const waitMs = retryAfterMs(retryAfter, Date.now());
		return { delivery: 'rateLimited', retryAfterMs: waitMs, failure: failed };
	}
	// Every other message would be rejected for its key, too.
	const isFatal = status === 401 || undefined;
	return { delivery: 'rejected', isFatal, failure: failed };
}

/** A gateway between n8n and the service ended the wait; the service may have taken the message before. */
export function hasGatewayGivenUp(status: number): boolean {
	return status === 408 || status === 499;
}

const FIX_FIELD = 'Correct the field that the service complained about, then run this item again';
const FIX_UNKNOWN = 'Check the fields of this item, then run it again';

/** What happened, how to fix it, and what n8n is told, for each status with a meaning of its own: nothing was sent. */
const MEANINGS: Record<number, [string, string, Cause?] | undefined> = {
	401: [
		"The service didn't accept the API key (401)",
		"Check 'API Key' in the credential, and that 'API Key Header' is the exact header name from the service's API documentation. Then test the credential and run again",
		'credential-invalid',
	],
	403: [
		'The service denied access (403)',
		"Check that the API key may send this message to this customer. If every item is rejected this way, check 'API Key' and 'API Key Header' in the credential",
	],
	404: [
		"The service couldn't find this customer, template or channel (404)",
		"Check the IDs of this item. If every item is rejected this way, check 'Base URL' in the credential: it ends where /stable/open begins",
	],
	405: [
		"The service doesn't take messages at this URL (405)",
		"Check 'Base URL' in the credential: the messaging service doesn't respond this way",
	],
	407: [
		'A proxy between n8n and the service asks for a sign-in (407)',
		'Ask your n8n admin to check the proxy settings of n8n',
	],
	409: [
		'The service reported a conflict (409)',
		"Check the service's dashboard for an earlier message: this one may repeat it",
	],
	413: [
		'The message is too large for the service (413)',
		'Shorten the text or the attributes of this item',
	],
	429: [
		"The service's rate limit was reached (429)",
		"Set 'Messages per Second' to what the service allows, or increase 'Rate Limit Wait (Seconds)'",
		'rate-limited',
	],
	503: [
		'The service is unavailable and asked to wait (503)',
		"Run this item again later, or increase 'Rate Limit Wait (Seconds)'",
		'temporarily-unavailable',
	],
};

/** The connection was never made. */
function notConnected(code: string): SendResult {
	const why = CONNECTION_ERRORS.get(code);
	return {
		delivery: 'notSent',
		failure: {
			title: `n8n couldn't connect to the service${why === undefined ? '' : `: ${why}`}`,
			...nothingSentFix("Check 'Base URL' in the credential, and that n8n can reach it"),
			code,
			n8nCause: { cause: 'temporarily-unavailable' },
		},
	};
}

/** Why a connection wasn't made, by the codes of Node. */
export const CONNECTION_ERRORS = new Map([
	['ECONNREFUSED', 'the connection was refused'],
	['ECONNRESET', 'the connection was closed'],
	['ECONNABORTED', 'the connection timed out'],
	['ETIMEDOUT', 'the connection timed out'],
	['ENOTFOUND', "its host name doesn't exist"],
	['EAI_AGAIN', "its host name couldn't be looked up"],
	['EHOSTUNREACH', 'its host is unreachable'],
	['ENETUNREACH', 'its network is unreachable'],
	['EPROTO', "it doesn't use HTTPS at this port"],
	['CERT_HAS_EXPIRED', 'its certificate has expired'],
	['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is self-signed'],
	['SELF_SIGNED_CERT_IN_CHAIN', 'its certificate is self-signed'],
	['UNABLE_TO_VERIFY_LEAF_SIGNATURE', "its certificate couldn't be verified"],
	['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', "its certificate couldn't be verified"],
	['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host'],
]);

/** The request may have left, and no whole response came back. */
function withoutResponse(code: string): SendResult {
	const isTimeout = code === TIMED_OUT || code === 'ETIMEDOUT';
	return {
		delivery: 'uncertain',
		failure: {
			title: `${missingResponse(code, isTimeout)}; ${MAYBE_SENT}`,
			description: isTimeout
				? `${CHECK_FIRST}. If this happens often, increase 'Timeout (Milliseconds)'`
				: CHECK_FIRST,
			code,
			n8nCause: code === CANCELED ? undefined : { cause: 'temporarily-unavailable' },
		},
	};
}

function missingResponse(code: string, isTimeout: boolean): string {
	if (code === CANCELED) return 'The execution was canceled before the service responded';
	if (code === TOO_LARGE) return "The service's response was larger than 1 MB";
	return isTimeout
		? "The service didn't respond in time"
		: 'The connection broke before the service responded';
}

/** Nothing was sent. A proxy's refusal may pass; what n8n or the credential blocks once, it blocks for each message. */
function blocked({ reason, fix, status }: Extract<HttpResult, { kind: 'blocked' }>): SendResult {
	const failure = {
		title: reason,
		...nothingSentFix(fix),
		statusCode: status,
		n8nCause: MISCONFIGURED,
	};
	if (status !== undefined) return { delivery: 'notSent', failure };
	return { delivery: 'rejected', isFatal: true, failure };
}

const MISCONFIGURED: Failure['n8nCause'] = { cause: 'configuration-invalid' };

function quoted({ text, code }: { text?: string; code?: string }): string {
	const words = [text, code && `code ${code}`].filter(Boolean).join(', ');
	return words === '' ? '' : `: ${words}`;
}

function header(headers: Record<string, unknown>, name: string): string | undefined {
	const value = headers[name];
	return typeof value === 'string' ? value : undefined;
}

/** Only the host of a redirect is shown: its path may carry secrets, and a hostile one the key in its host. */
export function redirectTarget(location: unknown, redact: Redact): string {
	const host = /^https?:\/\/([A-Za-z0-9.:[\]-]{1,100})(?:\/|$)/i.exec(String(location))?.[1];
	return host === undefined || redact(host) !== host ? '' : ` to ${host}`;
}
