/** The record of an accepted message, one function per operation of the specification. */
import { randomUUID } from 'node:crypto';
import type { MessageBody, MessageResult, OperationName } from './specification.cts';

const PROJECT_ID = 4071;
const PLATFORM_ID = 1;
const CUSTOMER_IDS = 1_000_000_000_000;

const results: { [Name in OperationName]: (body: MessageBody<Name>) => MessageResult<Name> } = {
	send_template_message: (body) => ({
		...common(),
		function_name: 'send_template_message',
		message: 'Template message queued',
		status: 'ongoing',
		extra: {
			platform_id: PLATFORM_ID,
			customer_id: customerIdOfPhone(body.customer_phone),
			customer_phone: body.customer_phone,
			template_id: body.template_id,
			success: true,
		},
	}),

	send_text_message: (body) => ({
		...common(),
		function_name: 'send_text_message',
		message: 'Text message sent',
		status: 'sent',
		extra: { customer_id: Number(body.customer_id), success: true },
	}),

	send_attachment_message: (body) => ({
		...common(),
		function_name: 'send_attachment_message',
		message: 'Attachment message sent',
		status: 'sent',
		extra: { customer_id: Number(body.customer_id), success: true },
	}),
};

function common() {
	return { id: randomUUID(), project_id: PROJECT_ID, timestamp: new Date().toISOString() };
}

/** @param body has passed the check of this operation */
export function resultOf<Name extends OperationName>(name: Name, body: MessageBody<Name>) {
	return results[name](body);
}

/**
 * The same phone is the same customer on every run, so that a text can follow a template.
 * Two 32-bit FNV-1a style hashes joined: 12 digits, collisions are rare at any size of a test.
 */
export function customerIdOfPhone(phone: string): number {
	let high = 0x811c9dc5;
	let low = 0x9e3779b9;
	for (let index = 0; index < phone.length; index++) {
		const code = phone.charCodeAt(index);
		high = Math.imul(high ^ code, 0x01000193);
		low = Math.imul(low ^ code, 0x85ebca6b);
	}
	high ^= low >>> 15;
	return (((high >>> 0) % 0x100000) * 0x100000000 + (low >>> 0)) % CUSTOMER_IDS || 1;
}
