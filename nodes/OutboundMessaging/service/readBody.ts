import { isObject } from '../isObject';
import { TOO_LARGE } from './httpResult';

/** More of a response is never read, in bytes. A record has less than a thousandth of it. */
const MAX_BYTES = 1_000_000;

/** The body of a response as n8n streams it, in what is needed here. */
interface BodyStream {
	on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
	on(event: 'end' | 'close' | 'error', listener: () => void): unknown;
}

/** What was read of a body; the code says why it wasn't read to its end. */
export interface Body {
	text: string;
	code?: string;
}

/**
 * Reads a body as it comes, up to 1 MB.
 * @param body a stream; anything else is taken as the body itself
 * @param stop closes the connection of a body that is too large
 * @returns when the body ends, breaks off or is too large; never rejects
 */
export async function readBody(body: unknown, stop: () => void): Promise<Body> {
	if (!isStream(body)) {
		return { text: typeof body === 'string' ? body : JSON.stringify(body ?? '') };
	}
	return await new Promise((resolve) => {
		const chunks: Uint8Array[] = [];
		let size = 0;
		const ended = (code?: string) => resolve({ text: decoded(chunks), code });
		body.on('data', (chunk) => {
			size += chunk.length;
			if (size <= MAX_BYTES) {
				chunks.push(chunk);
			} else {
				ended(TOO_LARGE);
				stop();
			}
		});
		body.on('end', () => ended());
		body.on('error', () => ended('ECONNRESET'));
		body.on('close', () => ended('ECONNRESET'));
	});
}

function isStream(body: unknown): body is BodyStream {
	return isObject(body) && typeof (body as { on?: unknown }).on === 'function';
}

const UTF_8 = new TextDecoder();

/** A byte order mark at the beginning is taken off. */
function decoded(chunks: Uint8Array[]): string {
	return UTF_8.decode(Buffer.concat(chunks));
}
