import { messageText } from '../validation/text';
import { customerIdField, CUSTOMER } from './recipientFields';
import { requiredText } from '../parameters/field';
import type { Operation } from './operation';

/** A plain text to a customer, on whatever platform the customer uses (specification 4.2). */
export const sendText: Operation = {
	option: {
		name: 'Send Text Message',
		value: 'sendText',
		action: 'Send text message',
		description:
			'Send a text to a customer. WhatsApp delivers it only within 24 hours of the last message ' +
			'from that customer; otherwise send a template.',
	},
	subtitle: 'Send text',
	path: '/stable/open/customers/send-text-message',
	recipientField: CUSTOMER,
	fields: {
		customerId: customerIdField,
		text: requiredText(
			'Text',
			"WhatsApp delivers this only within 24 hours of the customer's last message; " +
				'otherwise send a template',
			'Your order is on its way',
			{ holds: 'text', typeOptions: { rows: 4 } },
		),
	},
	toMessage(customer, read) {
		const text = read('text', messageText);
		return { body: { customer_id: customer, text }, text };
	},
};
