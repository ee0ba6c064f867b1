import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { trimmed } from '../validation/whitespace';
import { invalid, InvalidValue } from '../validation/invalidValue';
import { canBePublic, httpUrl } from '../validation/url';

/** Where the service is and how to sign in: the three fields of the credential, tidied. */
export interface Connection {
	/** Without a trailing slash, e.g. `https://api.example.com` or `https://example.com/messaging`. */
	baseUrl: string;
	/** Scheme, host and port of the base URL. */
	origin: string;
	headerName: string;
	apiKey: string;
}

/** The longest value of each field that is looked at, in characters. */
const MAX_URL_CHARS = 2048;
const MAX_HEADER_CHARS = 256;
const MAX_KEY_CHARS = 4096;

/** The characters that RFC 9110 (5.6.2) allows in the name of a header. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Headers that HTTP or n8n itself sets: a key in one of these would break the request, or get lost. */
const RESERVED_HEADER =
	/^(?:accept|accept-encoding|connection|content-.*|date|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|user-agent|via|__proto__)$/i;
/** Visible ASCII; a scheme such as "Bearer" may be in front. */
const KEY = /^[\x21-\x7E]+(?: [\x21-\x7E]+)?$/;

/**
 * Tidies the fields of the credential: white space around the values is taken off, and so is everything from
 * `/stable/open` on in the base URL, which is often pasted with the path of an endpoint.
 * @throws InvalidValue that names the field and never shows a value: a secret may be in the wrong field
 */
export function connectionFrom(credentials: ICredentialDataDecryptedObject): Connection {
	const url = baseUrl(field(credentials.baseUrl));
	return {
		baseUrl: url,
		origin: new URL(url).origin,
		headerName: headerName(field(credentials.apiKeyHeader)),
		apiKey: apiKey(field(credentials.apiKey)),
	};
}

function field(value: unknown): string {
	return typeof value === 'string' ? trimmed(value) : '';
}

function baseUrl(text: string): string {
	const fix = 'Enter the URL of the messaging service, e.g. https://api.example.com';
	if (text === '') throw new InvalidValue("'Base URL' is empty", fix);
	if (text.length > MAX_URL_CHARS) throw new InvalidValue("'Base URL' is too long", fix);
	const url = httpUrl(text);
	if (url === undefined) {
		throw new InvalidValue("'Base URL' isn't a URL that starts with https://", fix);
	}
	if (url.username !== '' || url.password !== '') {
		throw new InvalidValue("'Base URL' has a user name or password in it", fix);
	}
	const [base] = url.href.split(/\/stable\/open(?![^/?#])/, 1);
	// Not by search and hash: those are empty for a lone ? or #, which would still swallow the paths behind it.
	if (/[?#]/.test(base)) {
		throw invalid`'Base URL' has a ? or # in it
			Remove everything from there on. ${fix}`;
	}
	if (url.protocol === 'http:' && canBePublic(url.hostname)) {
		throw invalid`'Base URL' starts with http://, so the API key would travel unencrypted
			Enter it with https://. Only hosts on this machine or in a private network may go without`;
	}
	return withoutTrailingSlashes(base);
}

/** Counted from the end: a pattern would look at every run of slashes again and again. */
function withoutTrailingSlashes(text: string): string {
	let end = text.length;
	while (text[end - 1] === '/') end--;
	return text.slice(0, end);
}

function headerName(text: string): string {
	const fix = "Copy the exact header name from the service's API documentation";
	if (text === '') throw new InvalidValue("'API Key Header' is empty", fix);
	if (text.length > MAX_HEADER_CHARS || !HEADER_NAME.test(text)) {
		throw invalid`'API Key Header' isn't a header name: it has spaces, colons or other characters that aren't allowed
			${fix}, without the key`;
	}
	if (RESERVED_HEADER.test(text)) {
		throw new InvalidValue("'API Key Header' is a header that HTTP uses itself", fix);
	}
	return text;
}

function apiKey(text: string): string {
	const fix = "Copy the key again from the service's dashboard, and only the key";
	if (text === '') throw new InvalidValue("'API Key' is empty", fix);
	if (text.length > MAX_KEY_CHARS) throw new InvalidValue("'API Key' is too long", fix);
	if (!KEY.test(text)) {
		throw invalid`'API Key' has line breaks, several spaces or other characters that aren't allowed
			${fix}`;
	}
	return text;
}
