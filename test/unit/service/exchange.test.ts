import { cancelDeadline, exchange } from '../../../nodes/OutboundMessaging/service/exchange';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Requests with 9.9 s each, which n8n never hands back, and when each was aborted and given up, in seconds. */
function requests() {
	const log: string[] = [];
	const begin = performance.now();
	const seconds = () => Math.round((performance.now() - begin) / 100) / 10;
	const note = (what: string) => log.push(`${what} at ${seconds()}`);
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

it('each request has its own time, and n8n a second to hand it back', async () => {
	const { start, log } = requests();
	start('a');
	await pass(3);
	start('b');
	const end = start('c');
	expect(jest.getTimerCount()).toBe(3);
	await pass(4);
	end();
	await pass(60);
	expect(log).toEqual([
		...['a aborted at 9.9', 'a given up: ECONNABORTED at 10.9'],
		...['b aborted at 12.9', 'b given up: ECONNABORTED at 13.9'],
	]);
	expect(jest.getTimerCount()).toBe(0);
	start('d');
	await pass(10);
	expect(log).toContain('d aborted at 76.9');
});

it('a canceled execution gives its requests 5 seconds, and no more than they have left', async () => {
	const { start, cancel, log } = requests();
	start('a');
	await pass(7);
	start('b');
	const end = start('c');
	cancel();
	await pass(1);
	end();
	await pass(60);
	expect(log).toEqual([
		...['a aborted at 9.9', 'a given up: ERR_CANCELED at 10.9'],
		expect.stringMatching(/^b aborted at 12(\.[1-3])?$/),
		expect.stringMatching(/^b given up: ERR_CANCELED at 13(\.[1-3])?$/),
	]);
});
