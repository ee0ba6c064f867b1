import { CountedAnswers } from '../../../nodes/OutboundMessaging/waitForResponse/countedAnswers';

beforeAll(() => jest.useFakeTimers());
afterAll(() => jest.useRealTimers());

const pending = () => ({ headersSent: false, writableEnded: false, statusCode: 200 });
const add = (answers: CountedAnswers, question: string, response = pending()) => {
	answers.add(question, { token: '', page: `page of ${question}`, response });
	return response;
};
it('the oldest that n8n has taken go when there are very many', () => {
	const answers = new CountedAnswers();
	for (let each = 0; each <= 1000; each++) {
		add(answers, String(each), { ...pending(), headersSent: each > 0 });
	}
	expect(['0', '1', '2', '1000'].filter((each) => answers.get(each))).toEqual(['0', '2', '1000']);
});

it('a second press waits three seconds at most, and sees what the first one saw', async () => {
	const answers = new CountedAnswers();
	const [taken, rejected] = ['taken', 'rejected', 'waits'].map((each) => add(answers, each));
	const seen: unknown[] = [];
	for (const each of ['waits', 'rejected', 'taken'])
		void answers.awaitVerdict(each).then((answer) => seen.push(answer?.page));
	await jest.advanceTimersByTimeAsync(1000);
	Object.assign(taken, { headersSent: true });
	Object.assign(rejected, { headersSent: true, statusCode: 400 });
	await jest.advanceTimersByTimeAsync(100);
	expect(seen).toEqual([undefined, 'page of taken']);
	await jest.advanceTimersByTimeAsync(2000);
	expect(seen).toEqual([undefined, 'page of taken', 'page of waits']);
});
