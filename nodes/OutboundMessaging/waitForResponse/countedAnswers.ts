import { type IWebhookFunctions, sleep } from 'n8n-workflow';

/** So long after n8n's response, no press can still have been read before the answer counted. */
const KEPT_MS = 5 * 60_000;
const MOST_KEPT = 1000;
/** How long a second press waits until n8n has taken the first one; with a concurrency limit, that can take very long. */
const PATIENCE_MS = 3000;
const LOOK_MS = 50;

/** What n8n answers the person with; once it has begun, its status is final. */
type Response = Pick<
	ReturnType<IWebhookFunctions['getResponseObject']>,
	'headersSent' | 'writableEnded' | 'statusCode'
>;
interface Counted {
	/** What the person sees who answered. */
	page: string;
	/** Missing once n8n has continued the execution. */
	response?: Response;
	/** When that was noticed. */
	takenAt?: number;
}

/**
 * Which answer of a question counted, in this process. n8n continues an execution that waits, also with an answer that it
 * has read when the execution waited for something else: without this, a double tap would continue it twice.
 */
export class CountedAnswers {
	private readonly answers = new Map<string, Counted>();

	/** @param question names it for all executions */
	has(question: string): boolean {
		return this.find(question) !== undefined;
	}

	/** The next answer counts if n8n rejects this one. */
	add(question: string, page: string, response: Response): void {
		for (const each of this.answers.keys()) {
			const { takenAt } = this.find(each) ?? {};
			// n8n keeps the others, too: it has their requests in a queue.
			if (takenAt === undefined) continue;
			const isOld = Date.now() - takenAt > KEPT_MS || this.answers.size >= MOST_KEPT;
			if (isOld) this.answers.delete(each);
		}
		this.answers.set(question, { page, response });
	}

	/**
	 * What the person saw whose answer counted.
	 * @returns undefined if n8n rejected it in the meantime
	 */
	async page(question: string): Promise<string | undefined> {
		for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
			if (!this.find(question)?.response) break;
			await sleep(LOOK_MS);
		}
		return this.find(question)?.page;
	}

	private find(question: string): Counted | undefined {
		const answer = this.answers.get(question);
		const { response } = answer ?? {};
		// If the person has closed the page meanwhile, n8n's response has no headers, but ends.
		if (!answer || !(response?.headersSent || response?.writableEnded)) return answer;
		if (response.statusCode >= 400) {
			this.answers.delete(question);
			return undefined;
		}
		return Object.assign(answer, { response: undefined, takenAt: Date.now() });
	}
}
