import { trimmed } from './whitespace';
import { httpUrl } from './httpUrl';
import { InvalidValue, quoteForError } from './invalidValue';

/**
 * The address of an attachment or of a template's header media. The service fetches it from the internet
 * (specification 4.1, 4.3), so an address that only works inside a network is refused before anything is sent.
 * @returns the address as a browser would request it (blanks and letters beyond ASCII encoded)
 * @throws InvalidValue
 */
export function mediaUrl(value: unknown): string {
	if (typeof value !== 'string') {
		throw new InvalidValue(`is ${quoteForError(value)}, not a URL`, MEND);
	}
	const text = trimmed(value);
	if (text === '') throw new InvalidValue('is empty', MEND);
	const url = httpUrl(text);
	if (url === undefined) {
		throw new InvalidValue(
			`${quoteForError(text)} is not an address that starts with https://`,
			MEND,
		);
	}
	if (url.username !== '' || url.password !== '') {
		throw new InvalidValue(
			'has a user name or password in it',
			'Customers and the service could read them: use an address that works without',
		);
	}
	if (!canBePublic(url.hostname)) {
		throw new InvalidValue(
			`${quoteForError(text)} cannot be reached from the internet`,
			'The service fetches the file itself: put it where everyone can reach it without signing in',
		);
	}
	return url.href;
}

const MEND = 'Enter the public address of the file, e.g. https://example.com/invoice.pdf';

/**
 * A check for the kind of media, for when an expression chooses it.
 * @param options the kinds that the service takes here, as the field offers them
 */
export function mediaType(options: Array<{ value: string }>): (value: unknown) => string {
	const types = options.map(({ value }) => value);
	return (value) => {
		if (typeof value === 'string' && types.includes(value)) return value;
		throw new InvalidValue(
			`${quoteForError(value)} is not a type`,
			`Use one of ${types.join(', ')}`,
		);
	};
}

/** False for hosts that never lead out of a machine or a local network. The URL parser has made IP addresses plain. */
function canBePublic(hostname: string): boolean {
	const host = hostname.toLowerCase().replace(/\.$/, '');
	if (host.startsWith('[')) return canBePublicIpv6(host.slice(1, -1));
	if (/^[0-9]+(\.[0-9]+){3}$/.test(host)) return canBePublicIpv4(host.split('.').map(Number));
	return (
		/^[^.]+(\.[^.]+)+$/.test(host) && !/\.(localhost|local|internal|lan|home\.arpa)$/.test(host)
	);
}

/** Private, loopback, link-local, shared and unroutable ranges of RFC 6890. */
function canBePublicIpv4([a, b]: number[]): boolean {
	if (a === 0 || a === 10 || a === 127 || a >= 224) return false;
	if (a === 100 && b >= 64 && b <= 127) return false;
	if (a === 169 && b === 254) return false;
	if (a === 172 && b >= 16 && b <= 31) return false;
	return !(a === 192 && b === 168);
}

function canBePublicIpv6(address: string): boolean {
	const embedded = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(address);
	if (embedded) {
		const [high, low] = [parseInt(embedded[1], 16), parseInt(embedded[2], 16)];
		return canBePublicIpv4([high >> 8, high & 255, low >> 8, low & 255]);
	}
	// Global unicast is 2000::/3; everything else is loopback, unique local, link-local or multicast.
	return /^[23][0-9a-f]{3}:/.test(address);
}
