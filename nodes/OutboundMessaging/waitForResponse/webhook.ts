import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

import type {
	IDataObject,
	IWebhookDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { isObject } from '../common/isObject';
import { isInvisible } from '../common/text';
import { CountedAnswers } from './countedAnswers';
import { answeredPage, closedPage, PAGE_HEADERS, questionPage, tooLongNote } from './page';
import {
	type OpenQuestion,
	type Question,
	LONGEST_ANSWER,
	QUESTION_PARAMETER,
	isFarTooLong,
} from './question';

/** How n8n finds the page, as its own nodes that wait for an answer have it. */
export const answerWebhooks = (['GET', 'POST'] as const).map(
	(httpMethod): IWebhookDescription => ({
		name: 'default',
		httpMethod,
		responseMode: 'onReceived',
		responseData: '',
		path: '={{ $nodeId }}',
		restartWebhook: true,
		isFullPath: true,
	}),
);

/**
 * Shows the page, and takes the answer. It never throws: n8n would continue the execution
 * with that as well.
 */
export async function answerQuestion(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	return await respond(context).catch(() => {
		// Browsers have a page of their own for it, in the person's language.
		context.getResponseObject().status(500).end();
		return { noWebhookResponse: true };
	});
}

const counted = new CountedAnswers();

/**
 * What whoever opens the link, or presses a button on its page, sees:
 *
 * request                                        is open  page
 * a press after the counted one, on its page     any      its answer, also while the next question
 *                                                         of a loop is open
 * a press after the counted one, on another page any      closed
 * any other                                      no       closed
 * opened, e.g. by a preview, or pressed after    yes      the question
 * one that n8n rejected
 * the first press                                yes      a note, or its answer, which counts
 *
 * Two presses can come together: from `counted.get` to `counted.add`, the first one awaits nothing.
 */
async function respond(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const { query, method, headers, body } = context.getRequestObject();
	const response = context.getResponseObject();
	for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);

	const pressed = String(query[QUESTION_PARAMETER]);
	// The webhook has nothing but n8n's expressions to read what the execution keeps.
	const stored = context.evaluateExpression('{{ $input.item.openQuestion }}', 0);
	const { id, json, pairedItem, ...question } = JSON.parse(String(stored)) as OpenQuestion;
	const isForm = /^application\/x-www-form-urlencoded\b/i.test(String(headers['content-type']));
	const { answer: given, token }: IDataObject = isForm && isObject(body) ? body : {};

	const questionName = `${context.getExecutionId()} ${pressed}`;
	const first = method === 'POST' ? counted.get(questionName) : undefined;
	// Only a second press waits.
	const countedAnswer = first && (await counted.awaitVerdict(questionName));
	const isWhoAnswered = countedAnswer && token && token === countedAnswer.token;
	if (isWhoAnswered) return { webhookResponse: countedAnswer.page };

	const isOpen = timingSafeEqual(digest(pressed), digest(id));
	if (countedAnswer || !isOpen) return { webhookResponse: closedPage(question.texts) };

	const newToken = randomBytes(16).toString('base64url');
	if (method !== 'POST' || first) return { webhookResponse: questionPage(question, newToken) };

	const answer = readAnswer(question, given);
	if ('note' in answer) {
		return { webhookResponse: questionPage(question, newToken, answer.note, given) };
	}

	const data = { ...answer.data, respondedAt: new Date().toISOString() };
	const webhookResponse = answeredPage(question, answer.text);
	counted.add(questionName, { token, page: webhookResponse, response });
	return { webhookResponse, workflowData: [[{ json: { data, ...json }, pairedItem }]] };
}

/** A digest always has the same length, as `timingSafeEqual` asks. */
const digest = (text: string) => hash('sha256', text, 'buffer');

/** What a person answered, or a note that says why it isn't an answer to this question. */
export function readAnswer({ type, labels, texts }: Question, value: unknown) {
	const notAnswer = { note: texts.invalidMessage };
	if (labels) {
		// A label can look the same and be another text after its way through a form.
		const choiceIndex = labels.findIndex((_, index) => String(index) === value);
		if (choiceIndex < 0) return notAnswer;
		const choice = labels[choiceIndex];
		const approved = choiceIndex === 0;
		return { text: choice, data: type === 'approval' ? { approved } : { choice, choiceIndex } };
	}
	if (typeof value !== 'string') return notAnswer;
	const tooLong = ({ length }: string) => ({ note: tooLongNote(length, texts.language) });
	if (isFarTooLong(value)) return tooLong(value);
	if (isInvisible(value)) return notAnswer;
	// A form sends every line break as two characters.
	const text = value.replace(/\r\n/g, '\n').trim();
	return text.length > LONGEST_ANSWER ? tooLong(text) : { text, data: { text } };
}
