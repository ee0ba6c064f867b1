/** The record of an accepted message, one function per operation of the specification. */
import { randomUUID } from 'node:crypto';
import { customerIdOfPhone } from './customers.cts';
import type { MessageBody, MessageResult, OperationName } from './specification.cts';

const PROJECT_ID = 4071;
const PLATFORM_ID = 1;

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
