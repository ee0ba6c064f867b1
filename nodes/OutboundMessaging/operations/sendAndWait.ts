import type { INodeProperties } from 'n8n-workflow';

import { isObject } from '../isObject';
import { customerId, identifier } from '../validation/identifier';
import { InvalidValue, quoteForError } from '../validation/invalidValue';
import { choiceOf } from '../validation/setting';
import { messageText } from '../validation/text';
import { SAMPLE_LINK } from '../waitForResponse/link';
import type { Button, Question } from '../waitForResponse/question';
import { customerIdField } from './customerIdField';
import { readCustomerPhone } from './recipientFields';
import type { ItemParameters, Operation } from './operation';
import { sendTemplate } from './sendTemplate';
import { sendText } from './sendText';

const SEND_AS = [
	{ name: 'Text', value: 'text', description: 'To a customer ID' },
	{ name: 'WhatsApp Template', value: 'template', description: 'To a phone number' },
];
const TEMPLATE_CONTENTS = [
	{ name: 'Link Only', value: 'linkOnly', description: 'The link fills {{1}}' },
	{
		name: 'Message and Link',
		value: 'messageAndLink',
		description: 'The message fills {{1}}, on one line, and the link fills {{2}}',
	},
];
const RESPONSE_TYPES = [
	{ name: 'Approval', value: 'approval', description: 'A button to approve, or also to decline' },
	{ name: 'Choice', value: 'choice', description: 'A button for each choice' },
	{ name: 'Free Text', value: 'freeText', description: 'A field to type in' },
];
const APPROVAL_TYPES = [
	{ name: 'Approve and Disapprove', value: 'double' },
	{ name: 'Approve Only', value: 'single' },
];
const APPROVE = 'Approve';
const DISAPPROVE = 'Decline';
const MIN_CHOICES = 2;
const MAX_CHOICES = 10;

const shownFor = (field: string, value: string, property: INodeProperties): INodeProperties => ({
	...property,
	displayOptions: { show: { [field]: [value] } },
});
const OF_TEMPLATE = ['templateId', 'channelId', 'customerPhone'];

const approvalFields: INodeProperties[] = [
	{
		displayName: 'Type of Approval',
		name: 'approvalType',
		type: 'options',
		options: APPROVAL_TYPES,
		default: 'single',
		description: 'Whether the person can also disapprove',
	},
	{
		displayName: 'Approve Button Label',
		name: 'approveLabel',
		type: 'string',
		default: APPROVE,
		description: 'The text of the button that approves',
	},
	shownFor('approvalType', 'double', {
		displayName: 'Disapprove Button Label',
		name: 'disapproveLabel',
		type: 'string',
		default: DISAPPROVE,
		description: 'The text of the button that disapproves',
	}),
];
const choiceFields: INodeProperties[] = [
	{
		displayName: 'Label',
		name: 'label',
		type: 'string',
		default: '',
		placeholder: 'e.g. 10:00',
		description: 'The text of the button, which is also the answer',
	},
];

/** As n8n's own nodes that wait for an answer name them, where they have them. */
const properties: INodeProperties[] = [
	{
		displayName: 'Send As',
		name: 'sendAs',
		type: 'options',
		noDataExpression: true,
		options: SEND_AS,
		default: 'text',
		description: 'How the message is sent',
	},
	shownFor('sendAs', 'text', customerIdField),
	...sendTemplate.properties
		.filter(({ name }) => OF_TEMPLATE.includes(name))
		.map((property) => shownFor('sendAs', 'template', property)),
	{
		displayName: 'Message',
		name: 'message',
		type: 'string',
		typeOptions: { rows: 4 },
		required: true,
		default: '',
		placeholder: 'e.g. Does Friday at 10:00 suit you?',
		description: 'What the person reads, in the message and on the page that its link opens',
	},
	shownFor('sendAs', 'template', {
		displayName: 'Template Content',
		name: 'templateContent',
		type: 'options',
		options: TEMPLATE_CONTENTS,
		default: 'messageAndLink',
		description: 'What fills the variables of the template',
	}),
	{
		displayName: 'Response Type',
		name: 'responseType',
		type: 'options',
		noDataExpression: true,
		options: RESPONSE_TYPES,
		default: 'approval',
		description: 'How the person answers',
	},
	shownFor('responseType', 'approval', {
		displayName: 'Approval Options',
		name: 'approvalOptions',
		type: 'fixedCollection',
		default: {},
		placeholder: 'Add option',
		description: 'The buttons. Without this option there is one, which approves.',
		options: [{ displayName: 'Values', name: 'values', values: approvalFields }],
	}),
	shownFor('responseType', 'choice', {
		displayName: 'Choices',
		name: 'choices',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		default: {},
		placeholder: 'Add Choice',
		description: `The buttons to choose from, ${MIN_CHOICES} to ${MAX_CHOICES}, e.g. free appointments`,
		options: [{ displayName: 'Choice', name: 'choice', values: choiceFields }],
	}),
];

/** A question to a person, whose answer comes back by a link in the message. */
export const sendAndWait: Operation = {
	option: {
		name: 'Send Message and Wait for Response',
		value: 'sendAndWait',
		action: 'Send message and wait for response',
		description: 'Send a message with a link, and continue when the person answers',
		// A call of a tool ends within seconds.
		displayOptions: { hide: { '@tool': [true] } },
	},
	subtitle: 'Send message and wait',
	path: sendText.path,
	recipient: 'customerId',
	recipientField: sendText.recipientField,
	asks: true,
	properties,
	toMessage(parameters) {
		const customer = parameters.checked('customerId', 'Customer ID', customerId);
		const question = questionOf(parameters);
		const body = { customer_id: customer, text: `${question.message}\n${SAMPLE_LINK}` };
		return { recipient: customer, body, question };
	},
};

/** The same question as a WhatsApp template. */
export const askByTemplate: Operation = {
	...sendAndWait,
	path: sendTemplate.path,
	recipient: 'customerPhone',
	recipientField: sendTemplate.recipientField,
	toMessage(parameters, { defaultCountry } = {}) {
		const { checked } = parameters;
		const recipient = readCustomerPhone(parameters, defaultCountry);
		const template_id = checked('templateId', 'Template ID', identifier);
		const channel_id = checked('channelId', 'Channel ID', identifier);
		const question = questionOf(parameters);
		const isTemplateContent = choiceOf(TEMPLATE_CONTENTS);
		const isLinkOnly =
			checked('templateContent', 'Template Content', isTemplateContent) === 'linkOnly';
		// WhatsApp rejects line breaks in the variables of a template.
		const oneLine = question.message.replace(/\s+/g, ' ');
		const attributes: Record<string, string> = isLinkOnly
			? { '1': SAMPLE_LINK }
			: { '1': oneLine, '2': SAMPLE_LINK };
		const body = { template_id, channel_id, customer_phone: recipient, attributes };
		return { recipient, body, question };
	},
};

/** Everything that the page needs. */
function questionOf({ checked }: ItemParameters): Question {
	const message = checked('message', 'Message', (value) => messageText(value).trim());
	const type = checked('responseType', 'Response Type', choiceOf(RESPONSE_TYPES));
	if (type === 'freeText') return { message };
	return {
		message,
		buttons:
			type === 'choice'
				? checked('choices', 'Choices', choiceButtons)
				: checked('approvalOptions', 'Approval Options', approvalButtons),
	};
}

function approvalButtons(collection: unknown): Button[] {
	const values = isObject(collection) && isObject(collection.values) ? collection.values : {};
	const { approvalType = 'single', approveLabel = APPROVE, disapproveLabel = DISAPPROVE } = values;
	const approve = { label: labelOf(approveLabel), data: { approved: true } };
	if (choiceOf(APPROVAL_TYPES)(approvalType) === 'single') return [approve];
	return distinct([approve, { label: labelOf(disapproveLabel), data: { approved: false } }]);
}

function choiceButtons(collection: unknown): Button[] {
	const entries = isObject(collection) ? collection.choice : undefined;
	const labels = (Array.isArray(entries) ? entries : []).map((entry: unknown) =>
		labelOf(isObject(entry) ? entry.label : entry),
	);
	if (labels.length >= MIN_CHOICES && labels.length <= MAX_CHOICES) {
		return distinct(labels.map((label) => ({ label, data: { choice: label } })));
	}
	throw new InvalidValue(
		`has ${labels.length} labels`,
		`Enter ${MIN_CHOICES} to ${MAX_CHOICES} labels`,
	);
}

function labelOf(value: unknown): string {
	return messageText(value).replace(/\s+/g, ' ').trim();
}

/** An answer is known by its label. */
function distinct(buttons: Button[]): Button[] {
	const labels = buttons.map(({ label }) => label);
	const repeated = labels.find((label, index) => labels.indexOf(label) !== index);
	if (repeated === undefined) return buttons;
	throw new InvalidValue(
		`has the label ${quoteForError(repeated)} twice`,
		'Give each button a label of its own',
	);
}
