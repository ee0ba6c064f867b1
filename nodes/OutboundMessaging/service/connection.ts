import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { invalid } from '../validation/invalidValue';
import { exactly, inAnyCase, trimmed } from '../common/text';
import { canBePublic, httpUrl } from '../validation/url';

/** Where the service is and how to sign in: the three fields of the credential, tidied. */
export interface Connection {
	/**
	 * Without a trailing slash, e.g. `https://api.example.com` or `https://example.com/messaging`.
	 */
	baseUrl: string;
	headerName: string;
	apiKey: string;
}

/** The characters that RFC 9110 (5.6.2) allows in the name of a header. */
const HEADER_NAME = exactly`^[!#$%&'*+.^_\x60|~0-9A-Za-z-]{1,256}$`;
/**
 * Headers that HTTP or n8n itself sets: a key in one of these would break the request, or get lost.
 */
const OF_CONNECTION =
	'connection|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|via';
const OF_MESSAGE = 'accept|accept-encoding|content-.*|date|user-agent';
const RESERVED_HEADER = inAnyCase`^(?:${OF_CONNECTION}|${OF_MESSAGE}|__proto__)$`;
const ENDPOINT = exactly`/stable/open(?![^/?#])`;
/** Visible ASCII; a scheme such as "Bearer" may be in front. */
const KEY = exactly`^[\x21-\x7E]+(?: [\x21-\x7E]+)?$`;

/**
 * Tidies the fields.
 * @throws InvalidValue that names one and never shows a value: a secret may be in the wrong field
 */
export const connectionFrom = (credentials: ICredentialDataDecryptedObject): Connection => ({
	baseUrl: baseUrl(credentials.baseUrl),
	headerName: headerName(credentials.apiKeyHeader),
	apiKey: apiKey(credentials.apiKey),
});

/** @param longest of what is looked at, in characters */
function field(label: string, value: unknown, fix: string, longest = Infinity) {
	const text = typeof value === 'string' ? trimmed(value) : '';
	if (text !== '' && text.length <= longest) return text;
	throw invalid`'${label}' is ${text === '' ? 'empty' : 'too long'}
		${fix}`;
}

function baseUrl(value: unknown) {
	const fix = 'Enter the URL of the messaging service, e.g. https://api.example.com';
	const url = httpUrl(field('Base URL', value, fix, 2048));
	if (url === undefined) {
		throw invalid`'Base URL' isn't a URL that starts with https://
			${fix}`;
	}
	if (url.username !== '' || url.password !== '') {
		throw invalid`'Base URL' has a user name or password in it
			${fix}`;
	}
	// It's often pasted with the path of an endpoint.
	const [base] = url.href.split(ENDPOINT, 1);
	// Not by search and hash: those are empty for a lone ? or #, which would still swallow the
	// paths behind it.
	if (/[?#]/.test(base)) {
		throw invalid`'Base URL' has a ? or # in it
			Remove everything from there on. ${fix}`;
	}
	if (url.protocol === 'http:' && canBePublic(url.hostname)) {
		throw invalid`'Base URL' starts with http://, so the API key would travel unencrypted
			Enter it with https://. Only hosts on this machine or in a private network may go without`;
	}
	return base.replace(/\/+$/, '');
}

function headerName(value: unknown) {
	const fix = "Copy the exact header name from the service's API documentation";
	const text = field('API Key Header', value, fix);
	if (!HEADER_NAME.test(text)) {
		throw invalid`'API Key Header' isn't a header name: it has spaces, colons or other \
				characters that aren't allowed
			${fix}, without the key`;
	}
	if (!RESERVED_HEADER.test(text)) return text;
	throw invalid`'API Key Header' is a header that HTTP uses itself
		${fix}`;
}

function apiKey(value: unknown) {
	const fix = "Copy the key again from the service's dashboard, and only the key";
	const text = field('API Key', value, fix, 4096);
	if (KEY.test(text)) return text;
	throw invalid`'API Key' has line breaks, several spaces or other characters that aren't allowed
		${fix}`;
}
