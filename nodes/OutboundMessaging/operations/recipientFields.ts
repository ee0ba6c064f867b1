import { customerId } from '../validation/identifier';
import { invalid, quoteForError } from '../validation/invalidValue';
import { phoneNumber, phoneReadings } from '../validation/phone';
import { sameCustomer } from '../validation/sameCustomer';
import type { RecipientField } from './operation';
import { requiredText } from './field';

/** Templates go to a phone number (specification 4.1). */
export const PHONE: RecipientField = {
	name: 'customerPhone',
	label: 'Customer Phone',
	body: 'customer_phone',
	check: (value, [country]) => phoneNumber(value, country),
	readings: phoneReadings,
};

/** Text and attachments go to a customer ID (specification 4.2, 4.3). */
export const CUSTOMER: RecipientField = {
	name: 'customerId',
	label: 'Customer ID',
	body: 'customer_id',
	check: customerIdNotPhone,
	readings: (value) => [sameCustomer(listedCustomerId(value))],
};

/** In a list of recipients, a phone number would never match a customer ID. */
function customerIdNotPhone(value: unknown): string {
	const id = customerId(value);
	if (!id.startsWith('+')) return id;
	throw invalid`${quoteForError(value)} is a phone number
		Enter customer IDs: this operation doesn't send to phone numbers`;
}

/** The service's customer IDs are numbers (specification 2.1): anything else in a list, such as "yes" or "[1", is a mistake. */
function listedCustomerId(value: unknown): string {
	const id = customerIdNotPhone(value);
	if (/^[0-9]+$/.test(id)) return id;
	throw invalid`${quoteForError(value)} isn't a customer ID
		Enter customer IDs, one per line or separated by commas. They have digits only`;
}

/** The recipient of everything but templates (specification 4.2, 4.3). */
export const customerIdField = requiredText(
	'Customer ID',
	"The ID of the customer. You find it in the service's dashboard, in its webhooks, and as extra.customer_id in the result of a template message.",
	'4711',
);
