import { type IWebhookFunctions, sleep } from 'n8n-workflow';

/** After n8n has taken an answer. A press that n8n has read before that comes within seconds. */
const KEPT_MS = 5 * 60_000;
const MOST_KEPT = 1000;
/** How long a second press waits until n8n has taken the first one: with a concurrency limit, that can be very long. */
const VERDICT_MS = 3000;

/** What n8n answers the person with; once it has begun, its status is final. */
type Response = Pick<
	ReturnType<IWebhookFunctions['getResponseObject']>,
	'headersSent' | 'writableEnded' | 'statusCode'
>;
interface Counted {
	page: string;
	response: Response;
	/** When it was noticed that n8n has continued the execution. */
	takenAt?: number;
}

/** Which answer of a question counted, in this process: n8n would continue the execution with the second tap of two as well. */
export class CountedAnswers {
	private readonly answers = new Map<string, Counted>();

	has(question: string): boolean {
		return this.update(question) !== undefined;
	}

	/** The next answer counts if n8n rejects this one. */
	add(question: string, page: string, response: Response): void {
		for (const each of this.answers.keys()) {
			// n8n has the requests of the others in a queue, and keeps them, too.
			const { takenAt = Infinity } = this.update(each) ?? {};
			const most = this.answers.size < MOST_KEPT ? KEPT_MS : 0;
			if (Date.now() - takenAt >= most) this.answers.delete(each);
		}
		this.answers.set(question, { page, response });
	}

	/** What the person saw whose answer counted. @returns undefined if n8n rejected it in the meantime */
	async page(question: string): Promise<string | undefined> {
		const end = Date.now() + VERDICT_MS;
		const isPending = (answer = this.update(question)) => answer && !answer.takenAt;
		while (isPending() && Date.now() < end) await sleep(50);
		return this.update(question)?.page;
	}

	/** Brings what is kept of a question up to date with n8n's response. */
	private update(question: string): Counted | undefined {
		const answer = this.answers.get(question);
		// If the person has closed the page meanwhile, n8n's response has no headers, but ends.
		if (!answer?.response.headersSent && !answer?.response.writableEnded) return answer;
		if (answer.response.statusCode >= 400) this.answers.delete(question);
		answer.takenAt ??= Date.now();
		return this.answers.get(question);
	}
}
