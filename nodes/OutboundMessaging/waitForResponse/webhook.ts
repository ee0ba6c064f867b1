import type { IWebhookDescription, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { isObject } from '../common/isObject';
import { isInvisible } from '../validation/whitespace';
import { answeredPage, closedPage, PAGE_HEADERS, questionPage } from './page';
import { type OpenQuestion, type Question, LONGEST_ANSWER, QUESTION_PARAMETER } from './question';

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
 * Shows the page, and takes the answer. Nothing but an answer continues the execution, and it never throws: n8n would
 * continue the execution with that as well.
 */
export async function answerQuestion(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		return respond(context);
	} catch {
		// Browsers have a page of their own for it, in the person's language.
		context.getResponseObject().status(500).end();
		return { noWebhookResponse: true };
	}
}

function respond(context: IWebhookFunctions): IWebhookResponseData {
	const { query, method, headers, body } = context.getRequestObject();
	const response = context.getResponseObject();
	for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);

	// The webhook has nothing but n8n's expressions to read what the execution keeps.
	const stored = context.evaluateExpression('{{ $input.item.openQuestion }}', 0);
	const { id, json, pairedItem, ...question } = JSON.parse(String(stored)) as OpenQuestion;
	if (query[QUESTION_PARAMETER] !== id) return { webhookResponse: closedPage(question.texts) };
	// Previews open every link: only a button that a person presses sends a form.
	if (method !== 'POST') return { webhookResponse: questionPage(question) };
	const isForm = /^application\/x-www-form-urlencoded\b/i.test(String(headers['content-type']));
	const sent = { answer: isForm && isObject(body) ? body.answer : undefined };
	const answer = readAnswer(question, sent.answer);
	if (answer === undefined) return { webhookResponse: questionPage(question, sent) };

	const data = { ...answer.data, respondedAt: new Date().toISOString() };
	return {
		webhookResponse: answeredPage(question, answer.text),
		workflowData: [[{ json: { data, ...json }, pairedItem }]],
	};
}

/**
 * What a person answered.
 * @returns undefined if it isn't an answer to this question
 */
export function readAnswer({ type, labels }: Question, value: unknown) {
	if (typeof value !== 'string') return undefined;
	// A form sends every line break as two characters.
	const text = value.replace(/\r\n/g, '\n').trim();
	const isAnswer = labels?.includes(text) ?? (!isInvisible(text) && text.length <= LONGEST_ANSWER);
	if (!isAnswer) return undefined;
	if (type === 'approval') return { text, data: { approved: text === labels?.[0] } };
	return { text, data: { [type === 'choice' ? type : 'text']: text } };
}
