import { exactly } from '../common/text';

/**
 * How else one customer is written, and the spelling that stands for all of them. Stored keys and
 * memories hold a recipient in the spelling that stood here when they were written: after a change,
 * those of the customers concerned no longer match.
 */
const SPELLINGS: Array<[RegExp, string]> = [
	// A spreadsheet adds or drops leading zeros of an ID.
	[exactly`^0+(?=\d+$)`, ''],
	// Brazil: WhatsApp knows old accounts without the 9 that mobile numbers begin with today.
	[exactly`^\+55(\d{2})(?=[6-9]\d{7}$)`, '+55$19'],
	// Mexico: the same, with the 1 that mobile numbers had after the country code.
	[exactly`^\+521(?=\d{10}$)`, '+52'],
	// Argentina: mobile numbers have a 9 there that some people leave out.
	[exactly`^\+549(?=\d{10}$)`, '+54'],
	// Benin: since November 2024, every number has 01 in front.
	[exactly`^\+229(?=\d{8}$)`, '+22901'],
	// Ivory Coast: since January 2021, numbers have their operator's digits in front. The old second
	// digit of a mobile number says which, and the third one of a landline.
	[exactly`^\+225(?=[04-9][0-3]\d{6}$)`, '+22501'],
	[exactly`^\+225(?=[04-9][4-6]\d{6}$)`, '+22505'],
	[exactly`^\+225(?=[04-9][7-9]\d{6}$)`, '+22507'],
	[exactly`^\+225(?=2\d8\d{5}$)`, '+22521'],
	[exactly`^\+225(?=[23]\d0\d{5}$)`, '+22525'],
	[exactly`^\+225(?=[23]\d{7}$)`, '+22527'],
];

/**
 * One name for a customer, to be compared: a message goes to the ID or the phone number as given.
 */
export const sameCustomer = (recipient: string): string =>
	SPELLINGS.reduce((name, [spelling, other]) => name.replace(spelling, other), recipient);
