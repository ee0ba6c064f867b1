import type { CountryCode } from 'libphonenumber-js/min';

import { PHONE } from '../../../nodes/OutboundMessaging/operations/recipientFields';
import { sameCustomer } from '../../../nodes/OutboundMessaging/recipients/sameCustomer';
import { rows } from '../help';

// Brazil with and without the ninth digit, Mexico the 1, Argentina the 9, Benin 01, Ivory Coast before and after 2021; IDs.
it.each(
	rows(`+5531987654321 → +553187654321; +5511961234567 → +551161234567; +525512345678 → +5215512345678;
		+5491123456789 → +541123456789; +22997123456 → +2290197123456; +22507010203 → +2250707010203;
		+22546010203 → +2250546010203; +22571010203 → +2250171010203; +22521834567 → +2252121834567;
		+22530012345 → +2252530012345; +22536812345 → +2252736812345; 42 → 0042; 0 → 000; 1005 → 01005`),
)('%s and %s are one customer', (one, other) => {
	expect(sameCustomer(one)).toBe(sameCustomer(other));
	expect(sameCustomer(sameCustomer(one))).toBe(sameCustomer(one));
});

// Landlines never had a ninth digit, and 9 2… isn't 2….
it.each(
	rows(`+5531987654321 → +5531987654322; +551123456789 → +5511923456789; 0042a → 42a;
		+5531887654321 → +553187654321; +521551234567 → +52551234567; +225212345678 → +22527212345678;
		+2250707010203 → +2250507010203; +22521234567 → +2252521234567; +2250197123456 → +2290197123456;
		+54911234567 → +5411234567; +4915123456789 → +49015123456789`),
)('%s and %s are two', (one, other) => expect(sameCustomer(one)).not.toBe(sameCustomer(other)));

it.each(
	rows<[CountryCode, string, string]>(`BR → +55 31 8765-4321 → +5531987654321;
		BR → 553187654321 → +5531987654321; BR → 31 8765-4321 → +5531987654321;
		BR → 031 98765-4321 → +553187654321; MX → 521 55 1234 5678 → +525512345678;
		MX → 55 1234 5678 → +5215512345678; AR → 011 15 2345-6789 → +541123456789;
		AR → 54 11 2345 6789 → +5491123456789; DE → 521 55 1234 5678 → +525512345678;
		US → 0049 0151 23456789 → +4915123456789; IT → 3123456789 → +3903123456789;
		IT → 03123456789 → +393123456789; CI → +225 21 23 45 67 → +2252721234567;
		CI → 21 23 45 67 → +2252721234567; CI → +225 07 01 02 03 → +2250707010203;
		BJ → 97 12 34 56 → +2290197123456; DE → +49 49 151 23456789 → +4915123456789;
		DE → +49 0151 23456789 → +4915123456789; MX → +52 01 55 1234 5678 → +525512345678;
		DE → +49 00151 23456789 → +4915123456789; DE → 4915123456789@c.us → +4915123456789`),
)('in %s, %s on a list blocks %s', (country, entry, recipient) => {
	expect(PHONE.readings(entry, [country])).toContain(sameCustomer(recipient));
});
