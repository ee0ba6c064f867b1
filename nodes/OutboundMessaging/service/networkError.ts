import { isDomainNotAllowed, isHostNotAllowed } from '../n8n/internals';
import { type HttpResult, noResponse, withoutResponse } from './httpResult';
import { means, MISCONFIGURED } from './statuses';

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
