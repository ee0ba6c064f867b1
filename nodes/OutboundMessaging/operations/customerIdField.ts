import { requiredText } from './field';

/** The recipient of everything but templates (specification 4.2, 4.3). */
export const customerIdField = requiredText(
	'Customer ID',
	'customerId',
	'4711',
	"The ID of the customer. You find it in the service's dashboard, in its webhooks, and as extra.customer_id in the result of a template message.",
);
