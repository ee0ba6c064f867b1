import type { INodeProperties } from 'n8n-workflow';

import { isObject } from '../isObject';
import { invalid, checkAt, InvalidValue, quoteForError } from '../validation/invalidValue';
import { choiceOf } from '../validation/setting';
import { messageText } from '../validation/text';
import { trimmed } from '../validation/whitespace';
import { type Question, SAMPLE_LINK } from '../waitForResponse/question';
import { customerIdField } from './recipientFields';
import { list, requiredText, shownFor, text } from './field';
import type { Checked, Operation } from './operation';
import { sendTemplate } from './sendTemplate';
import { sendText } from './sendText';

const SEND_AS = [
	{ name: 'Text', value: 'text', description: 'To a customer ID' },
	{ name: 'WhatsApp Template', value: 'template', description: 'To a phone number' },
];
const TEMPLATE_CONTENTS = [
	{ name: 'Message and Link', value: 'messageAndLink', description: 'They fill {{1}} and {{2}}' },
	{ name: 'Link Only', value: 'linkOnly', description: 'The link fills {{1}}' },
];
const RESPONSE_TYPES = [
	{ name: 'Approval', value: 'approval', description: 'A button to approve, or also to decline' },
	{ name: 'Choice', value: 'choice', description: 'A button for each choice' },
	{ name: 'Free Text', value: 'freeText', description: 'A field to type in' },
] satisfies Array<{ name: string; value: Question['type']; description: string }>;
const APPROVAL_TYPES = [
	{ name: 'Approve Only', value: 'single' },
	{ name: 'Approve and Disapprove', value: 'double' },
];
const APPROVE = 'Approve';
const DISAPPROVE = 'Decline';
const MIN_CHOICES = 2;
const MAX_CHOICES = 10;

const approvalFields = [
	list(
		'Type of Approval',
		'approvalType',
		APPROVAL_TYPES,
		'Whether the person can also disapprove',
	),
	text('Approve Button Label', 'approveLabel', APPROVE, 'The text of the button that approves'),
	shownFor(
		'approvalType',
		'double',
		text('Disapprove Button Label', 'disapproveLabel', DISAPPROVE, 'The text of the other button'),
	),
];
const label = text('Label', 'label', '', 'The text of the button, also the answer, e.g. 10:00');

/** As n8n's own nodes that wait for an answer name them, where they have them. */
const properties: INodeProperties[] = [
	{ ...list('Send As', 'sendAs', SEND_AS, 'How the message is sent'), noDataExpression: true },
	shownFor('sendAs', 'text', customerIdField),
	...sendTemplate.properties
		.filter(({ name }) => ['templateId', 'channelId', 'customerPhone'].includes(name))
		.map((property) => shownFor('sendAs', 'template', property)),
	{
		...requiredText(
			'Message',
			'message',
			'Does Friday at 10:00 suit you?',
			'What the person reads, in the message and on the page that its link opens',
		),
		typeOptions: { rows: 4 },
	},
	shownFor(
		'sendAs',
		'template',
		list(
			'Template Content',
			'templateContent',
			TEMPLATE_CONTENTS,
			'What fills the variables of the template',
		),
	),
	{
		...list('Response Type', 'responseType', RESPONSE_TYPES, 'How the person answers'),
		noDataExpression: true,
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
		options: [{ displayName: 'Choice', name: 'choice', values: [label] }],
	}),
];

/** A question, sent as another operation sends its messages. The answer comes back by a link. */
function askBy(
	{ path, recipientField, toMessage }: Operation,
	fieldsOf: (message: string, checked: Checked) => Record<string, unknown>,
): Operation {
	return {
		option: {
			name: 'Send Message and Wait for Response',
			value: 'sendAndWait',
			action: 'Send message and wait for response',
			description: 'Send a message with a link, and continue when the person answers',
			// A call of a tool ends within seconds.
			displayOptions: { hide: { '@tool': [true] } },
		},
		subtitle: 'Send message and wait',
		path,
		recipientField,
		asks: true,
		properties,
		toMessage(checked, options) {
			const question = questionOf(checked);
			const fields = fieldsOf(question.message, checked);
			const filled: Checked = (name, check) =>
				name in fields ? checked('message', () => check(fields[name])) : checked(name, check);
			// WhatsApp rejects line breaks in the variables of a template.
			const rules = { ...options, attributeLineBreaks: 'replace' } as const;
			return { ...toMessage(filled, rules), question };
		},
	};
}

export const sendAndWait = askBy(sendText, (message) => ({ text: `${message}\n${SAMPLE_LINK}` }));

export const askByTemplate = askBy(sendTemplate, (message, checked) => {
	const content = checked('templateContent', choiceOf(TEMPLATE_CONTENTS));
	const values = content === 'linkOnly' ? [SAMPLE_LINK] : [message, SAMPLE_LINK];
	const attribute = values.map((value) => ({ value }));
	return { specifyAttributes: 'fields', attributes: { attribute }, headerMedia: {} };
});

function questionOf(checked: Checked): Question {
	const message = checked('message', (value) => messageText(value).trim());
	const type = checked('responseType', choiceOf(RESPONSE_TYPES));
	if (type === 'freeText') return { message, type };
	const labels =
		type === 'choice'
			? checked('choices', choiceLabels)
			: checked('approvalOptions', approvalLabels);
	return { message, type, labels };
}

/** @returns the label that approves, and the one that doesn't if there is one */
function approvalLabels(collection: unknown): string[] {
	const values = isObject(collection) && isObject(collection.values) ? collection.values : {};
	const { approvalType = 'single', approveLabel = APPROVE, disapproveLabel = DISAPPROVE } = values;
	const isSingle = choiceOf(APPROVAL_TYPES)(approvalType) === 'single';
	return distinctLabels(isSingle ? [approveLabel] : [approveLabel, disapproveLabel]);
}

function choiceLabels(collection: unknown): string[] {
	const entries = isObject(collection) && Array.isArray(collection.choice) ? collection.choice : [];
	if (entries.length >= MIN_CHOICES && entries.length <= MAX_CHOICES) {
		return distinctLabels(entries.map((entry) => entry?.label));
	}
	throw new InvalidValue(
		entries.length < MIN_CHOICES ? 'has too few labels' : 'has too many labels',
		`Enter ${MIN_CHOICES} to ${MAX_CHOICES} labels`,
	);
}

/** An answer is known by its label, as a form sends it back: without line breaks and halves of characters. */
function distinctLabels(values: unknown[]): string[] {
	const clean = (text: string) => trimmed(text.replace(/[\s\p{Cc}\p{Cs}]+/gu, ' '));
	const labels = values.map((value, index) =>
		checkAt('', () => messageText(clean(messageText(value))), `label ${index + 1} `),
	);
	const repeated = labels.find((each, index) => labels.indexOf(each) !== index);
	if (repeated === undefined) return labels;
	throw invalid`has the label ${quoteForError(repeated)} twice
		Give each button a label of its own`;
}
