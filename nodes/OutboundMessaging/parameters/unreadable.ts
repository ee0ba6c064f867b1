import { type RunRejected, misconfigured } from '../delivery/runRejected';
import { InvalidValue } from '../validation/invalidValue';

/**
 * Why a parameter can't be used: as an error it rejects the run, and its failure is that of one item.
 * @param label as the editor shows it
 * @param error an InvalidValue, or what n8n threw when it evaluated the parameter
 */
export function unreadable(label: string, error: unknown): RunRejected {
	if (error instanceof InvalidValue) {
		return misconfigured(`'${label}' ${error.message}`, error.fix, 'invalidInput');
	}
	const { message, description } = error as { message?: string; description?: string | null };
	const fix = description || `Check the expression in '${label}'`;
	return misconfigured(`'${label}' couldn't be read: ${message}`, fix, 'invalidInput');
}
