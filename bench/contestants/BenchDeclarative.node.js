/** A minimal declarative node: the fields say where they go, n8n does the rest. */
const { messageFields, operationField } = require('./fields');
const paths = require('./endpoints');

const post = (url) => ({ request: { method: 'POST', url } });
const send = (property, value) => ({ send: { type: 'body', property, ...(value && { value }) } });

class BenchDeclarative {
	description = {
		displayName: 'Bench Declarative',
		name: 'benchDeclarative',
		group: ['output'],
		version: 1,
		description: 'The declarative way',
		defaults: { name: 'Bench Declarative' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'benchApi', required: true }],
		requestDefaults: { baseURL: '={{$credentials.baseUrl}}' },
		properties: [
			operationField({ sendTemplate: post(paths.sendTemplate), sendText: post(paths.sendText) }),
			...messageFields({
				customerId: send('customer_id'),
				text: send('text'),
				templateId: send('template_id'),
				channelId: send('channel_id'),
				customerPhone: send('customer_phone'),
				attributes: send(
					'attributes',
					'={{ Object.fromEntries($value.attribute.map(({ value }, at) => [at + 1, value])) }}',
				),
				attributesJson: send('attributes'),
			}),
		],
	};
}

module.exports = { BenchDeclarative };
