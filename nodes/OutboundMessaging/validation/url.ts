import ipaddr from 'ipaddr.js';

/** An absolute http or https URL in its parts; undefined when the text, with what it's relative to, is none. */
export function httpUrl(text: string, base?: string): URL | undefined {
	try {
		const url = new URL(text, base);
		return /^https?:/.test(url.protocol) ? url : undefined;
	} catch {
		// Not URL.canParse: after some thousand calls, that of Node 20 takes every URL with an ü for none.
		return undefined;
	}
}

/** Names that never lead out of a machine or a local network: RFC 6761, 6762 (with its appendix G), 8375, and custom. */
const PRIVATE_NAME =
	/\.(localhost|localdomain|local|internal|intranet|lan|home|corp|private|home\.arpa|test|invalid)$/;

/** False for hosts that the internet can't reach, by the name as the URL parser normalizes it. */
export function canBePublic(hostname: string): boolean {
	const host = hostname.replace(/\.$|[[\]]/g, '');
	if (!ipaddr.isValid(host)) return /^[^.]+(\.[^.]+)+$/.test(host) && !PRIVATE_NAME.test(host);

	// An IP address is private if it's in a range that has a purpose of its own. Of IPv6, only 2000::/3 is given out.
	const address = ipaddr.process(host);
	const isGivenOut = address.kind() === 'ipv4' || /^[23][0-9a-f]{3}:/.test(host);
	return isGivenOut && address.range() === 'unicast';
}
