import * as template from '../../../nodes/OutboundMessaging/validation/templateText';
import { NOTHING, refusalOf, rejects } from '../help';

/** Ten variables. */
const MANY = Array.from({ length: 10 }, (_, index) => `{{${index + 1}}}`).join();
const TEXT = 'Hi {{1}}, your table for {{ 2 }} is booked, {{1}}.';

it.each([[TEXT], ['No variables'], ['{{2}} after {{1}}'], [MANY], ['A brace { 1 } and {1}'], ['']])(
	'%j is the text of a template',
	(text) => expect(template.templateText(text)).toBe(text || undefined),
);

const APPROVED =
	'Use a template whose variables are {{1}}, {{2}}, …, and paste its text as it was approved';
it.each(['name', '0', '1a', 'a1', '$json.name', ''])('no variable is called %j', (name) => {
	const title = `has the variable "{{${name}}}", and the service can't send named variables`;
	const refusal = refusalOf(() => template.templateText(`{{1}} {{ ${name} }}`));
	expect(refusal).toEqual({ title, description: APPROVED });
	expect(refusalOf(() => template.templateText(`Hi {{${name}}}`)).title).toBe(title);
});

it.each`
	title                                       | description                                                                          | values
	${'has no variable {{2}}, but a later one'} | ${"Paste the template's text as it was approved: its variables are {{1}}, {{2}}, …"} | ${['{{1}} {{3}}']}
	${'is …, not text'}                         | ${"Paste the template's text"}                                                       | ${[5]}
	${NOTHING.title}                            | ${NOTHING.description}                                                               | ${NOTHING.values}
`('rejected as the text of a template: $title', rejects(template.templateText));

it.each([
	[TEXT, { '1': 'Ada', '2': '$1 {{1}}' }, 'Hi Ada, your table for $1 {{1}} is booked, Ada.'],
	['Hi', undefined, 'Hi'],
	['{{1}}', { '1': 'a'.repeat(1024) }, 'a'.repeat(1024)],
])('%j with %j', (text, attributes, filled) => {
	expect(template.filledTemplate(text, attributes)).toBe(filled);
});

const TOO_LONG = 'makes the text 1025 characters long, and WhatsApp takes 1024 in a template';
const ADD =
	"Add a value for each variable of the template, or correct 'Template Text' under Options";
const REMOVE =
	"Remove the value, or correct 'Template Text' under Options. It's fixed text: in an expression, n8n replaces {{1}} by 1";
it.each<[string, Record<string, string> | undefined, string, string]>([
	[TEXT, { '1': 'Ada' }, "has no value for {{2}} of 'Template Text'", ADD],
	[TEXT, undefined, "has no value for {{1}} of 'Template Text'", ADD],
	['Hi', { '1': 'Ada' }, "has a value for {{1}}, which isn't in 'Template Text'", REMOVE],
	['{{1}}', { '1': 'a'.repeat(1025) }, TOO_LONG, 'Shorten the values'],
])('%j with %j: %s', (text, attributes, title, description) => {
	expect(refusalOf(() => template.filledTemplate(text, attributes))).toEqual({
		title,
		description,
	});
});
