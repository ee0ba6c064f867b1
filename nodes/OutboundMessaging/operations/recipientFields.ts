import { customerId } from '../recipients/customerId';
import { phoneNumber, phoneReadings } from '../recipients/phone';
import { sameCustomer } from '../recipients/sameCustomer';
import { type RecipientField, requiredText } from '../parameters/field';

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
	check: customerId,
	readings: (value) => [sameCustomer(customerId(value))],
};

/** The recipient of everything but templates (specification 4.2, 4.3). */
export const customerIdField = requiredText(
	'Customer ID',
	"The customer's ID, from the service's dashboard, its webhooks, or extra.customer_id in the " +
		'result of a template message',
	'4711',
);

/** What an AI agent has to pass for a file. */
export const PUBLIC_FILE = "the file's public URL, which starts with https://";
