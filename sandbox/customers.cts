const RANGE = 1_000_000_000_000;

/**
 * The same phone is the same customer on every run, so that a text can follow a template.
 * Two 32-bit FNV-1a style hashes joined: 12 digits, collisions are rare at any size of a test.
 *
 * @returns a positive integer
 */
export function customerIdOfPhone(phone: string): number {
	let high = 0x811c9dc5;
	let low = 0x9e3779b9;
	for (let index = 0; index < phone.length; index++) {
		const code = phone.charCodeAt(index);
		high = Math.imul(high ^ code, 0x01000193);
		low = Math.imul(low ^ code, 0x85ebca6b);
	}
	high ^= low >>> 15;
	return (((high >>> 0) % 0x100000) * 0x100000000 + (low >>> 0)) % RANGE || 1;
}
