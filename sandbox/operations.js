'use strict';

const { randomUUID } = require('node:crypto');
const { customerIdOfPhone } = require('./customers');

const PROJECT_ID = 4071;
const PLATFORM_ID = 1;

const FILLED = { type: 'string', pattern: '\\S' };
const URL_STRING = { type: 'string', httpUrl: true };
const CUSTOMER_ID = { type: 'string', pattern: '^[0-9]+$', safeInteger: true };

/** Every operation refuses what the specification does not name: a typo must not pass unseen. */
function bodySchema(properties, required) {
	return { type: 'object', additionalProperties: false, required, properties };
}

function record(operation, message, status, extra) {
	return {
		id: randomUUID(),
		project_id: PROJECT_ID,
		timestamp: new Date().toISOString(),
		function_name: operation,
		message,
		status,
		extra,
	};
}

function customerRecord(operation, message) {
	return (body) =>
		record(operation, message, 'sent', { customer_id: Number(body.customer_id), success: true });
}

/**
 * @typedef {object} Operation
 * @property {string} name the `function_name` of its records, and its name in ledger and faults
 * @property {string} path
 * @property {'customer_phone'|'customer_id'} recipientField
 * @property {object} schema JSON schema of the body
 * @property {(body: any) => object} record the message result record of an accepted body
 * @property {(body: any) => number} customerId
 */

/** @type {Operation[]} */
const operations = [
	{
		name: 'send_template_message',
		path: '/stable/open/whatsapp/send-template-message',
		recipientField: 'customer_phone',
		schema: bodySchema(
			{
				template_id: FILLED,
				channel_id: FILLED,
				customer_phone: { type: 'string', pattern: '^\\+[1-9][0-9]{6,14}$' },
				attributes: {
					type: 'object',
					consecutivePositions: true,
					additionalProperties: { type: 'string' },
				},
				attachment: {
					type: 'object',
					additionalProperties: false,
					minProperties: 1,
					maxProperties: 1,
					properties: {
						image: URL_STRING,
						audio: URL_STRING,
						video: URL_STRING,
						document: URL_STRING,
					},
				},
			},
			['template_id', 'channel_id', 'customer_phone'],
		),
		customerId: (body) => customerIdOfPhone(body.customer_phone),
		record: (body) =>
			record('send_template_message', 'Template message queued', 'ongoing', {
				platform_id: PLATFORM_ID,
				customer_id: customerIdOfPhone(body.customer_phone),
				customer_phone: body.customer_phone,
				template_id: body.template_id,
				success: true,
			}),
	},
	{
		name: 'send_text_message',
		path: '/stable/open/customers/send-text-message',
		recipientField: 'customer_id',
		schema: bodySchema({ customer_id: CUSTOMER_ID, text: FILLED }, ['customer_id', 'text']),
		customerId: (body) => Number(body.customer_id),
		record: customerRecord('send_text_message', 'Text message sent'),
	},
	{
		name: 'send_attachment_message',
		path: '/stable/open/customers/send-attachment-message',
		recipientField: 'customer_id',
		schema: bodySchema(
			{
				customer_id: CUSTOMER_ID,
				attachment_type: { type: 'string', enum: ['image', 'video', 'document'] },
				attachment_url: URL_STRING,
			},
			['customer_id', 'attachment_type', 'attachment_url'],
		),
		customerId: (body) => Number(body.customer_id),
		record: customerRecord('send_attachment_message', 'Attachment message sent'),
	},
];

module.exports = { operations };
