import {
	type TemplateAttributes,
	attributesFromJson,
	attributesFromList,
	type LineBreaks,
} from '../validation/attributes';
import { identifier } from '../validation/identifier';
import { isObject } from '../isObject';
import { checkAt } from '../validation/invalidValue';
import { mediaType, mediaUrl } from '../validation/media';
import { choiceOf } from '../validation/setting';
import { filledTemplate } from '../validation/templateText';
import type { HeaderMedia, TemplateMessage } from './wireFormat';
import { list, requiredText, text } from './field';
import type { Checked, Operation } from './operation';
import { phoneNumber } from '../validation/phone';
import { PHONE } from './recipientFields';

const HEADER_TYPES: Array<{ name: string; value: keyof HeaderMedia }> = [
	{ name: 'Audio', value: 'audio' },
	{ name: 'Document', value: 'document' },
	{ name: 'Image', value: 'image' },
	{ name: 'Video', value: 'video' },
];

const ATTRIBUTE_SOURCES = [
	{
		name: 'Using Fields Below',
		value: 'fields',
		description: 'Add one field for each variable of the template',
	},
	{
		name: 'Using JSON',
		value: 'json',
		description: 'Enter or map all values at once, as an object or a list',
	},
];

/**
 * "Variable 2: Friday", where the editor shows titles. It is found by the value, because the number that n8n keeps for
 * an item says when it was added, and stays when the item is moved; equal values name all their positions.
 */
const ATTRIBUTE_TITLE = `={{ ((mine, all) => {
	const text = (item) => String(item?.value ?? '');
	const positions = all.flatMap((item, index) => (text(item) === text(mine) ? [index + 1] : []));
	const shown = text(mine).replace(/^=/, '');
	return 'Variable ' + positions.join(' or ') + (shown && ': ' + shown);
})($collection.item.value, $rawParameter.attributes.attribute) }}`;

/** A pre-approved WhatsApp template to a phone number (specification 4.1). */
export const sendTemplate: Operation = {
	option: {
		name: 'Send WhatsApp Template Message',
		value: 'sendTemplate',
		action: 'Send WhatsApp template message',
		description: 'Send a pre-approved WhatsApp template to a phone number',
	},
	subtitle: 'Send WhatsApp template',
	path: '/stable/open/whatsapp/send-template-message',
	recipientField: PHONE,
	properties: [
		requiredText(
			'Template ID',
			'templateId',
			'order_confirmation',
			"The ID of the approved template to send. You find it in the service's dashboard.",
		),
		requiredText(
			'Channel ID',
			'channelId',
			'1024',
			"The ID of the WhatsApp channel that the message is sent from. You find it in the service's dashboard.",
		),
		requiredText(
			'Customer Phone',
			'customerPhone',
			'+15550100200',
			"The customer's phone number, with a plus sign and the country code (or set 'Default Country' under Options). Spaces, dots, hyphens, brackets and a slash after the area code are fine.",
		),
		{
			...list(
				'Specify Attributes',
				'specifyAttributes',
				ATTRIBUTE_SOURCES,
				'How to enter the values for the variables of the template',
			),
			noDataExpression: true,
		},
		{
			displayName: 'Attributes',
			name: 'attributes',
			type: 'fixedCollection',
			typeOptions: {
				multipleValues: true,
				sortable: true,
				multipleValueButtonText: 'Add Attribute',
				fixedCollection: { itemTitle: ATTRIBUTE_TITLE },
			},
			displayOptions: { show: { specifyAttributes: ['fields'] } },
			default: {},
			placeholder: 'Add Attribute',
			description:
				'The values for the variables of the template, in their order: the first one fills {{1}}, the second one {{2}}, and so on. Leave empty if the template has no variables.',
			options: [
				{
					displayName: 'Attribute',
					name: 'attribute',
					values: [
						{
							...text('Value', 'value', '', 'The text that takes the place of this variable'),
							placeholder: 'e.g. Ada',
						},
					],
				},
			],
		},
		{
			displayName: 'Attributes (JSON)',
			name: 'attributesJson',
			type: 'json',
			displayOptions: { show: { specifyAttributes: ['json'] } },
			default: '{}',
			placeholder: 'e.g. {"1": "Ada", "2": "Friday"}',
			description:
				'The values for the variables of the template: an object with the positions as keys, e.g. {"1": "Ada", "2": "Friday"}, or a list in their order, e.g. ["Ada", "Friday"].',
		},
		{
			displayName: 'Header Media',
			name: 'headerMedia',
			type: 'fixedCollection',
			default: {},
			placeholder: 'Add Header Media',
			description:
				'The file for the header of the template. Needed only if the template has an image, audio, video or document header.',
			options: [
				{
					displayName: 'Media',
					name: 'media',
					values: [
						{
							...list('Type', 'type', HEADER_TYPES, 'The kind of media of the approved header'),
							default: 'image',
						},
						{
							...text(
								'URL',
								'url',
								'',
								'The public URL of the file, which opens without signing in',
							),
							placeholder: 'e.g. https://example.com/header.png',
						},
					],
				},
			],
		},
	],
	toMessage(checked, { attributeLineBreaks, templateText, defaultCountry, isToolCall } = {}) {
		const customerPhone = checked('customerPhone', (value) => phoneNumber(value, defaultCountry));
		const body: TemplateMessage = {
			template_id: checked('templateId', identifier),
			channel_id: checked('channelId', identifier),
			customer_phone: customerPhone,
		};
		const { attributes, text } = templateAttributes(checked, attributeLineBreaks, templateText);
		if (attributes !== undefined) body.attributes = attributes;
		const attachment = checked('headerMedia', (value) => headerMedia(value, isToolCall));
		if (attachment !== undefined) body.attachment = attachment;
		return { recipient: customerPhone, body, text };
	},
};

/** The values of the variables, and the text with them in it. */
function templateAttributes(
	checked: Checked,
	lineBreaks: LineBreaks | undefined,
	templateText: string | undefined,
) {
	const filled = (attributes: TemplateAttributes | undefined) => ({
		attributes,
		text: templateText && filledTemplate(templateText, attributes),
	});
	const source = checked('specifyAttributes', choiceOf(ATTRIBUTE_SOURCES));
	return source === 'json'
		? checked('attributesJson', (value) => filled(attributesFromJson(value, lineBreaks)))
		: checked('attributes', (value) => filled(attributesFromList(fieldValues(value), lineBreaks)));
}

/** The collection's entries, in the order the user gave them. */
function fieldValues(collection: unknown): unknown[] {
	const entries = isObject(collection) ? collection.attribute : undefined;
	return Array.isArray(entries) ? entries.map((entry) => entry?.value) : [];
}

function headerMedia(collection: unknown, mayBeEmpty = false): HeaderMedia | undefined {
	const media = isObject(collection) ? collection.media : undefined;
	if (!isObject(media) || (mayBeEmpty && !media.url)) return undefined;
	const type = checkAt('media.type', () => mediaType(HEADER_TYPES)(media.type));
	return { [type]: checkAt('media.url', () => mediaUrl(media.url, type, true)) };
}
