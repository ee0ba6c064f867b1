import { type RejectedPattern, matching, rejectMatching } from '../validation/invalidValue';
import { exactly, inAnyCase } from '../common/text';
import { identifier } from '../validation/text';
import { NO_RECIPIENT, unwrap } from './cell';

const ENTER = "Enter the customer's ID, or map the field that holds it";

/** What no customer's ID is; a phone number would never match one in a list of recipients. */
const NO_CUSTOMER: RejectedPattern[] = [
	...NO_RECIPIENT,
	// `4711,0` and `1,234,567`.
	matching(
		exactly`^\d+[.,]\d{1,3}$|^\d{1,3}(?:[., '’\u00a0\u202f]\d{3})+$`,
	)`has a mark for thousands or decimals, so the ID is uncertain
		Format the column as plain text, then check the IDs`,
	matching(exactly`^\d+(?:[\s,;|/&]+\d+)+$`)`holds several IDs
		Leave only one ID in this cell, or make one item for each customer, e.g. with a Split Out node`,
	// Groups of digits with what only phone numbers have between them.
	matching(exactly`^\+|^\(?\d+[\s)-]+\d[\d\s()./-]*\d$`)`is a phone number
		Enter the customer's ID: this operation doesn't send to phone numbers`,
	// `gid://shopify/Customer/4711`, `cus_Nf4711`, `C4711`, and a UUID.
	matching(inAnyCase`^\w+://|^[a-z]+[_-]\w|^[a-z]+\d|^[\da-f-]{24,}$`)`is an ID of another system
		Enter the service's own ID of the customer, e.g. extra.customer_id from the \
			result of a template message`,
	matching(exactly`^0+$`)`is what an empty cell becomes as a number
		${ENTER}`,
	matching(exactly`\D`)`isn't a customer ID
		Enter the customer's ID, which has digits only`,
];

/** Some spreadsheets export 4711 as 4711.0; with three zeros, it may be thousands. */
const DECIMAL = exactly`^(\d+)\.00?$`;

/** A customer's ID: a number (specification 2.1). */
export function customerId(value: unknown): string {
	const cell = typeof value === 'string' ? unwrap(value) : value;
	const id = identifier(cell).replace(DECIMAL, '$1');
	rejectMatching(id, value, NO_CUSTOMER, ENTER);
	return id;
}
