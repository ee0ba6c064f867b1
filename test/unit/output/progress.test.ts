import type { Logger } from 'n8n-workflow';

import { progressLog } from '../../../nodes/OutboundMessaging/output/progress';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it.each([
	['a long run: at every tenth how far it is', 100, 1000, 10, 100],
	['a quick run: nothing', 1000, 1, 0, undefined],
	['not more often than every five seconds', 1000, 25, 5, 1000],
])('%s', (...[, total, millisecondsEach, lines, last]) => {
	const info = jest.fn<void, [string]>();
	const ended = progressLog({ info } as unknown as Logger, 'Send', total);
	for (let done = 0; done < total; done++) {
		jest.advanceTimersByTime(millisecondsEach);
		ended({ delivery: 'accepted', record: {} });
	}
	expect(info).toHaveBeenCalledTimes(lines);
	const line = last && `Send: ${last} of ${total} messages done: ${last} accepted`;
	expect(info.mock.lastCall?.[0]).toBe(line);
});
