import type { IExecuteFunctions } from 'n8n-workflow';

import { mapAndYield } from '../common/eventLoop';
import { alreadySent, endOf } from '../delivery/beforeAndNow';
import { ownKey } from '../delivery/keys/keyStates';
import { type PlannedItem, isToSend } from '../delivery/message';
import type { SendSettings } from '../delivery/sending';
import { list } from '../parameters/field';
import { startOf } from '../n8n/internals';
import { switchValue } from '../validation/setting';
import type { ExecutionState } from './executionState';

const choice = list(
	'Dry Run',
	'Which executions only check all items and show what would be sent',
	{
		always: ['Always', 'No execution sends anything'],
		manualExecutions: [
			'When Executed Manually',
			'Executions started in the editor and their retries send nothing. The published workflow ' +
				'and its retries send.',
		],
	},
	{ off: 'off' },
);

/**
 * Judges no message: what would be sent is only shown. An expression may also give true or false.
 */
export const dryRun = {
	...choice,
	check(value: unknown): 'always' | 'manualExecutions' | 'off' {
		if (!['true', 'false'].includes(String(value))) return choice.check(value);
		return switchValue(value) ? 'always' : 'off';
	},
};

/**
 * @returns for an execution that sends nothing, what has to be said about that; undefined
 *   for one that sends
 */
export async function dryRunOf(
	context: IExecuteFunctions,
	when: ReturnType<typeof dryRun.check>,
): Promise<{ warnings: string[] } | undefined> {
	if (when === 'off') return undefined;
	const start = await startOf(context);
	if (start === 'byItself') return when === 'always' ? { warnings: [BY_ITSELF] } : undefined;
	const isUnclear = start === 'unknown' && when === 'manualExecutions';
	return { warnings: isUnclear ? [UNKNOWN] : [] };
}

/**
 * People rarely look at an execution that succeeds: it may be days until someone asks where
 * the messages are.
 */
const BY_ITSELF =
	"Dry run: this execution wasn't started in the editor, and it sent nothing. To send, remove " +
	"'Dry Run' under Safeguards, or set it to When Executed Manually";
const UNKNOWN =
	'Dry run: n8n no longer knows whether this execution was started in the editor, so nothing was ' +
	"sent. To send, remove 'Dry Run' under Safeguards, or turn on " +
	"'Save successful production executions' in the calling workflow's settings";

/**
 * Shows what a run would do, one message after the other, and counts it, so that the runs
 * after it show theirs.
 */
export async function simulate(
	items: PlannedItem[],
	endedBy: SendSettings['endedBy'],
	state: ExecutionState,
): Promise<PlannedItem[]> {
	const keys = new Set<string>();
	return await mapAndYield(items, (item): PlannedItem => {
		if (!isToSend(item)) return item;
		const { message } = item;
		const key = ownKey(message) ?? '';
		const repeated = keys.has(key) ? alreadySent(message) : undefined;
		const outcome = endedBy(message, 'due') ?? repeated ?? endedBy(message, 'claimed');
		if (outcome) return { message, outcome: endOf(message.before, outcome) };
		if (key !== '') keys.add(key);
		state.count({ delivery: 'accepted', record: {} }, message);
		return item;
	});
}
