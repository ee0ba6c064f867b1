import * as template from '../../../nodes/OutboundMessaging/validation/templateText';
import { itRejects, NO_SINGLE_VALUE, refusalOf } from '../help';

const MANY = Array.from({ length: 10 }, (_, index) => `{{${index + 1}}}`).join();
const TEXT = 'Hi {{1}}, your table for {{ 2 }} is booked, {{1}}.';

it.each([[TEXT], ['No variables'], ['{{2}} after {{1}}'], [MANY], ['A brace { 1 } and {1}']])(
	'%j is the text of a template',
	(text) => expect(template.templateText(text)).toBe(text),
);

itRejects(template.templateText, {
	...Object.fromEntries(
		['name', '0', '1a', 'a1', '$json.name', ''].map((name) => [
			`has the variable "{{${name}}}", and the service can't send named variables`,
			[`{{1}} {{ ${name} }}`, `Hi {{${name}}}`],
		]),
	),
	'is …, not text': [5],
	...NO_SINGLE_VALUE,
});

it.each([
	[TEXT, { '1': 'Ada', '2': '$1 {{1}}' }, 'Hi Ada, your table for $1 {{1}} is booked, Ada.'],
	['Hi', undefined, 'Hi'],
	['{{1}}', { '1': 'a'.repeat(1024) }, 'a'.repeat(1024)],
])('%j with %j', (text, attributes, filled) => {
	expect(template.filledTemplate(text, attributes)).toBe(filled);
});

const TOO_LONG = 'makes the text 1025 characters long, and WhatsApp takes 1024 in a template';
it.each<[string, Record<string, string> | undefined, string]>([
	[TEXT, { '1': 'Ada' }, "has no value for {{2}} of 'Template Text'"],
	[TEXT, undefined, "has no value for {{1}} of 'Template Text'"],
	['Hi', { '1': 'Ada' }, "has a value for {{1}}, which isn't in 'Template Text'"],
	['{{1}}', { '1': 'a'.repeat(1025) }, TOO_LONG],
])('%j with %j: %s', (text, attributes, title) => {
	expect(refusalOf(() => template.filledTemplate(text, attributes)).title).toBe(title);
});
