import { Script } from 'node:vm';

/** Runs a check, and interrupts it at the deadline. */
export function interrupted(check: () => void, deadlineMs: number): boolean {
	try {
		new Script('check()').runInNewContext({ check }, { timeout: deadlineMs });
		return false;
	} catch (error) {
		if ((error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return true;
		throw error;
	}
}
