import { callerOf, retryOnFail } from '../../../nodes/OutboundMessaging/n8n/internals';

const ON = { retryOnFail: true };
it.each([
	[{ maxTries: 4 }, 1, 1000],
	[ON, 3, 1000],
	[{ ...ON, maxTries: 9, waitBetweenTries: 9000 }, 5, 5000],
	[{ ...ON, maxTries: 1, waitBetweenTries: -1 }, 2, 0],
])('%j', (node, tries, waitMs) => expect(retryOnFail(node as never)).toEqual({ tries, waitMs }));

it.each<[object, string?]>([
	[{ isToolExecution: () => false, getNextRunIndex: 1 }],
	[{ getNextRunIndex: 1 }, 'agent'],
	[{}],
	[{ isToolExecution: () => true, parentNode: { type: 'mcpTrigger' } }, 'mcp'],
])('called with %j: by %j', (...[context, by]) => expect(callerOf(context as never)).toBe(by));
