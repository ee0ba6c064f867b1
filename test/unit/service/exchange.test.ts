import { cancelDeadline, exchange } from '../../../nodes/OutboundMessaging/service/exchange';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const pass = async (seconds: number) => await jest.advanceTimersByTimeAsync(seconds * 1000);

it('each request has its own time, n8n a second more, a canceled one 5 at most', async () => {
	/** When each request was aborted and given up, in seconds. */
	const log: string[] = [];
	const begin = performance.now();
	const note = (what: string) =>
		log.push(`${what} at ${Math.round((performance.now() - begin) / 100) / 10}`);
	let isCanceled = false;
	const canceledUntil = cancelDeadline(() => isCanceled);
	/** One of 9.9 seconds, which n8n hands back at once or never. */
	const start = (name: string, response = new Promise<{ body: string }>(() => {})) => {
		const request = async (signal: AbortSignal) => {
			signal.addEventListener('abort', () => note(`${name} aborted`));
			return await response;
		};
		void exchange('http://a.example', 9_900, request, canceledUntil).then((result) => {
			if (result.noResponse) note(`${name} given up: ${result.noResponse.code}`);
		});
	};

	start('a');
	await pass(7);
	start('b');
	start('c', Promise.resolve({ body: '' }));
	expect(jest.getTimerCount()).toBe(3);
	await pass(68);
	expect(log).toEqual([
		...['a aborted at 9.9', 'a given up: ECONNABORTED at 10.9'],
		...['b aborted at 16.9', 'b given up: ECONNABORTED at 17.9'],
	]);
	expect(jest.getTimerCount()).toBe(0);

	start('d');
	await pass(7);
	start('e');
	isCanceled = true;
	await pass(60);
	expect(log.slice(4)).toEqual([
		...['d aborted at 84.9', 'd given up: ERR_CANCELED at 85.9'],
		expect.stringMatching(/^e aborted at 87(\.[1-3])?$/),
		expect.stringMatching(/^e given up: ERR_CANCELED at 88(\.[1-3])?$/),
	]);
});
