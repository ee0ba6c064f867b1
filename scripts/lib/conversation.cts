/** The sandbox's view of the messages: what the customer gets to see. */

import type { AcceptedEntry } from '../../sandbox/ledger.cts';
import type { MessageBody, OperationName } from '../../sandbox/specification.cts';

/** One line a message. */
export const conversation = (entries: AcceptedEntry[]): string[] =>
	entries.map(
		({ operation, recipient, body }) =>
			`${recipient}  ${describe(operation, body as MessageBody<typeof operation>)}`,
	);

const describe = <Name extends OperationName>(operation: Name, body: MessageBody<Name>) =>
	descriptions[operation](body);

const descriptions: { [Name in OperationName]: (body: MessageBody<Name>) => string } = {
	send_template_message: ({ template_id: template, attributes = {}, attachment = {} }) => {
		const values = Object.values(attributes).join(', ');
		const [[kind, url] = []] = Object.entries(attachment);
		return `template ${template} (${values})${kind ? ` under the ${kind} ${url}` : ''}`;
	},
	send_text_message: ({ text }) => `"${text}"`,
	send_attachment_message: ({ attachment_type: kind, attachment_url: url }) => `${kind} ${url}`,
};
