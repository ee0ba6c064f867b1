/** IPv4 ranges with a purpose of their own, from IANA's special-purpose address registry: no host of the internet. */
const SPECIAL_IPV4 = [
	...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
	...['192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24'],
	...['192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
	'224.0.0.0/3',
].map((range) => {
	const [address, bits] = range.split('/');
	const size = 2 ** (32 - Number(bits));
	return { size, block: ipv4Number(address) / size };
});

/** Of IPv6, only 2000::/3 is given out. In it: tunnels to other addresses (Teredo, 6to4), documentation, protocols. */
const GLOBAL_IPV6 = /^[23][0-9a-f]{3}:/;
const SPECIAL_IPV6 =
	/^(?:2001:(?:1?[0-9a-f]{0,2}:|db8:)|2002:|2620:4f:8000:|3fff:(?:[0-9a-f]{1,3}:|:))/;
const IPV4_IN_IPV6 = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/;

/**
 * Whether an IP address can be a host of the internet.
 * @param address as the URL parser normalizes it: IPv4 in four decimal parts, IPv6 without brackets and leading zeros
 */
export function isPublicAddress(address: string): boolean {
	if (!address.includes(':')) return isPublicIpv4(ipv4Number(address));
	const ipv4 = IPV4_IN_IPV6.exec(address);
	if (ipv4) return isPublicIpv4(parseInt(ipv4[1], 16) * 2 ** 16 + parseInt(ipv4[2], 16));
	return GLOBAL_IPV6.test(address) && !SPECIAL_IPV6.test(address);
}

function isPublicIpv4(address: number): boolean {
	return !SPECIAL_IPV4.some(({ size, block }) => Math.floor(address / size) === block);
}

function ipv4Number(address: string): number {
	return address.split('.').reduce((number, part) => number * 256 + Number(part), 0);
}
