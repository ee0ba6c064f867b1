/** The fields that the nodes of the benchmark share with ours, under the same names. */

const shownFor = (operation, field) => ({
	default: '',
	type: 'string',
	displayOptions: { show: { operation: [operation], ...field.only } },
	...field,
	only: undefined,
});

const operationField = (routings = {}) => ({
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	default: 'sendTemplate',
	options: [
		{ name: 'Send Template', value: 'sendTemplate', routing: routings.sendTemplate },
		{ name: 'Send Text', value: 'sendText', routing: routings.sendText },
	],
});

/** @param {Record<string, object>} [routings] what declarative nodes say beside each field */
const messageFields = (routings = {}) =>
	[
		shownFor('sendText', { displayName: 'Customer ID', name: 'customerId' }),
		shownFor('sendText', { displayName: 'Text', name: 'text' }),
		shownFor('sendTemplate', { displayName: 'Template ID', name: 'templateId' }),
		shownFor('sendTemplate', { displayName: 'Channel ID', name: 'channelId' }),
		shownFor('sendTemplate', { displayName: 'Customer Phone', name: 'customerPhone' }),
		shownFor('sendTemplate', {
			displayName: 'Specify Attributes',
			name: 'specifyAttributes',
			type: 'options',
			options: [
				{ name: 'Fields', value: 'fields' },
				{ name: 'JSON', value: 'json' },
			],
			default: 'fields',
		}),
		shownFor('sendTemplate', {
			displayName: 'Attributes',
			name: 'attributes',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			only: { specifyAttributes: ['fields'] },
			default: {},
			options: [
				{
					displayName: 'Attribute',
					name: 'attribute',
					values: [{ displayName: 'Value', name: 'value', type: 'string', default: '' }],
				},
			],
		}),
		shownFor('sendTemplate', {
			displayName: 'Attributes (JSON)',
			name: 'attributesJson',
			type: 'json',
			only: { specifyAttributes: ['json'] },
			default: '{}',
		}),
	].map((field) => ({ ...field, routing: routings[field.name] }));

module.exports = { operationField, messageFields };
