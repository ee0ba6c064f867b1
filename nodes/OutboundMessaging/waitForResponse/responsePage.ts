import { type Field, groupEntries, field, group } from '../parameters/field';
import { checkPart, invalid, quoteForError } from '../validation/invalidValue';
import { trimmed } from '../common/text';
import { type PageTexts, PAGE_TEXTS, pageText } from './question';

const TEXTS: Array<[keyof PageTexts, label: string, description: string, more?: Partial<Field>]> = [
	['title', 'Title', "Who asks, e.g. your shop's name. It's the heading of the page."],
	['description', 'Description', 'What to say below the message', { typeOptions: { rows: 3 } }],
	['buttonLabel', 'Button Label', 'The button that sends a free text'],
	['deadlineMessage', 'Deadline', "What comes before the end of 'Limit Wait Time'"],
	['completionMessage', 'Completion', 'What comes before the answer, once it is given'],
	['invalidMessage', 'Invalid Answer', "What to say after something that isn't an answer"],
	[
		'closedMessage',
		'Closed Question',
		'What to say if the link is for an answered or an earlier question',
	],
	['language', 'Language', 'The code of the language of the message and these texts, e.g. pt-BR'],
];

export const responsePage = group(
	'Response Page',
	'The texts of the page that the link opens, e.g. in the language of the person who answers',
	'Texts',
	Object.fromEntries(
		TEXTS.map(([name, label, description, more]) => {
			return [name, field(label, description, { default: PAGE_TEXTS[name], ...more })];
		}),
	),
	{
		default: { texts: PAGE_TEXTS },
		off: PAGE_TEXTS,
		holds: 'text',
		check: pageTexts,
	},
);

/** @throws InvalidValue */
function pageTexts(value: unknown): PageTexts {
	const given = { ...PAGE_TEXTS, ...groupEntries(value, 'texts')[0] };
	const checked = TEXTS.map(([name, label]) => {
		const check = name === 'language' ? languageTag : pageText;
		// Customers without a language get the default.
		const canBeEmpty = PAGE_TEXTS[name] === '' || name === 'language';
		if (canBeEmpty && [null, ''].includes(given[name])) return [name, PAGE_TEXTS[name]];
		return [name, checkPart(label.toLowerCase(), () => check(given[name]))];
	});
	return Object.fromEntries(checked) as PageTexts;
}

/**
 * A language as BCP 47 writes it, in the usual spelling of its tag, e.g. `pt-BR`; given with
 * hyphens or underscores.
 */
export function languageTag(value: unknown): string {
	const tag = trimmed(pageText(value));
	try {
		const locale = new Intl.Locale(tag.replaceAll('_', '-'));
		// "german" is well-formed, so languages are looked up. Those with three letters aren't: no
		// list has them all.
		if (locale.language.length === 3 || NAMES.of(locale.language)) return String(locale);
	} catch {
		// As wrong as an unknown one.
	}
	throw invalid`is ${quoteForError(tag)}, which isn't a language code
		Enter a code such as en, de or pt-BR`;
}
const NAMES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
