import type { ErrorText } from '../common/twoLines';
import { yieldIfDue } from '../common/eventLoop';
import type { Failure } from './outcome';

/** The whole run is rejected before anything is sent, e.g. because of an option or the credential. */
export class RunRejected extends Error {
	constructor(readonly failure: Failure) {
		super(failure.title);
	}
}

/** Requires one value for the whole run. @param name of what has it. @throws RunRejected if another item's value differs */
export async function requireSame<T>(
	name: string,
	fix: string,
	count: number,
	read: (itemIndex: number) => T | Promise<T>,
): Promise<T> {
	const first = await read(0);
	const same = JSON.stringify(first);
	for (let itemIndex = 1; itemIndex < count; itemIndex++) {
		if (JSON.stringify(await read(itemIndex)) !== same) {
			const title = `${name} isn't the same for item 0 and item ${itemIndex} (n8n counts items from 0)`;
			throw misconfigured({ title, description: fix }, 'invalidInput');
		}
		await yieldIfDue();
	}
	return first;
}

/** The run is rejected for something that the user has to change. */
export const misconfigured = (text: ErrorText, reason?: Failure['reason']): RunRejected =>
	new RunRejected({ ...text, reason, n8nCause: { cause: 'configuration-invalid' } });
