import type { IWebhookDescription, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { isObject } from '../isObject';
import { notePage, PAGE_HEADERS, questionPage, thanksPage } from './page';
import type { OpenQuestion } from './question';
import { QUESTION_PARAMETER, readAnswer } from './question';

const webhook = {
	name: 'default' as const,
	responseMode: 'onReceived' as const,
	responseData: '',
	path: '={{ $nodeId }}',
	restartWebhook: true,
	isFullPath: true,
};

/** How n8n finds the page, as its own nodes that wait for an answer have it. */
export const answerWebhooks: IWebhookDescription[] = [
	{ ...webhook, httpMethod: 'GET' },
	{ ...webhook, httpMethod: 'POST' },
];

const NOT_OPEN = "This question isn't open any more.";
const NO_ANSWER = "That wasn't an answer to this question. Answer again.";

/**
 * Shows the page, and takes the answer. Nothing but an answer continues the execution, and it never throws: n8n would
 * continue the execution with that as well.
 */
export async function answerQuestion(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		return respond(context);
	} catch {
		return {
			webhookResponse: notePage("This page couldn't be shown. Open the link again."),
		};
	}
}

function respond(context: IWebhookFunctions): IWebhookResponseData {
	const request = context.getRequestObject();
	const response = context.getResponseObject();
	for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);

	const question = readQuestion(context);
	if (request.query[QUESTION_PARAMETER] !== question?.id || question === undefined) {
		return { webhookResponse: notePage(NOT_OPEN) };
	}
	// Previews open every link: only a button that a person presses sends a form.
	if (request.method !== 'POST') return { webhookResponse: questionPage(question) };
	const isForm = /^application\/x-www-form-urlencoded\b/i.test(
		request.headers['content-type'] ?? '',
	);
	const answer = isForm ? readAnswer(question, request.body) : undefined;
	if (answer === undefined) return { webhookResponse: questionPage(question, NO_ANSWER) };

	const data = { ...answer.data, respondedAt: new Date().toISOString() };
	const { record, pairedItem } = question;
	return {
		webhookResponse: thanksPage(question, answer.shown),
		workflowData: [[{ json: { data, record }, pairedItem }]],
	};
}

/** The webhook has nothing but n8n's expressions to read what the execution keeps. */
function readQuestion(context: IWebhookFunctions): OpenQuestion | undefined {
	const text = context.evaluateExpression('{{ $input.item.openQuestion }}', 0);
	const question: unknown = JSON.parse(String(text));
	return isObject(question) ? (question as unknown as OpenQuestion) : undefined;
}
