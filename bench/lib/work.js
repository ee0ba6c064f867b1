/** The kinds of work: the same message, once as our fields and once as the body of an HTTP Request node. */
const paths = require('../contestants/endpoints');

const TEMPLATE = { templateId: 'order_update', channelId: 'main' };
const TEMPLATE_JSON = `"template_id": "${TEMPLATE.templateId}",
  "channel_id": "${TEMPLATE.channelId}",
  "customer_phone": "{{ $json.phone }}"`;
const ATTRIBUTES = '{{ { "1": $json.firstName, "2": $json.order, "3": $json.day } }}';

/**
 * @typedef {object} Work
 * @property {string} label
 * @property {object} parameters of our node, and of those of the benchmark that share its fields
 * @property {string} path where the requests go
 * @property {string} jsonBody as one types it into the HTTP Request node
 * @property {Record<string, string>} [bodyFields] the same in that node's own fields, which have no room for nested values
 * @property {(row: object) => string} recipient
 */

/** @type {Record<string, Work>} */
const WORK = {
	text: {
		label: 'text message, two expressions',
		parameters: {
			operation: 'sendText',
			customerId: '={{ $json.customerId }}',
			text: '=Hello {{ $json.firstName }}, your order is on its way.',
		},
		path: paths.sendText,
		jsonBody: `={
  "customer_id": "{{ $json.customerId }}",
  "text": "Hello {{ $json.firstName }}, your order is on its way."
}`,
		bodyFields: {
			customer_id: '={{ $json.customerId }}',
			text: '=Hello {{ $json.firstName }}, your order is on its way.',
		},
		recipient: ({ customerId }) => customerId,
	},
	templateFields: {
		label: 'template, phone and three attributes as fields',
		parameters: {
			operation: 'sendTemplate',
			...TEMPLATE,
			customerPhone: '={{ $json.phone }}',
			specifyAttributes: 'fields',
			attributes: {
				attribute: ['firstName', 'order', 'day'].map((name) => ({
					value: `={{ $json.${name} }}`,
				})),
			},
		},
		path: paths.sendTemplate,
		jsonBody: `={
  ${TEMPLATE_JSON},
  "attributes": { "1": "{{ $json.firstName }}", "2": "{{ $json.order }}", "3": "{{ $json.day }}" }
}`,
		recipient: ({ phone }) => phone,
	},
	templateJson: {
		label: 'template, phone and attributes as one JSON expression',
		parameters: {
			operation: 'sendTemplate',
			...TEMPLATE,
			customerPhone: '={{ $json.phone }}',
			specifyAttributes: 'json',
			attributesJson: `=${ATTRIBUTES}`,
		},
		path: paths.sendTemplate,
		jsonBody: `={
  ${TEMPLATE_JSON},
  "attributes": ${ATTRIBUTES.replace('{{ {', '{{ JSON.stringify({').replace('} }}', '}) }}')}
}`,
		recipient: ({ phone }) => phone,
	},
};

module.exports = { WORK };
