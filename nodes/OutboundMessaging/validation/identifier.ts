import { NO_RECIPIENT, unwrapped } from './cell';
import {
	invalid,
	quoteForError,
	requireContent,
	requireExact,
	requireLength,
} from './invalidValue';
import { type Look, look, requireOtherLook } from './look';
import { readableValue } from './unreadable';

const LONGEST = 256;
const MAP = 'Map the field that holds the ID';
const ENTER = 'Enter the ID, or map a field that has a value';

/** An ID or a send-once key, as text. Results carry a customer ID as a number (specification 2.1): it's taken, too. */
export function identifier(value: unknown): string {
	if (typeof value === 'number') {
		if (Number.isFinite(value)) requireExact(value);
		if (Number.isInteger(value) && value >= 0) return String(value);
		throw invalid`${quoteForError(value)} isn't a whole number
			Map the field that holds the ID, as text or as a whole number`;
	}
	const id = requireContent(value, 'an ID', MAP, ENTER);
	requireLength(id, LONGEST, `${MAP}, and nothing else`);
	return readableValue(id);
}

/** What no customer's ID is; a phone number would never match one in a list of recipients. */
const NO_CUSTOMER: Look[] = [
	...NO_RECIPIENT,
	look(
		/^\d+[.,]\d{1,3}$|^\d{1,3}(?:[., '’\u00a0\u202f]\d{3})+$/,
	)`has a mark for thousands or decimals, so the ID is uncertain
		Format the column as plain text, then check the IDs`,
	look(/^\d+(?:[\s,;|/&]+\d+)+$/)`holds several IDs
		Use one item for each customer, e.g. with a Split Out node`,
	look(/^\+|^\(?\d+[\s)-]+\d[\d\s()./-]*\d$/)`is a phone number
		Enter customer IDs: this operation doesn't send to phone numbers`,
	look(/^\w+:\/\/|^[a-z]+[_-]\w|^[a-z]+\d|^[\da-f-]{24,}$/i)`is an ID of another system
		Map the service's own customer ID, e.g. extra.customer_id from the result of a template message`,
	look(/\D/)`isn't a customer ID
		Enter customer IDs. They have digits only`,
];

/** A customer's ID: a number (specification 2.1). Some spreadsheets export 4711 as 4711.0; with three zeros, it may be thousands. */
export function customerId(value: unknown): string {
	const cell = typeof value === 'string' ? unwrapped(value) : value;
	const id = identifier(cell).replace(/^(\d+)\.00?$/, '$1');
	requireOtherLook(id, value, NO_CUSTOMER, MAP);
	return id;
}
