import type { Failure, FailureReason } from './failure';

/**
 * The whole run is rejected before anything is sent, e.g. because of an option or the credential.
 * In stop mode it becomes the error of the run. In the continue modes every input item becomes a failed item with
 * this failure: if the node threw there, n8n would put the input items on the success output, as if they were sent.
 */
export class RunRejected extends Error {
	constructor(readonly failure: Failure) {
		super(failure.title);
	}
}

/** The run is rejected for something that the user has to change. */
export function misconfigured(
	title: string,
	description: string,
	reason?: FailureReason,
): RunRejected {
	const n8nCause: Failure['n8nCause'] = { cause: 'configuration-invalid' };
	return new RunRejected({ title, description, reason, n8nCause });
}
