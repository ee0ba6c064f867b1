import type { INodeExecutionData } from 'n8n-workflow';

import { invalid } from '../validation/invalidValue';
import { messageText } from '../validation/text';

export const QUESTION_PARAMETER = 'question';

export const LONGEST_ANSWER = 10_000;

/**
 * Whether a text is so long that the page neither reads nor shows it: n8n would be
 * blocked meanwhile.
 */
export const isFarTooLong = ({ length }: string) => length > 4 * LONGEST_ANSWER;

/** A text for the page, as messages take it. @throws InvalidValue */
export function pageText(value: unknown, emptyFix?: string): string {
	if (typeof value !== 'string' || !isFarTooLong(value)) return messageText(value, emptyFix);
	throw invalid`has over 40,000 characters, more than the page of a question shows
		Shorten it, or put a link to the whole text in it`;
}

/** What the page says besides the question, unless the user has other words. */
export const PAGE_TEXTS = {
	title: '',
	description: '',
	buttonLabel: 'Send',
	deadlineMessage: 'Answer by:',
	completionMessage: 'Thank you. Your answer:',
	invalidMessage: "That wasn't an answer to this question. Answer again.",
	closedMessage: "This question isn't open any more.",
	/** The language of all that the page says, as BCP 47 writes it. */
	language: 'en',
};
export type PageTexts = typeof PAGE_TEXTS;

/** What the page asks: fixed before the message is sent. */
export interface Question {
	message: string;
	type: 'approval' | 'choice' | 'freeText';
	/**
	 * The texts of the buttons. The first one of an approval approves; without any, the person types.
	 */
	labels?: string[];
	texts: PageTexts;
	/** Until when it can be answered, as people read it: known once it was sent. */
	deadline?: string;
}

/** A question that was sent: what the page needs, and what is put out with the answer. */
export interface OpenQuestion extends Question, Pick<INodeExecutionData, 'json' | 'pairedItem'> {
	/** Tells it from the other questions of the execution, whose links n8n takes for it. */
	id: string;
}
