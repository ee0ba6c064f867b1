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
	/** When it was first seen that n8n has continued the execution. */
	takenAt?: number;
}

/** Which answer of a question counted, in this process: n8n would continue the execution with the second tap of two as well. */
export class CountedAnswers {
	private readonly answers = new Map<string, Counted>();

	has(question: string): boolean {
		this.removeOutdated();
		return this.answers.has(question);
	}

	/** The next answer counts if n8n rejects this one. */
	add(question: string, page: string, response: Response): void {
		this.removeOutdated();
		this.answers.set(question, { page, response });
	}

	/** What the person saw whose answer counted. @returns undefined if n8n rejected it in the meantime */
	async page(question: string): Promise<string | undefined> {
		const end = Date.now() + VERDICT_MS;
		const isPending = () => this.has(question) && !this.answers.get(question)?.takenAt;
		while (isPending() && Date.now() < end) await sleep(50);
		return this.answers.get(question)?.page;
	}

	/** Removes answers that n8n rejected, and those that it took long ago. */
	private removeOutdated(): void {
		for (const [question, answer] of this.answers) {
			const { headersSent, writableEnded, statusCode } = answer.response;
			// If the person has closed the page meanwhile, n8n's response has no headers, but ends. Until then, the answer may be in
			// n8n's queue.
			if (!headersSent && !writableEnded) continue;
			answer.takenAt ??= Date.now();
			const keptMs = this.answers.size <= MOST_KEPT ? KEPT_MS : 0;
			const isOld = Date.now() - answer.takenAt >= keptMs;
			if (statusCode >= 400 || isOld) this.answers.delete(question);
		}
	}
}
