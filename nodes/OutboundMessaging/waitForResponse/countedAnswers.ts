import { sleep } from 'n8n-workflow';

const MOST_KEPT = 1000;
/**
 * How long a second press waits until n8n has taken the first one: with a concurrency limit, that
 * can be very long.
 */
const VERDICT_MS = 3000;

interface Answer {
	/** What the page has on which it was given: no one else's has it. */
	token: unknown;
	/** What the person sees who gave it. */
	page: string;
	/** What n8n answers them with. */
	response: { headersSent: boolean; writableEnded: boolean; statusCode: number };
}

/**
 * Whether n8n has taken or rejected an answer. If the person has closed the page, its response has
 * no headers, but ends.
 */
const isJudged = ({ response }: Answer) => response.headersSent || response.writableEnded;

/**
 * Which answer of a question counted, in this process: n8n would continue the execution with the
 * second tap of two as well.
 */
export class CountedAnswers {
	private readonly answers = new Map<string, Answer>();

	/** @returns undefined if none was given, or n8n rejected it */
	get(question: string): Answer | undefined {
		const answer = this.answers.get(question);
		const isRejected = answer && isJudged(answer) && answer.response.statusCode >= 400;
		return isRejected ? undefined : answer;
	}

	/** The next answer counts if n8n rejects this one. */
	add(question: string, given: Answer) {
		this.answers.set(question, given);
		// Only one that n8n has judged: others may still wait in n8n's queue.
		const oldest = [...this.answers].find(([, answer]) => isJudged(answer));
		if (oldest && this.answers.size > MOST_KEPT) this.answers.delete(oldest[0]);
	}

	/** The answer that counted. @returns undefined if n8n rejected it in the meantime */
	async awaitVerdict(question: string): Promise<Answer | undefined> {
		const end = Date.now() + VERDICT_MS;
		const answer = this.get(question);
		while (answer && !isJudged(answer) && Date.now() < end) await sleep(50);
		return this.get(question);
	}
}
