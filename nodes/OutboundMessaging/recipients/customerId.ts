import { type RejectedPattern, matching, rejectMatching } from '../validation/rejectedPattern';
import { MAP_ID, identifier } from '../validation/identifier';
import { NO_RECIPIENT, unwrapped } from './cell';

/** What no customer's ID is; a phone number would never match one in a list of recipients. */
const NO_CUSTOMER: RejectedPattern[] = [
	...NO_RECIPIENT,
	matching(
		/^\d+[.,]\d{1,3}$|^\d{1,3}(?:[., '’\u00a0\u202f]\d{3})+$/,
	)`has a mark for thousands or decimals, so the ID is uncertain
		Format the column as plain text, then check the IDs`,
	matching(/^\d+(?:[\s,;|/&]+\d+)+$/)`holds several IDs
		Use one item for each customer, e.g. with a Split Out node`,
	matching(/^\+|^\(?\d+[\s)-]+\d[\d\s()./-]*\d$/)`is a phone number
		Enter customer IDs: this operation doesn't send to phone numbers`,
	matching(/^\w+:\/\/|^[a-z]+[_-]\w|^[a-z]+\d|^[\da-f-]{24,}$/i)`is an ID of another system
		Map the service's own customer ID, e.g. extra.customer_id from the result of a template message`,
	matching(/\D/)`isn't a customer ID
		Enter customer IDs. They have digits only`,
];

/** A customer's ID: a number (specification 2.1). Some spreadsheets export 4711 as 4711.0; with three zeros, it may be thousands. */
export function customerId(value: unknown): string {
	const cell = typeof value === 'string' ? unwrapped(value) : value;
	const id = identifier(cell).replace(/^(\d+)\.00?$/, '$1');
	rejectMatching(id, value, NO_CUSTOMER, MAP_ID);
	return id;
}
