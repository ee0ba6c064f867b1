import ipaddr from 'ipaddr.js';
import { jsonParse, tryToParseDateTime } from 'n8n-workflow';

import { exactly, inAnyCase } from '../common/text';

/** What people map for a URL is often the file: base64, a file's name, or n8n's reference to it. */
export const SERVE = 'If n8n has the file, it can serve it: see the example file-from-n8n.json';

/**
 * An absolute http or https URL in its parts; undefined when the text, with what it's
 * relative to, is none.
 */
export function httpUrl(text: string, base?: string): URL | undefined {
	try {
		const url = new URL(text, base);
		return /^https?:/.test(url.protocol) ? url : undefined;
	} catch {
		// Not URL.canParse: after some thousand calls, that of Node 20 takes every URL
		// with an ü for none.
		return undefined;
	}
}

const GIVEN_OUT = exactly`^[23][0-9a-f]{3}:`;
const PUBLIC_NAME = exactly`^[^.]+(\.[^.]+)+$`;
/**
 * Names that never lead out of a machine or a local network: RFC 6761, 6762 (with its appendix G),
 * 8375, and custom.
 */
const PRIVATE_NAME = exactly`\.(localhost|localdomain|local|internal|intranet|lan|home|corp|private|
	home\.arpa|test|invalid)$`;

/** False for hosts that the internet can't reach, by the name as the URL parser normalizes it. */
export function canBePublic(hostname: string) {
	const host = hostname.replace(/\.$|[[\]]/g, '');
	if (!ipaddr.isValid(host)) return PUBLIC_NAME.test(host) && !PRIVATE_NAME.test(host);

	// An IP address is private if it's in a range that has a purpose of its own. Of IPv6, only
	// 2000::/3 is given out.
	const address = ipaddr.process(host);
	const isGivenOut = address.kind() === 'ipv4' || GIVEN_OUT.test(host);
	return isGivenOut && address.range() === 'unicast';
}

/** In the query of a URL that is signed: otherwise, `expires` can mean something else. */
const SIGNATURE = inAnyCase`[?&_-](?:sig|signature|token|hash|md5|key-pair-id)=`;
/** A JSON web token's part that has the claims. */
const CLAIMS = exactly`[=/]eyJ[\w\-]*\.(eyJ[\w\-]*)\.`;
/** Discord and Facebook write the end as a number with letters. */
const IN_HEX = exactly`(?:discordapp\.(?:com|net)|fbcdn\.net|cdninstagram\.com)$`;
/** Seconds since 1970, also where three digits of milliseconds follow. */
const SECONDS = exactly`^\d{10}(?=(?:\d{3})?$)`;

/**
 * When a URL ends by what it says itself, in milliseconds since 1970; undefined if it says nothing.
 */
export function expiryOf({ href, hostname, search, searchParams }: URL): number | undefined {
	const query = new Map([...searchParams].map(([name, value]) => [name.toLowerCase(), value]));
	const expires = SIGNATURE.test(search) ? query.get('expires') : undefined;
	const after = (by: string) =>
		timeOf(query.get(`${by}-date`)) + Number(query.get(`${by}-expires`)) * 1000;
	const claims = Buffer.from(CLAIMS.exec(href)?.[1] ?? '', 'base64url').toString();
	const { exp } = jsonParse<{ exp?: number }>(claims, { fallbackValue: {} });
	const ends = [
		after('x-amz'),
		after('x-goog'),
		timeOf(query.get('sig') && query.get('se')),
		Number(SECONDS.exec(expires ?? '')) * 1000,
		Number(IN_HEX.test(hostname) && `0x${query.get('ex') ?? query.get('oe')}`) * 1000,
		Number(exp) * 1000,
	];
	return ends.find((end) => end > 0);
}

function timeOf(text: string | undefined) {
	try {
		return tryToParseDateTime(text, 'utc').toMillis();
	} catch {
		return NaN;
	}
}
