import type { INodeExecutionData } from 'n8n-workflow';

/**
 * In the place of the link until the message is sent. Each execution has a link of its own, but a message that is sent
 * again is the same message: what recognizes it must not see the link.
 */
export const SAMPLE_LINK = 'https://n8n.example.com/webhook-waiting/answer';

/** The parameter of the link that names its question. */
export const QUESTION_PARAMETER = 'question';

/** The longest text that a person can answer with, in characters. */
export const LONGEST_ANSWER = 2000;

/** What the page asks: fixed before the message is sent. */
export interface Question {
	message: string;
	type: 'approval' | 'choice' | 'freeText';
	/** Of the buttons: the first one of an approval approves. Without them, the person types. */
	labels?: string[];
}

/** A question that was sent: what the page needs, and what is put out with the answer. */
export interface OpenQuestion extends Question, Pick<INodeExecutionData, 'json' | 'pairedItem'> {
	/** Tells it from the other questions of the execution, whose links n8n takes for it. */
	id: string;
}
