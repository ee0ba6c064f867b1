import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { isObject } from '../isObject';

/** What the page asks: fixed before the message is sent. */
export interface Question {
	message: string;
	/** One of them is the answer; without them, the person types. */
	buttons?: Button[];
}

export interface Button {
	label: string;
	/** What comes out if it's pressed. */
	data: IDataObject;
}

/** A question that was sent. */
export interface OpenQuestion extends Question {
	/** Tells it from the other questions of the execution, whose links n8n takes for it. */
	id: string;
	/** The message's record. */
	record: IDataObject;
	pairedItem: INodeExecutionData['pairedItem'];
}

/** What n8n keeps while it waits, and puts out when the time is up. Only the `json` goes on in the workflow. */
export interface WaitingItem extends INodeExecutionData {
	openQuestion: string;
}

/** The parameter of the link that names its question. */
export const QUESTION_PARAMETER = 'question';

/** The longest text that a person can answer with, in characters. */
export const LONGEST_ANSWER = 2000;

/** An answer as the page shows it, and what comes out. */
export interface Answer {
	shown: string;
	data: IDataObject;
}

/**
 * What a person answered.
 * @param body what n8n made of the form that the page sent
 * @returns undefined if it isn't an answer to this question
 */
export function readAnswer({ buttons }: Question, body: unknown): Answer | undefined {
	const value = isObject(body) ? body.answer : undefined;
	if (typeof value !== 'string') return undefined;
	if (buttons) {
		const button = buttons.find(({ label }) => label === value);
		return button && { shown: button.label, data: button.data };
	}
	// A form sends every line break as two characters.
	const text = value.replace(/\r\n?/g, '\n').trim();
	const isAnswer = text !== '' && text.length <= LONGEST_ANSWER;
	return isAnswer ? { shown: text, data: { text } } : undefined;
}
