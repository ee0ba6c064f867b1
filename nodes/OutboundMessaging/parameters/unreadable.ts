import type { Failure } from '../delivery/outcome';
import { RunRejected } from '../delivery/runRejected';
import { InvalidValue } from '../validation/invalidValue';

/**
 * Why a parameter can't be used.
 * @param label as the editor shows it
 * @param error an InvalidValue, or what n8n threw when it evaluated the parameter
 */
export function failureOf(label: string, error: unknown): Failure {
	const shared = { reason: 'invalidInput', n8nCause: { cause: 'configuration-invalid' } } as const;
	if (error instanceof InvalidValue) {
		return { title: `'${label}' ${error.message}`, description: error.fix, ...shared };
	}
	const { message, description } = error as { message?: string; description?: string | null };
	return {
		title: `'${label}' couldn't be read: ${message}`,
		description: description || `Check the expression in '${label}'`,
		...shared,
	};
}

/** The error that rejects the run because of a parameter that can't be used. */
export function unreadable(label: string, error: unknown): RunRejected {
	return new RunRejected(failureOf(label, error));
}
