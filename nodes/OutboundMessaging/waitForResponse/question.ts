import type { INodeExecutionData } from 'n8n-workflow';

export const QUESTION_PARAMETER = 'question';

export const LONGEST_ANSWER = 10_000;

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
	/** The texts of the buttons. The first one of an approval approves; without any, the person types. */
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
