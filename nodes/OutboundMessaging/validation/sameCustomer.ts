/** How else one customer is written, and the spelling that stands for all of them. */
const SPELLINGS: Array<[RegExp, string]> = [
	// A spreadsheet adds or drops leading zeros of an ID.
	[/^0+(?=\d+$)/, ''],
	// Brazil: WhatsApp knows old accounts without the 9 that mobile numbers begin with today.
	[/^\+55(\d{2})(?=[6-9]\d{7}$)/, '+55$19'],
	// Mexico: the same, with the 1 that mobile numbers had after the country code.
	[/^\+521(?=\d{10}$)/, '+52'],
	// Argentina: mobile numbers have a 9 there that some people leave out.
	[/^\+549(?=\d{10}$)/, '+54'],
];

/**
 * One name for a customer, however the ID or the phone number is written.
 * @param recipient a customer ID, or a phone number in E.164 form
 * @returns to be compared, not to be shown or sent: a message goes to the number as given
 */
export function sameCustomer(recipient: string): string {
	return SPELLINGS.reduce((name, [spelling, other]) => name.replace(spelling, other), recipient);
}
