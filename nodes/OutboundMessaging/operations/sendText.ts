import { identifier, sameCustomer } from '../validation/identifier';
import { messageText } from '../validation/text';
import { customerId } from './customerId';
import type { Operation } from './operation';
import { CUSTOMER } from './recipientFields';

/** A plain text to a customer, on whatever platform the customer uses (specification 4.2). */
export const sendText: Operation = {
	option: {
		name: 'Send Text Message',
		value: 'sendText',
		action: 'Send text message',
		description: 'Send a plain text to a customer on the platform they are connected with',
	},
	subtitle: 'Send text',
	path: '/stable/open/customers/send-text-message',
	recipient: 'customerId',
	recipientField: CUSTOMER,
	properties: [
		customerId,
		{
			displayName: 'Text',
			name: 'text',
			type: 'string',
			typeOptions: { rows: 4 },
			required: true,
			default: '',
			placeholder: 'e.g. Your order is on its way',
			description: 'The text to send. Line breaks and emoji are kept as they are.',
		},
	],
	toMessage(parameters) {
		const customer = parameters.checked('customerId', 'Customer ID', identifier);
		const text = parameters.checked('text', 'Text', messageText);
		return { recipient: sameCustomer(customer), body: { customer_id: customer, text } };
	},
};
