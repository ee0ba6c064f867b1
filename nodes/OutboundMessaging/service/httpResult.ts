import { CHECK_FIRST } from '../delivery/message';
import { type Meaning, DOWN, meaningOf, means, MISCONFIGURED, TRY_LATER } from './statuses';
import { isDomainNotAllowed, isHostNotAllowed } from '../n8n/internals';

/** What came back for a request. */
export interface HttpResult {
	/**
	 * The proxy's, if one blocked the request; 0 if there's no response, or one without a
	 * valid HTTP status.
	 */
	status: number;
	headers: Record<string, unknown>;
	text: string;
	/**
	 * What it means that there is no response, or not all of it. The code is n8n's,
	 * Node's or our own.
	 */
	noResponse?: { meaning: Meaning; code?: string };
}

const noResponse = (meaning: Meaning, code?: string): HttpResult => {
	return { status: 0, headers: {}, text: '', noResponse: { meaning, code } };
};

const down = means('notSent', DOWN);
const byProxy = means('notSent', MISCONFIGURED);
const PROXY_IS_DOWN = down`A proxy between n8n and the service couldn't connect to it (…)
	${TRY_LATER}`;
const PROXY_REJECTED = byProxy`A proxy between n8n and the service rejected the connection (…)
	Ask your n8n admin to allow the host of 'Base URL' in the proxy`;

/**
 * A proxy didn't connect n8n to the service: it can't reach it, or doesn't want to. It may let the
 * next request through.
 */
export function blockedByProxy(status: number): HttpResult {
	const signIn: Meaning = { ...meaningOf(407), ...MISCONFIGURED, verdict: 'notSent' };
	const rejected = status === 407 ? signIn : PROXY_REJECTED;
	return { ...noResponse(status >= 500 ? PROXY_IS_DOWN : rejected), status };
}

/** Why a connection wasn't made, by the codes of Node. */
const CONNECTION_ERRORS = new Map(
	Object.entries({
		ECONNREFUSED: 'the connection was refused',
		ECONNRESET: 'the connection was closed',
		ECONNABORTED: 'the connection timed out',
		ETIMEDOUT: 'the connection timed out',
		ENOTFOUND: "its host name doesn't exist",
		EAI_AGAIN: "its host name couldn't be looked up",
		EHOSTUNREACH: 'its host is unreachable',
		ENETUNREACH: 'its network is unreachable',
		EPROTO: "it doesn't use HTTPS at this port",
		CERT_HAS_EXPIRED: 'its certificate has expired',
		DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
		SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed',
		UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate couldn't be verified",
		UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate couldn't be verified",
		ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
	}),
);

const TRUST =
	"Check 'Base URL' in the credential. If it's right, ask your n8n admin to make n8n trust the " +
	'certificate (NODE_EXTRA_CA_CERTS), or the service to renew it';

const unclear = means('uncertain', DOWN);
const LATE = unclear`The service didn't respond in time
	${CHECK_FIRST}. If this happens often, increase 'Timeout (Milliseconds)'`;
const BROKEN = unclear`The connection broke before the service responded
	${CHECK_FIRST}`;
/** Why no whole response came back over a connection, by the code; otherwise, it broke. */
const NO_RESPONSE: Record<string, Meaning | undefined> = {
	ERR_CANCELED: means('uncertain')`The execution was canceled before the service responded
		${CHECK_FIRST}`,
	RESPONSE_TOO_LARGE: unclear`The service's response was larger than 1 MB
		${CHECK_FIRST}`,
	ECONNABORTED: LATE,
	ETIMEDOUT: LATE,
};

/**
 * No whole response came back: the request may have left, unless it's certain that the
 * connection was never made.
 */
export function withoutResponse(code: string, isNotSent = false): HttpResult {
	const why = CONNECTION_ERRORS.get(code);
	const fix = why?.includes('certificate') ? TRUST : `${TRY_LATER}, and that n8n can reach it`;
	const notConnected = down`n8n couldn't connect to the \
			service${why === undefined ? '' : `: ${why}`}
		${fix}`;
	const known = NO_RESPONSE[code];
	const meaning = isNotSent ? notConnected : (known ?? BROKEN);
	const test = known ? { ...known, ...DOWN.test } : notConnected;
	return noResponse({ ...meaning, test }, code);
}

/** What an error of n8n, axios or Node may carry, in any of n8n's releases. */
export interface NetworkError {
	name?: unknown;
	message?: unknown;
	code?: unknown;
	httpCode?: unknown;
	syscall?: unknown;
	/** On the errors of our own checks: see validation/invalidValue.ts. */
	description?: unknown;
	cause?: NetworkError;
	/** Node's request, on axios's errors. `null` while it has no connection. */
	request?: { socket?: Record<string, unknown> | null; destroy?(): void };
	response?: { status?: unknown; headers?: Record<string, unknown>; data?: unknown };
}

/** The error and its causes, outermost first: n8n wraps the error of the network. */
export function chainOf(error: unknown): NetworkError[] {
	const chain: NetworkError[] = [];
	for (let link = error as NetworkError | undefined; link && chain.length < 5; link = link.cause) {
		chain.push(link);
	}
	return chain;
}

/**
 * Says what an error means for the message: stopped before it left, or failed on its way, e.g.
 * because it was aborted.
 */
export function classifyNetworkError(chain: NetworkError[], abortCode?: string): HttpResult {
	for (const { name, message, description } of chain) {
		if (name === 'InvalidValue') {
			return noResponse(blocked`${message}
				${description}`);
		}
		if (isDomainNotAllowed(message)) {
			return noResponse(blocked`n8n blocked the request: the credential's allowed domains \
					don't include the service
				Add the host of 'Base URL' to the allowed domains in the credential`);
		}
		if (isHostNotAllowed(name)) {
			return noResponse(blocked`n8n blocked the request: it isn't allowed to reach the \
					service's host
				Ask your n8n admin to allow the host of 'Base URL'`);
		}
	}
	const codes = chain.flatMap(({ code, httpCode }) => [code, httpCode]);
	const code = abortCode ?? codes.find(isCode) ?? 'unknown';
	return withoutResponse(code, chain.some(isBeforeSending));
}

/** What n8n or the credential blocks, it blocks for each message. */
const blocked = means('rejected', { isFatal: true, ...MISCONFIGURED });

/**
 * Whether an error proves that nothing of the request has left. A code is no proof: a connection
 * can break with the same one.
 */
function isBeforeSending({ syscall, request }: NetworkError) {
	if (syscall === 'connect' || syscall === 'getaddrinfo') return true;
	const socket = request?.socket;
	if (!socket) return socket === null;
	// Nothing is handed to a connection before it's made, and over TLS nothing leaves before the
	// certificate is accepted.
	return socket._bytesDispatched === 0 || socket.secureConnecting === true;
}

/**
 * Whether a response came over a connection that isn't secured, though the URL asks for it: then
 * a proxy gave it.
 */
export function isProxyResponse(url: string, { request }: NetworkError) {
	const socket = request?.socket;
	return Boolean(socket && socket.encrypted !== true) && url.startsWith('https:');
}

const isCode = (value: unknown): value is string =>
	typeof value === 'string' && /^[A-Z][A-Z0-9_]+$/.test(value);
