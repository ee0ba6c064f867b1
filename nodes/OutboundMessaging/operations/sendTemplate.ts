import { attributesFromJson, attributesFromList } from '../validation/attributes';
import { identifier } from '../validation/text';
import { mediaType, mediaUrl } from '../validation/media';
import { filledTemplate } from '../validation/templateText';
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
import { PHONE, PUBLIC_FILE } from './recipientFields';

/**
 * "Variable 2: Friday", where the editor shows titles. It is found by the value, because the number
 * that n8n keeps for an item says when it was added, and stays when the item is moved. It only
 * tells apart those without a value.
 */
const ATTRIBUTE_TITLE = `={{ (({ value: mine, index }, all) => {
	const text = (item) => String(item?.value ?? '');
	const equal = all.flatMap((item, at) => (text(item) === text(mine) ? [at + 1] : []));
	const position = equal.includes(index + 1) ? index + 1 : equal.join(' or ');
	const shown = text(mine).replace(/^=/, '');
	return 'Variable ' + position + (shown && ': ' + shown);
})($collection.item, $rawParameter.attributes.attribute) }}`;

/** The template and its recipient, for every message that is one. */
export const templateFields = {
	templateId: requiredText(
		'Template ID',
		"The ID of the approved template, from the service's dashboard",
		'order_confirmation',
	),
	channelId: requiredText(
		'Channel ID',
		"The ID of the WhatsApp channel to send from, from the service's dashboard",
		'1024',
	),
	customerPhone: requiredText(
		'Customer Phone',
		"The customer's phone number, with a plus sign and the country code (or set " +
			"'Default Country' under Options)",
		'+15550100200',
		{ takes: 'a phone number with a plus sign and the country code, e.g. +15550100200' },
	),
};

const specifyAttributes = specify(
	'Attributes',
	'How to enter the values for the variables of the template',
	'Add one field for each variable of the template',
	'Enter or map all values at once, as an object or a list',
);
const attributes = group(
	'Attributes',
	"The values for the template's variables: the first one fills {{1}}, the second " +
		'one {{2}}, and so on',
	'Attribute',
	{
		value: field('Value', 'The text that takes the place of this variable', {
			placeholder: 'e.g. Ada',
		}),
	},
	{
		typeOptions: {
			multipleValues: true,
			sortable: true,
			fixedCollection: { itemTitle: ATTRIBUTE_TITLE },
		},
		placeholder: 'Add Attribute',
		holds: 'text',
		takes: "a text of one line that isn't empty",
	},
);
const attributesJson = field(
	'Attributes (JSON)',
	'An object with the positions as keys, e.g. {"1": "Ada", "2": "Friday"}, or a list, ' +
		'e.g. ["Ada", "Friday"]',
	{
		holds: 'text',
		takes: 'JSON with the positions as keys, e.g. {"1": "Ada", "2": "Friday"}',
		type: 'json',
		default: '{}',
		placeholder: 'e.g. {"1": "Ada", "2": "Friday"}',
	},
);
const headerType = list(
	'Type',
	'The kind of media of the approved header',
	{ audio: 'Audio', document: 'Document', image: 'Image', video: 'Video' },
	{ default: 'image' },
);
const headerMedia = group(
	'Header Media',
	'The file for the header of the template, if that is an image, audio, video or document',
	'Media',
	{
		type: headerType,
		url: field('URL', 'The public URL of the file, which opens without signing in', {
			placeholder: 'e.g. https://example.com/header.png',
		}),
	},
	{
		holds: 'url',
		takes: `image, audio, video or document as its type, and ${PUBLIC_FILE}`,
		placeholder: 'Add Header Media',
	},
);

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
	fields: {
		...templateFields,
		specifyAttributes,
		...shownFor('specifyAttributes', 'fields', { attributes }),
		...shownFor('specifyAttributes', 'json', { attributesJson }),
		headerMedia,
	},
	toMessage(phone, read, options) {
		const required = {
			template_id: read('templateId', identifier),
			channel_id: read('channelId', identifier),
			customer_phone: phone,
		};
		const { attributes, text } = templateAttributes(read, options);
		const attachment = read('headerMedia', (value) => headerFile(value, options.isToolCall));
		return { body: { ...required, attributes, attachment }, text };
	},
};

function templateAttributes(read: ReadField, options: MessageOptions) {
	const { attributeLineBreaks, templateText } = options;
	const isJson = read('specifyAttributes', specifyAttributes.check) === 'json';
	return read(isJson ? 'attributesJson' : 'attributes', (value) => {
		const values = () => groupEntries(value, 'attribute').map((each) => each.value);
		const attributes = isJson
			? attributesFromJson(value, attributeLineBreaks)
			: attributesFromList(values(), attributeLineBreaks);
		return { attributes, text: templateText && filledTemplate(templateText, attributes) };
	});
}

function headerFile(collection: unknown, mayBeEmpty = false) {
	const [media] = groupEntries(collection, 'media');
	if (media === undefined || (mayBeEmpty && !media.url)) return undefined;
	const type = mediaType(headerType)(media.type);
	return { [type]: mediaUrl(media.url, type, true) };
}
