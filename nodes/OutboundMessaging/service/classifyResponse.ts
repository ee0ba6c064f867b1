import { isMessageRecord, saysFailed } from './record';
import type { HttpResult } from './httpResult';
import type { Failure } from '../delivery/failure';
import type { SendResult } from '../delivery/port';
import { retryAfterMs } from './retryAfter';
import { extractServiceError } from './serviceError';

/**
 * Judges an answer by its status and body (specification 2.1 and 7).
 * @param apiKey is taken out of whatever the service says
 */
export function classifyResponse(answer: HttpResult, apiKey: string): SendResult {
	if (answer.kind === 'failed') return withoutAnswer(answer.code, answer.notSent);
	if (answer.kind === 'blocked') return blocked(answer.reason);

	const { status, body } = answer;
	if (status >= 200 && status < 300) return judgeSuccess(status, body, apiKey);

	const { text, code } = extractServiceError(body, apiKey);
	const said = quoted(text, code);
	const retryAfter = header(answer.headers, 'retry-after');
	const failure = (error: string, message: string, cause?: Failure['n8nCause']): Failure => ({
		title: error,
		description: message,
		statusCode: status,
		code,
		n8nCause: cause,
	});

	if (status >= 300 && status < 400) {
		const target = shownTarget(header(answer.headers, 'location'), apiKey);
		return {
			delivery: 'rejected',
			failure: failure(
				`The service answered with a redirect (${status})${target}; it was not followed`,
				'Enter the final address of the service as Base URL in the credential, with https:// and without a path that redirects',
				{ cause: 'configuration-invalid' },
			),
		};
	}
	if (status === 401 || status === 403) {
		return {
			delivery: 'rejected',
			isFatal: true,
			failure: failure(
				`The service did not accept the API key (${status})${said}`,
				'Check API Key and API Key Header in the credential: the name of the header carries the name of the maker of the service. Then test the credential and run again',
				{ cause: 'credential-invalid' },
			),
		};
	}
	if (status === 429 || (status === 503 && retryAfter !== undefined)) {
		return {
			delivery: 'rateLimited',
			retryAfterMs: retryAfterMs(retryAfter, Date.now()),
			failure: failure(
				`The service asked to slow down (${status})${said}`,
				'Nothing was sent to this customer. Set Messages per Second under Options to what the service allows, or raise Rate Limit Wait (Seconds)',
				{ cause: 'rate-limited' },
			),
		};
	}
	if (status >= 500 || status < 200) {
		return {
			delivery: 'uncertain',
			failure: failure(
				`The service failed with status ${status}${said}; the message may or may not have been sent`,
				UNCERTAIN,
				{ cause: 'temporarily-unavailable' },
			),
		};
	}
	return { delivery: 'rejected', failure: failure(`${refusal(status)}${said}`, mend(status)) };
}

function judgeSuccess(status: number, body: unknown, apiKey: string): SendResult {
	if (!isMessageRecord(body)) {
		const { text, code } = extractServiceError(body, apiKey);
		return {
			delivery: 'uncertain',
			failure: {
				title: `The service answered ${status} without a message result record${quoted(text, code)}; the message may or may not have been sent`,
				description: `Check that Base URL in the credential leads to the messaging service itself. ${UNCERTAIN}`,
				statusCode: status,
				code,
			},
		};
	}
	if (!saysFailed(body)) return { delivery: 'accepted', record: body };
	const { text, code } = extractServiceError(body, apiKey);
	return {
		delivery: 'rejected',
		failure: {
			title: `The service says that the message failed${quoted(text, code)}`,
			description: 'Check the customer and the content of this item, then run it again',
			statusCode: status,
			code,
		},
	};
}

function withoutAnswer(code: string, neverLeft: boolean): SendResult {
	if (neverLeft) {
		return {
			delivery: 'notSent',
			failure: {
				title: `The service could not be reached: ${CONNECTION_WORDS[code] ?? 'no connection came about'}`,
				description:
					'Nothing was sent to this customer. Check Base URL in the credential, and that n8n can reach it',
				code,
				n8nCause: { cause: 'temporarily-unavailable' },
			},
		};
	}
	if (code === 'ERR_CANCELED') {
		return {
			delivery: 'uncertain',
			failure: {
				title:
					'The execution was canceled before the service answered; the message may or may not have been sent',
				description: UNCERTAIN,
				code,
			},
		};
	}
	const timedOut = code === 'ECONNABORTED' || code === 'ETIMEDOUT';
	return {
		delivery: 'uncertain',
		failure: {
			title: timedOut
				? 'The service did not answer in time; the message may or may not have been sent'
				: 'The connection broke before the service answered; the message may or may not have been sent',
			description: timedOut
				? `${UNCERTAIN}. If this happens often, raise Timeout (Milliseconds) under Options`
				: UNCERTAIN,
			code,
			n8nCause: { cause: 'temporarily-unavailable' },
		},
	};
}

function blocked(reason: string): SendResult {
	return {
		delivery: 'rejected',
		isFatal: true,
		failure: {
			title: `n8n did not let the request out: ${reason}`,
			description:
				'Nothing was sent to this customer. Add the host of Base URL to the allowed domains of the credential, or ask who runs this n8n to allow it',
			n8nCause: { cause: 'configuration-invalid' },
		},
	};
}

const UNCERTAIN =
	'Look the message up in the dashboard of the service before you send it again. A retry leaves it alone unless On Uncertain Delivery is set to Resend';

const CONNECTION_WORDS: Record<string, string> = {
	ECONNREFUSED: 'the connection was refused',
	ENOTFOUND: 'its host name is not known',
	EAI_AGAIN: 'its host name could not be looked up',
	EHOSTUNREACH: 'there is no way to its host',
	ENETUNREACH: 'there is no way to its network',
	CERT_HAS_EXPIRED: 'its certificate has expired',
	DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
	ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

/** What a 4xx without further meaning says. */
function refusal(status: number): string {
	if (status === 404) return 'The service does not know this address or one of the IDs (404)';
	if (status === 413) return 'The message is too large for the service (413)';
	return `The service refused the message (${status})`;
}

function mend(status: number): string {
	if (status === 404) {
		return 'Check the IDs of this item. If every item fails this way, check Base URL in the credential: it stands before /stable/open';
	}
	if (status === 405 || status === 407) {
		return 'Check Base URL in the credential: this is not how the messaging service answers';
	}
	if (status === 413) return 'Shorten the text or the attributes of this item';
	return 'Nothing was sent to this customer. Check the fields of this item against the words of the service, then run it again';
}

function quoted(text?: string, code?: string): string {
	const words = [text, code && `code ${code}`].filter(Boolean).join(', ');
	return words === '' ? '' : `: ${words}`;
}

function header(headers: Record<string, unknown>, name: string): string | undefined {
	const value = headers[name];
	return typeof value === 'string' ? value : undefined;
}

/** Only the host of a redirect is shown: its path may carry secrets, and a hostile one the key in its host. */
export function shownTarget(location: string | undefined, apiKey: string): string {
	const host = /^https?:\/\/([A-Za-z0-9.:[\]-]{1,100})(?:\/|$)/i.exec(location ?? '')?.[1];
	return host === undefined || host.includes(apiKey) ? '' : ` to ${host}`;
}
