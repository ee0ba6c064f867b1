import { systemClock, withinTime } from '../common/clock';
import { isObject } from '../common/isObject';
import {
	type HttpResult,
	blockedByProxy,
	withoutResponse,
	type NetworkError,
	chainOf,
	classifyNetworkError,
	isProxyResponse,
} from './httpResult';

/**
 * What requests in flight get to end by themselves when the execution is canceled, in milliseconds.
 */
const CANCEL_GRACE_MS = 5000;
/** How long n8n may take to hand back a request that was aborted, in milliseconds. */
const ABORT_GRACE_MS = 1000;
/** More of a response is never read, in bytes. A record has less than a thousandth of it. */
const MAX_BYTES = 1_000_000;

/** A response whose body, a stream or the body itself, is still to be read. */
interface ResponseHead extends Pick<NetworkError, 'request'> {
	statusCode?: unknown;
	headers?: Record<string, unknown>;
	body: unknown;
}

/** Sends a request, which the signal can abort. */
type SendRequest = (signal: AbortSignal) => Promise<ResponseHead>;

/**
 * When the requests of a canceled execution have to end, by `performance.now()`; Infinity until it
 * is canceled. A latch: the first look that finds it canceled sets the time, and no
 * later one moves it.
 */
export function cancelDeadline(isCanceled: () => boolean): () => number {
	let latched = Infinity;
	return () => {
		if (latched === Infinity && isCanceled()) latched = performance.now() + CANCEL_GRACE_MS;
		return latched;
	};
}

class OpenRequest {
	/** The response, as soon as its status has come. */
	private head?: ResponseHead;
	/** A latch: what closes it first says why. */
	private closedBy?: string;
	private readonly controller = new AbortController();

	close(code: string) {
		this.closedBy ??= code;
		this.controller.abort();
		const { body, request } = this.head ?? {};
		// Once axios has thrown for a status, nothing listens to the signal any more, and its stream
		// only ends at the next byte.
		if (isStream(body)) body.destroy();
		request?.destroy?.();
		return this.closedBy;
	}

	async respond(url: string, send: SendRequest) {
		try {
			this.head = await send(this.controller.signal);
		} catch (error) {
			const chain = chainOf(error);
			// An error that n8n threw for a status has its response.
			const { response, request } = chain.find((link) => link.response) ?? {};
			if (response === undefined) return classifyNetworkError(chain, this.closedBy);
			const { status: statusCode, headers, data: body } = response;
			this.head = { statusCode, headers, body, request };
		}
		if (isProxyResponse(url, this.head)) {
			this.close('unknown');
			return blockedByProxy(validStatus(this.head.statusCode));
		}
		return await this.read(this.head);
	}

	/** Reads the body until it ends or is too large. */
	private async read({ body, headers = {} }: ResponseHead) {
		if (!isStream(body)) {
			return this.received(typeof body === 'string' ? body : JSON.stringify(body ?? ''));
		}
		const chunks: Uint8Array[] = [];
		let size = 0;
		await new Promise((resolve) => {
			body.on('data', (chunk: Uint8Array) => {
				size += chunk.length;
				if (size > MAX_BYTES) this.close('RESPONSE_TOO_LARGE');
				else chunks.push(chunk);
			});
			for (const end of ['end', 'error', 'close']) body.on(end, resolve);
			// A stream that is over sends no more events.
			if (body.destroyed) resolve(undefined);
		});
		const cutBy = body.readableEnded ? undefined : this.close('ECONNRESET');
		// Takes off a byte order mark at the beginning.
		const text = decoderFor(headers['content-type']).decode(Buffer.concat(chunks));
		return this.received(text, cutBy);
	}

	/**
	 * What has come so far. Of a response that was cut short, a status of 3xx or 4xx decides, and any
	 * other proves nothing.
	 */
	received(text: string, cutBy?: string) {
		const { statusCode, headers = {} } = this.head ?? {};
		const status = validStatus(statusCode);
		const isDecided = cutBy === undefined || (status >= 300 && status < 500);
		return isDecided ? { status, headers, text } : withoutResponse(cutBy);
	}
}

/**
 * Sends a request and reads the whole response in time: n8n's own timeout starts again with each
 * byte. Never rejects.
 */
export async function exchange(
	url: string,
	timeout: number,
	send: SendRequest,
	deadline = () => Infinity,
): Promise<HttpResult> {
	const open = new OpenRequest();
	const result = open.respond(url, send).catch(() => open.received('', 'unknown'));
	const endLate = async () => {
		const cutBy = open.close(deadline() < Infinity ? 'ERR_CANCELED' : 'ECONNABORTED');
		return await withinTime(systemClock, ABORT_GRACE_MS, result, () => open.received('', cutBy));
	};
	// n8n allows its nodes no setTimeout: withinTime looks at the clock again and again, and so at
	// the deadline too.
	return await withinTime(systemClock, timeout, result, endLate, deadline);
}

const validStatus = (status: unknown) =>
	typeof status === 'number' && status >= 100 && status < 600 ? status : 0;

/** For the charset that a content type names, or else UTF-8. */
function decoderFor(contentType: unknown) {
	const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(String(contentType))?.[1];
	try {
		return new TextDecoder(charset);
	} catch {
		return new TextDecoder();
	}
}

/** What is used of Node's streams. */
interface ByteStream extends NodeJS.ReadableStream {
	readableEnded: boolean;
	destroy(): void;
	destroyed: boolean;
}

const isStream = (body: unknown): body is ByteStream => isObject(body) && 'readableEnded' in body;
