import { cancelDeadline, exchange } from '../../../nodes/OutboundMessaging/service/exchange';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Requests with 9.9 s each, which n8n never hands back, and when each was aborted and given up, in seconds. */
function requests() {
	const log: string[] = [];
	const begin = performance.now();
	const note = (what: string) =>
		log.push(`${what} at ${Math.round((performance.now() - begin) / 100) / 10}`);
	let isCanceled = false;
	const canceledUntil = cancelDeadline(() => isCanceled);
	const start = (name: string) => {
		let end = () => {};
		const request = async (signal: AbortSignal) => {
			signal.addEventListener('abort', () => note(`${name} aborted`));
			await new Promise<void>((resolve) => (end = resolve));
			return { statusCode: 200, body: '' };
		};
		void exchange('http://a.example', 9_900, request, canceledUntil).then((result) => {
			if (result.kind === 'failed') note(`${name} given up: ${result.code}`);
		});
		return () => end();
	};
	return { start, cancel: () => (isCanceled = true), log };
}

const pass = async (seconds: number) => await jest.advanceTimersByTimeAsync(seconds * 1000);

it('each request has its own time, n8n a second to hand it back, and a canceled one 5 seconds at most', async () => {
	const { start, cancel, log } = requests();
	start('a');
	await pass(7);
	start('b');
	const end = start('c');
	expect(jest.getTimerCount()).toBe(3);
	await pass(1);
	end();
	await pass(60);
	expect(log).toEqual([
		...['a aborted at 9.9', 'a given up: ECONNABORTED at 10.9'],
		...['b aborted at 16.9', 'b given up: ECONNABORTED at 17.9'],
	]);
	expect(jest.getTimerCount()).toBe(0);

	start('d');
	await pass(7);
	start('e');
	cancel();
	await pass(60);
	expect(log.slice(4)).toEqual([
		...['d aborted at 77.9', 'd given up: ERR_CANCELED at 78.9'],
		expect.stringMatching(/^e aborted at 80(\.[1-3])?$/),
		expect.stringMatching(/^e given up: ERR_CANCELED at 81(\.[1-3])?$/),
	]);
});
