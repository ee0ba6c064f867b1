import { WAITING_OPERATION } from '../n8n/internals';
import { checkPart, invalid, quoteForError } from '../validation/invalidValue';
import { parsedJson } from '../validation/json';
import { requireIntact } from '../validation/brokenText';
import { isInvisible, trimmed } from '../common/text';
import { PAGE_TEXTS, pageText } from '../waitForResponse/question';
import { customerIdField } from './recipientFields';
import {
	groupEntries,
	field,
	group,
	list,
	requiredText,
	shownFor,
	specify,
} from '../parameters/field';
import type { MessageOptions, Operation, ReadField } from './operation';
import { sendTemplate, templateFields } from './sendTemplate';
import { sendText } from './sendText';

const APPROVAL = { approvalType: 'single', approveLabel: 'Approve', disapproveLabel: 'Decline' };
const MIN_CHOICES = 2;
const MAX_CHOICES = 10;

const templateContent = list('Template Content', 'What fills the variables of the template', {
	messageAndLink: ['Message and Link', 'They fill {{1}} and {{2}}'],
	linkOnly: ['Link Only', 'The link fills {{1}}'],
});
const responseType = list(
	'Response Type',
	'How the person answers',
	{
		approval: ['Approval', 'A button to approve, or also to decline'],
		choice: ['Choice', 'A button for each choice'],
		freeText: ['Free Text', 'A field to type in'],
	},
	{ noDataExpression: true },
);
const approvalType = list('Type of Approval', 'Whether the person can also disapprove', {
	single: 'Approve Only',
	double: 'Approve and Disapprove',
});
const approvalOptions = group(
	'Approval Options',
	'The buttons. Without this option there is one, which approves.',
	'Values',
	{
		approvalType,
		approveLabel: field('Approve Button Label', 'The text of the button that approves', {
			default: APPROVAL.approveLabel,
		}),
		...shownFor('approvalType', 'double', {
			disapproveLabel: field('Disapprove Button Label', 'The text of the other button', {
				default: APPROVAL.disapproveLabel,
			}),
		}),
	},
	{ holds: 'text', placeholder: 'Add option' },
);
const specifyChoices = specify(
	'Choices',
	'How to enter the choices',
	'Add one field for each choice',
	'Enter or map all choices at once, as a list',
);
const choices = group(
	'Choices',
	`The buttons to choose from, ${MIN_CHOICES} to ${MAX_CHOICES}, e.g. free appointments. ` +
		'Empty ones are left out.',
	'Choice',
	{ label: field('Label', 'The text of the button, also the answer, e.g. 10:00') },
	{
		holds: 'text',
		placeholder: 'Add Choice',
		typeOptions: { multipleValues: true, sortable: true },
	},
);
const choicesJson = field(
	'Choices (JSON)',
	`The texts of the buttons to choose from, ${MIN_CHOICES} to ${MAX_CHOICES}: a list. ` +
		'Empty ones are left out.',
	{
		holds: 'text',
		type: 'json',
		default: '[]',
		placeholder: 'e.g. {{ $json.slots }} or ["10:00", "11:30"]',
	},
);

/** As n8n's own nodes that wait for an answer name them, where they have them. */
const fields = {
	sendAs: list(
		'Send As',
		'How the message is sent',
		{ text: ['Text', 'To a customer ID'], template: ['WhatsApp Template', 'To a phone number'] },
		{ noDataExpression: true },
	),
	...shownFor('sendAs', 'text', { customerId: customerIdField }),
	...shownFor('sendAs', 'template', templateFields),
	message: requiredText(
		'Message',
		'What the person reads on the page and, except with Link Only, in the message. In a ' +
			'template, line breaks become spaces.',
		'Does Friday at 10:00 suit you?',
		{ holds: 'text', typeOptions: { rows: 4 } },
	),
	...shownFor('sendAs', 'template', { templateContent }),
	responseType,
	...shownFor('responseType', 'approval', { approvalOptions }),
	...shownFor('responseType', 'choice', {
		specifyChoices,
		...shownFor('specifyChoices', 'fields', { choices }),
		...shownFor('specifyChoices', 'json', { choicesJson }),
	}),
};

/** A question, sent as another operation sends its messages. The answer comes back by a link. */
const askBy = (
	operation: Operation,
	givenBy: (message: string, link: string, read: ReadField) => Record<string, unknown>,
): Operation => ({
	...operation,
	option: {
		name: 'Send Message and Wait for Response',
		value: WAITING_OPERATION,
		action: 'Send message and wait for response',
		description: 'Send a message with a link, and continue when the person answers',
		// A call of a tool ends within seconds.
		displayOptions: { hide: { '@tool': [true] } },
	},
	subtitle: 'Send message and wait',
	asks: true,
	fields,
	toMessage(recipient, read, options) {
		const question = questionOf(read, options);
		const given = givenBy(question.message, options.link ?? '', read);
		const filled: ReadField = (name, check) =>
			name in given ? read('message', () => check(given[name])) : read(name, check);
		// WhatsApp rejects line breaks in the variables of a template.
		const replacing = { ...options, attributeLineBreaks: 'replace' } as const;
		return { ...operation.toMessage(recipient, filled, replacing), question };
	},
});

export const sendAndWait = askBy(sendText, (message, link) => ({ text: `${message}\n${link}` }));

export const askByTemplate = askBy(sendTemplate, (message, link, read) => {
	const content = read('templateContent', templateContent.check);
	const values = content === 'linkOnly' ? [link] : [message, link];
	const attribute = values.map((value) => ({ value }));
	return { specifyAttributes: 'fields', attributes: { attribute }, headerMedia: {} };
});

function questionOf(read: ReadField, { responsePage: texts = PAGE_TEXTS }: MessageOptions) {
	const message = read('message', (value) => pageText(value).trim());
	const type = read('responseType', responseType.check);
	if (type === 'freeText') return { message, type, texts };
	const labels = type === 'choice' ? choiceLabels(read) : read('approvalOptions', approvalLabels);
	return { message, type, labels, texts };
}

/** @returns the label that approves, and the one that doesn't if there is one */
function approvalLabels(collection: unknown) {
	const [values] = groupEntries(collection, 'values');
	// A value that an expression doesn't find is there, but undefined.
	const all = { ...APPROVAL, ...values };
	const isSingle = approvalType.check(all.approvalType) === 'single';
	return distinctLabels([all.approveLabel, ...(isSingle ? [] : [all.disapproveLabel])]);
}

function choiceLabels(read: ReadField) {
	const isJson = read('specifyChoices', specifyChoices.check) === 'json';
	return read(isJson ? 'choicesJson' : 'choices', (value) => {
		const given: unknown[] = isJson
			? [parsedJson(value, A_LIST)].flat()
			: groupEntries(value, 'choice').map(({ label }) => label);
		const labels = given.filter((label) => typeof label !== 'string' || !isInvisible(label));
		const isFine = labels.length >= MIN_CHOICES && labels.length <= MAX_CHOICES;
		if (isFine) return distinctLabels(labels, LEAVE_OUT);
		throw invalid`has too ${labels.length < MIN_CHOICES ? 'few' : 'many'} labels
			Enter ${MIN_CHOICES} to ${MAX_CHOICES} labels. Empty ones don't count`;
	});
}
const A_LIST = 'Write a list such as ["10:00", "11:30"], or map one, e.g. {{ $json.slots }}';
const LEAVE_OUT =
	'Enter the text of this choice in the input item. To leave a choice out, give it an empty ' +
	"text, e.g. {{ $json.slot ?? '' }}";

/** @returns the labels as they are given, which people can tell apart */
function distinctLabels(values: unknown[], emptyFix?: string) {
	const labels = values.map((value, index) =>
		checkPart(`label ${index + 1}`, () => requireIntact(pageText(value, emptyFix), 'value')),
	);
	const shown = labels.map((label) => trimmed(label.replace(/[\s\p{Cc}]+/gu, ' ')));
	const repeated = shown.find((each, index) => shown.indexOf(each) !== index);
	if (repeated === undefined) return labels;
	throw invalid`has the label ${quoteForError(repeated)} twice
		Give each button a label of its own`;
}
