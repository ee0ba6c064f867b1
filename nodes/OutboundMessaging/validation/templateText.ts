import { invalid, quoteForError, requireText } from './invalidValue';
import { everywhere } from '../common/text';

const VARIABLE = everywhere`\{\{([^{}]*)\}\}`;
/** WhatsApp takes no longer body of a template. */
const LONGEST = 1024;

/** The text of a template, with its variables `{{1}}`, `{{2}}`, … */
export function templateText(value: unknown): string {
	const text = requireText(value, 'text', "Paste the template's text");
	const named = variablesOf(text).find((name) => !(Number(name) >= 1));
	if (named === undefined) return text;
	throw invalid`has the variable ${quoteForError(`{{${named}}}`)}, and the service \
			can't send named variables
		Use a template whose variables are {{1}}, {{2}}, …, and paste its text as it was approved`;
}

/**
 * The text of a template as the customer will read it: each variable has a value, and each
 * value a variable.
 */
export function filledTemplate(text: string, attributes: Record<string, string> = {}): string {
	const names = variablesOf(text);
	const missing = names.find((name) => !(name in attributes));
	if (missing !== undefined) {
		throw invalid`has no value for {{${missing}}} of 'Template Text'
			Add a value for each variable of the template, or correct 'Template Text' under Options`;
	}
	const extra = Object.keys(attributes).find((name) => !names.includes(name));
	if (extra !== undefined) {
		throw invalid`has a value for {{${extra}}}, which isn't in 'Template Text'
			Remove the value, or correct 'Template Text' under Options. It's fixed text: in an \
				expression, n8n replaces {{1}} by 1`;
	}
	const filled = text.replace(VARIABLE, (_, name: string) => attributes[name.trim()]);
	if (filled.length <= LONGEST) return filled;
	throw invalid`makes the text ${filled.length} characters long, and WhatsApp takes \
			${LONGEST} in a template
		Shorten the values`;
}

const variablesOf = (text: string) => [
	...new Set(Array.from(text.matchAll(VARIABLE), ([, name]) => name.trim())),
];
