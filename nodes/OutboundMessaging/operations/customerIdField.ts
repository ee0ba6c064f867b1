import type { INodeProperties } from 'n8n-workflow';

/** The recipient of everything but templates (specification 4.2, 4.3). */
export const customerIdField: INodeProperties = {
	displayName: 'Customer ID',
	name: 'customerId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 4711',
	description:
		"The ID of the customer. You find it in the service's dashboard, in its webhooks, and as extra.customer_id in the result of a template message.",
};
