/** The sandbox's view of the messages: what the customer gets to see. */

/**
 * @param {{ operation: string, recipient: string, body: object }[]} entries
 * @returns {string[]} one line a message
 */
const conversation = (entries) =>
	entries.map(({ operation, recipient, body }) => `${recipient}  ${describe[operation](body)}`);

const describe = {
	send_template_message: ({ template_id: template, attributes = {}, attachment = {} }) => {
		const values = Object.values(attributes).join(', ');
		const [[kind, url] = []] = Object.entries(attachment);
		return `template ${template} (${values})${kind ? ` under the ${kind} ${url}` : ''}`;
	},
	send_text_message: ({ text }) => `"${text}"`,
	send_attachment_message: ({ attachment_type: kind, attachment_url: url }) => `${kind} ${url}`,
};

module.exports = { conversation };
