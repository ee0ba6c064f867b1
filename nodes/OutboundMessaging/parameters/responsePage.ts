import { isObject } from '../common/isObject';
import { type Field, field, group } from '../operations/field';
import { checkPart } from '../validation/invalidValue';
import { languageTag } from '../validation/language';
import { messageText } from '../validation/text';
import { type PageTexts, PAGE_TEXTS } from '../waitForResponse/question';

const text = (name: keyof PageTexts, label: string, description: string, more?: Partial<Field>) =>
	[name, field(label, description, { default: PAGE_TEXTS[name], ...more })] as const;

const texts = [
	text('title', 'Title', "Who asks, e.g. your shop's name. It's the heading of the page."),
	text('description', 'Description', 'What to say below the message', { typeOptions: { rows: 3 } }),
	text('buttonLabel', 'Button Label', 'The button that sends a free text'),
	text('deadlineMessage', 'Deadline Message', "What comes before the end of 'Limit Wait Time'"),
	text('completionMessage', 'Completion Message', 'What comes before the answer, once it is given'),
	text('invalidMessage', 'Invalid Message', "What to say after something that isn't an answer"),
	text('closedMessage', 'Closed Message', 'What to say if the link is for an earlier question'),
	text(
		'language',
		'Language',
		'The code of the language of the message and of these texts, for dates, screen readers and the direction of writing',
		{ placeholder: 'e.g. pt-BR' },
	),
];

/** What the page says besides the question, in the words of whoever asks. */
export const responsePage = {
	...group(
		'Response Page',
		'The texts of the page that the link opens, e.g. in the language of the person who answers',
		'Texts',
		Object.fromEntries(texts),
		{
			displayOptions: { show: { '/operation': ['sendAndWait'] } },
			default: { texts: PAGE_TEXTS },
		},
	),
	check: pageTexts,
};

/** @throws InvalidValue */
function pageTexts(value: unknown): PageTexts {
	const given = { ...PAGE_TEXTS, ...(isObject(value) && isObject(value.texts) && value.texts) };
	const checked = texts.map(([name, { displayName }]) => {
		const check = name === 'language' ? languageTag : messageText;
		// A title and a description can be left out.
		const isLeftOut = PAGE_TEXTS[name] === '' && given[name] === '';
		return [name, isLeftOut ? '' : checkPart(displayName.toLowerCase(), () => check(given[name]))];
	});
	return Object.fromEntries(checked) as PageTexts;
}
