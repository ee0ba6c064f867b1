import type { IExecuteFunctions } from 'n8n-workflow';

import { misconfigured } from '../delivery/runRejected';
import { twoLines } from '../common/twoLines';

/** Which execution asked last for a caller; in this process, since a caller runs its sub-workflows in its own. */
const askers = new Map<string, string>();
const MOST_KEPT = 1000;

/** Rejects a second question for a caller that waits for its sub-workflows. @returns to be called once it's asked */
export async function requireOnlyAsker(context: IExecuteFunctions): Promise<() => void> {
	const asked = new Map<string, string>();
	let asker = context.getExecutionId();
	// n8n stores with an execution who waits for it, and that one may have a caller, too.
	let data = context.getMode() === 'integrated' && (await context.getExecutionDataById(asker));
	while (data && data.parentExecution && data.parentExecution.shouldResume !== false) {
		const { executionId } = data.parentExecution;
		data = await context.getExecutionDataById(executionId);
		// The turns of a loop differ in what the caller has run: n8n stores that when it continues.
		const done = Object.values(data?.resultData.runData ?? {}).flat().length;
		const caller = `${executionId} ${done}`;
		if ((askers.get(caller) ?? asker) !== asker)
			throw misconfigured(twoLines`The calling workflow waits for this one, which already asked a question for an earlier item: the first answer would continue the calling workflow for all items
				In 'Execute Sub-workflow', turn off 'Wait For Sub-Workflow Completion', or put 'Loop Over Items' before it and set 'Mode' to 'Run once with all items'`);
		asked.set(caller, asker);
		asker = executionId;
	}
	return () => {
		for (const [caller, by] of asked) askers.set(caller, by);
		for (const oldest of askers.keys()) if (askers.size > MOST_KEPT) askers.delete(oldest);
	};
}
