import { isDomainNotAllowed, isHostNotAllowed } from '../n8n/internals';
import { type ErrorText, twoLines } from '../common/twoLines';
import { meaningOf, TRY_LATER } from './statuses';

/** Why there is no response, or not all of it. */
export type NoResponse =
	/** `notSent` when it is certain that no byte of the request has left. */
	| { kind: 'failed'; code: string; notSent: boolean }
	/** Stopped before it left: by n8n, by the credential, or by a proxy with a status. */
	| ({ kind: 'blocked'; status?: number } & ErrorText);

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
	request?: { socket?: ConnectionState | null; destroy(): void };
	response?: { status?: unknown; headers?: Record<string, unknown>; data?: unknown };
}

/** What Node's socket says about a connection that is over. */
interface ConnectionState {
	/** What was handed to the connection; 0 as long as it isn't made. */
	_bytesDispatched?: unknown;
	/** Until the other side's certificate was accepted; until then nothing of the request has left. */
	secureConnecting?: unknown;
	/** TLS. */
	encrypted?: unknown;
}

/** The error and its causes, outermost first: n8n wraps the error of the network. */
export function chainOf(error: unknown): NetworkError[] {
	const chain: NetworkError[] = [];
	for (let link = error as NetworkError | undefined; link && chain.length < 5; link = link.cause) {
		chain.push(link);
	}
	return chain;
}

/** Says what an error means for the request: stopped before it left, or failed on its way, e.g. because it was aborted. */
export function classifyNetworkError(chain: NetworkError[], abortCode?: string): NoResponse {
	for (const { name, message, description } of chain) {
		if (name === 'InvalidValue') {
			return { kind: 'blocked', title: String(message), description: String(description) };
		}
		if (isDomainNotAllowed(message)) return { kind: 'blocked', ...DOMAIN_NOT_ALLOWED };
		if (isHostNotAllowed(name)) return { kind: 'blocked', ...HOST_NOT_ALLOWED };
	}
	const code = abortCode ?? chain.flatMap(({ code, httpCode }) => [code, httpCode]).find(isCode);
	return { kind: 'failed', code: code ?? 'unknown', notSent: chain.some(isBeforeSending) };
}

const DOMAIN_NOT_ALLOWED = twoLines`n8n blocked the request: the credential's allowed domains don't include the service
	Add the host of 'Base URL' to the allowed domains in the credential`;
const HOST_NOT_ALLOWED = twoLines`n8n blocked the request: it isn't allowed to reach the service's host
	Ask your n8n admin to allow the host of 'Base URL'`;

/** A proxy didn't connect n8n to the service: without a sign-in, or because it can't reach it or doesn't want to. */
export function blockedByProxy(status: number): NoResponse {
	const unreachable = twoLines`A proxy between n8n and the service couldn't connect to it (${status})
		${TRY_LATER}`;
	const notAllowed = twoLines`A proxy between n8n and the service rejected the connection (${status})
		Ask your n8n admin to allow the host of 'Base URL' in the proxy`;
	const { title, description } =
		status === 407 ? meaningOf(status) : status >= 500 ? unreachable : notAllowed;
	return { kind: 'blocked', title: title.replace('…', String(status)), description, status };
}

/** Whether an error proves that nothing of the request has left. A code is no proof: a connection can break with the same one. */
function isBeforeSending({ syscall, request }: NetworkError): boolean {
	if (syscall === 'connect' || syscall === 'getaddrinfo') return true;
	const socket = request?.socket;
	if (!socket) return socket === null;
	return socket._bytesDispatched === 0 || socket.secureConnecting === true;
}

/** Whether a response came over a connection that isn't secured, though the URL asks for it: then a proxy gave it. */
export function isProxyResponse(url: string, { request }: NetworkError): boolean {
	const socket = request?.socket;
	return Boolean(socket && socket.encrypted !== true) && url.startsWith('https:');
}

const isCode = (value: unknown): value is string =>
	typeof value === 'string' && /^[A-Z][A-Z0-9_]+$/.test(value);
