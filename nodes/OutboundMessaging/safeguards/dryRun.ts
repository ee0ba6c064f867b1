import type { IExecuteFunctions } from 'n8n-workflow';

import { isManual } from '../n8n/internals';
import { list } from '../fields/field';
import { switchValue } from '../validation/setting';

const choice = list(
	'Dry Run',
	'Which executions check all items and show what would be sent, without sending anything',
	{
		always: ['Always', 'No execution sends anything'],
		manualExecutions: [
			'When Executed Manually',
			'An execution that you start in the editor sends nothing. Others send: those of the published workflow, and a retry in the executions list.',
		],
	},
	{ off: false },
);

/** Judges no message: what would be sent is only shown. An expression may also give a switch, which this field once was. */
export const dryRun = {
	field: {
		...choice,
		check(value: unknown): 'always' | 'manualExecutions' | 'off' {
			if (!/^(?:true|false)$/.test(String(value))) return choice.check(value);
			return switchValue(value) ? 'always' : 'off';
		},
	},
};

export const isDryRun = (context: IExecuteFunctions, when: ReturnType<typeof dryRun.field.check>) =>
	when === 'always' || (when === 'manualExecutions' && isManual(context));
