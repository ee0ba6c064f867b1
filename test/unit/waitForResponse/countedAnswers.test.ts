import { CountedAnswers } from '../../../nodes/OutboundMessaging/waitForResponse/countedAnswers';

beforeAll(() => jest.useFakeTimers());
afterAll(() => jest.useRealTimers());

const MINUTE = 60_000;
const pending = () => ({ headersSent: false, writableEnded: false, statusCode: 200 });
const add = (answers: CountedAnswers, question: string, response = pending()) => {
	answers.add(question, `page of ${question}`, response);
	return response;
};
it('is kept for minutes after n8n has taken it, and for as long as n8n has not', () => {
	const answers = new CountedAnswers();
	const waits = add(answers, 'waits');
	Object.assign(add(answers, 'taken'), { headersSent: true });
	const kept = () => ['waits', 'taken'].filter((each) => answers.has(each));
	const later = (minutes: number) => {
		jest.advanceTimersByTime(minutes * MINUTE);
		add(answers, String(minutes));
		return kept();
	};
	expect([kept(), later(4), later(2)]).toEqual([['waits', 'taken'], ['waits', 'taken'], ['waits']]);
	expect(later(600)).toEqual(['waits']);
	Object.assign(waits, { headersSent: true });
	expect([kept(), later(6)]).toEqual([['waits'], []]);
});

it('the oldest that n8n has taken go when there are very many', () => {
	const answers = new CountedAnswers();
	for (let each = 0; each <= 1000; each++) {
		answers.add(String(each), '', { ...pending(), headersSent: each > 0 });
	}
	const kept = ['0', '1', '2', '1000'].filter((each) => answers.has(each));
	expect(kept).toEqual(['0', '2', '1000']);
});

it('a second press waits for n8n three seconds at most, and sees what the first one saw unless n8n rejected that', async () => {
	const answers = new CountedAnswers();
	const [taken, rejected] = ['taken', 'rejected', 'waits'].map((each) => add(answers, each));
	const seen: unknown[] = [];
	for (const each of ['waits', 'rejected', 'taken'])
		void answers.page(each).then((page) => seen.push(page));
	await jest.advanceTimersByTimeAsync(1000);
	Object.assign(taken, { headersSent: true });
	Object.assign(rejected, { headersSent: true, statusCode: 400 });
	await jest.advanceTimersByTimeAsync(100);
	expect(seen).toEqual([undefined, 'page of taken']);
	await jest.advanceTimersByTimeAsync(2000);
	expect(seen).toEqual([undefined, 'page of taken', 'page of waits']);
});
