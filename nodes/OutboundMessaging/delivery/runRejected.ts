import type { ErrorText } from '../common/errorText';
import type { Failure } from './outcome';

/** The whole run is rejected before anything is sent, e.g. because of an option or the credential. */
export class RunRejected extends Error {
	constructor(readonly failure: Failure) {
		super(failure.title);
	}
}

/** The run is rejected for something that the user has to change. */
export const misconfigured = (text: ErrorText, reason?: Failure['reason']): RunRejected =>
	new RunRejected({ ...text, reason, n8nCause: { cause: 'configuration-invalid' } });
