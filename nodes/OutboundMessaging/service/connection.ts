import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { trimmed } from '../validation/whitespace';
import { httpUrl } from '../validation/httpUrl';
import { InvalidValue, quoteForError } from '../validation/invalidValue';

/** Where the service is and how to sign in: the three fields of the credential, tidied. */
export interface Connection {
	/** Without a trailing slash, e.g. `https://api.example.com` or `https://example.com/messaging`. */
	baseUrl: string;
	headerName: string;
	apiKey: string;
}

/** The characters that RFC 9110 (5.6.2) allows in the name of a header. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VISIBLE_ASCII = /^[\x21-\x7E]+$/;

/**
 * Tidies the fields of the credential: blanks around the values and trailing slashes are taken off.
 * @throws InvalidValue whose message starts with the field's label and never shows the key
 */
export function connectionFrom(credentials: ICredentialDataDecryptedObject): Connection {
	return {
		baseUrl: baseUrl(field(credentials.baseUrl)),
		headerName: headerName(field(credentials.apiKeyHeader)),
		apiKey: apiKey(field(credentials.apiKey)),
	};
}

/** Whether a request goes to the service's own host and port; only then may it carry the key. */
export function isForService({ baseUrl }: Connection, url: string): boolean {
	const [own, asked] = [httpUrl(baseUrl), httpUrl(url)];
	return own !== undefined && asked !== undefined && own.origin === asked.origin;
}

function field(value: unknown): string {
	return typeof value === 'string' ? trimmed(value) : '';
}

function baseUrl(text: string): string {
	const mend = 'Enter the address of the messaging service, e.g. https://api.example.com';
	if (text === '') throw new InvalidValue('Base URL is empty', mend);
	if (text.length > 2048) throw new InvalidValue('Base URL is too long', mend);
	const url = httpUrl(text);
	if (url === undefined) {
		throw new InvalidValue(
			`Base URL ${quoteForError(text)} is not an address that starts with https://`,
			mend,
		);
	}
	if (url.username !== '' || url.password !== '') {
		throw new InvalidValue('Base URL has a user name or password in it', mend);
	}
	// Not by search and hash: those are empty for a lone ? or #, which would still swallow the paths behind it.
	if (/[?#]/.test(url.href)) {
		throw new InvalidValue(
			'Base URL has a ? or # in it',
			`Take off everything from there on. ${mend}`,
		);
	}
	return withoutSlashesAtTheEnd(url.href);
}

/** Counted from the end: a pattern would look at every run of slashes again and again. */
function withoutSlashesAtTheEnd(text: string): string {
	let end = text.length;
	while (text[end - 1] === '/') end--;
	return text.slice(0, end);
}

function headerName(text: string): string {
	if (HEADER_NAME.test(text)) return text;
	throw new InvalidValue(
		text === ''
			? 'API Key Header is empty'
			: `API Key Header ${quoteForError(text)} is not the name of a header`,
		'Enter the name that the documentation of the service gives, e.g. X-Service-Api-Key with the name of its maker in place of Service',
	);
}

function apiKey(text: string): string {
	if (VISIBLE_ASCII.test(text)) return text;
	throw new InvalidValue(
		text === '' ? 'API Key is empty' : 'API Key has blanks, line breaks or special letters in it',
		'Copy the key once more from the dashboard of the service, and only the key',
	);
}
