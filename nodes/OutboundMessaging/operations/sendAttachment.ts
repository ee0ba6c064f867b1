import { customerId } from '../validation/identifier';
import { mediaType, mediaUrl } from '../validation/media';
import { customerIdField, CUSTOMER } from './recipientFields';
import { list, requiredText } from './field';
import type { AttachmentMessage } from './wireFormat';
import type { Operation } from './operation';

const ATTACHMENT_TYPES: Array<{ name: string; value: AttachmentMessage['attachment_type'] }> = [
	{ name: 'Document', value: 'document' },
	{ name: 'Image', value: 'image' },
	{ name: 'Video', value: 'video' },
];

/** An image, video or document to a customer (specification 4.3). */
export const sendAttachment: Operation = {
	option: {
		name: 'Send Attachment',
		value: 'sendAttachment',
		action: 'Send attachment',
		description:
			'Send an image, video or document to a customer. WhatsApp delivers it only within 24 hours of the last message from that customer; otherwise send a template.',
	},
	subtitle: 'Send attachment',
	path: '/stable/open/customers/send-attachment-message',
	recipientField: CUSTOMER,
	properties: [
		customerIdField,
		list('Attachment Type', 'attachmentType', ATTACHMENT_TYPES, 'What kind of file it is'),
		requiredText(
			'Attachment URL',
			'attachmentUrl',
			'https://example.com/invoice.pdf',
			"The file's public URL. WhatsApp delivers this only within 24 hours of the customer's last message; otherwise send a template.",
		),
	],
	toMessage(checked) {
		const customer = checked('customerId', customerId);
		const type = checked('attachmentType', mediaType(ATTACHMENT_TYPES));
		const body: AttachmentMessage = {
			customer_id: customer,
			attachment_type: type,
			attachment_url: checked('attachmentUrl', (value) => mediaUrl(value, type)),
		};
		return { recipient: customer, body };
	},
};
