import { requireOnlyAsker } from '../../../nodes/OutboundMessaging/waitForResponse/ask';

/** Executions that n8n stored: who waits for each, and how many nodes have run. */
type Stored = Record<string, { by?: string; shouldResume?: boolean; done?: number }>;
const contextOf = (id: string, stored: Stored, mode: string) =>
	({
		getMode: () => mode,
		getExecutionId: () => id,
		getExecutionDataById: async (each: string) => {
			const { by: executionId, shouldResume, done = 0 } = stored[each];
			const runData = { Node: Array.from({ length: done }) };
			return {
				resultData: { runData },
				parentExecution: executionId && { executionId, shouldResume },
			};
		},
	}) as never;
const INTEGRATED = 'integrated';
const ask = async (...[id, stored, mode]: Parameters<typeof contextOf>) =>
	(await requireOnlyAsker(contextOf(id, stored, mode)))();

it.each<[string, string, Stored, string]>([
	['the same execution asks again', '2', { 1: {}, 2: { by: '1' } }, INTEGRATED],
	['the caller does not wait', '3', { 1: {}, 3: { by: '1', shouldResume: false } }, INTEGRATED],
	['another caller', '5', { 4: {}, 5: { by: '4' } }, INTEGRATED],
	['the next turn of a loop', '3', { 1: { done: 3 }, 3: { by: '1' } }, INTEGRATED],
	['no sub-workflow', '3', { 1: {}, 3: { by: '1' } }, 'trigger'],
])('%s: asked', async (_, id, stored, mode) => {
	await ask('2', { 1: {}, 2: { by: '1' } }, INTEGRATED);
	await expect(ask(id, stored, mode)).resolves.toBeUndefined();
});

it.each<[string, Stored]>([
	['of the same caller', { 11: {}, 13: { by: '11', shouldResume: true } }],
	['of the same caller, as older releases store it', { 11: {}, 13: { by: '11' } }],
	['of a caller of its caller', { 11: {}, 12: { by: '11' }, 13: { by: '12' } }],
])('another sub-workflow %s: rejected', async (_, stored) => {
	await ask('10', { 11: {}, 10: { by: '11' } }, INTEGRATED);
	await expect(ask('13', stored, INTEGRATED)).rejects.toThrow(
		'The calling workflow waits for this one',
	);
});
