import { mediaType, mediaUrl } from '../validation/media';
import { customerIdField, CUSTOMER, PUBLIC_FILE } from './recipientFields';
import { list, requiredText } from '../parameters/field';
import type { Operation } from './operation';

const attachmentType = list(
	'Attachment Type',
	'What kind of file it is',
	{ document: 'Document', image: 'Image', video: 'Video' },
	{ takes: 'image, video or document' },
);

/** An image, video or document to a customer (specification 4.3). */
export const sendAttachment: Operation = {
	option: {
		name: 'Send Attachment',
		value: 'sendAttachment',
		action: 'Send attachment',
		description:
			'Send an image, video or document to a customer. WhatsApp delivers it only within 24 hours ' +
			'of the last message from that customer; otherwise send a template.',
	},
	subtitle: 'Send attachment',
	path: '/stable/open/customers/send-attachment-message',
	recipientField: CUSTOMER,
	fields: {
		customerId: customerIdField,
		attachmentType,
		attachmentUrl: requiredText(
			'Attachment URL',
			"The file's public URL. WhatsApp delivers this only within 24 hours of the customer's " +
				'last message; otherwise send a template.',
			'https://example.com/invoice.pdf',
			{ holds: 'url', takes: PUBLIC_FILE },
		),
	},
	toMessage(customer, read) {
		const type = read('attachmentType', mediaType(attachmentType));
		const url = read('attachmentUrl', (value) => mediaUrl(value, type));
		return { body: { customer_id: customer, attachment_type: type, attachment_url: url } };
	},
};
