import { messageOf } from '../messageOf';

/** Send-once keys couldn't be checked or changed. The message says why, without a period at the end. */
export class KeyStoreError extends Error {
	/**
	 * @param description how to fix it, without a period at the end
	 */
	constructor(
		message: string,
		readonly description = "Check n8n's database, then run the workflow again",
	) {
		super(message);
	}
}

export function asKeyStoreError(error: unknown): KeyStoreError {
	return error instanceof KeyStoreError ? error : new KeyStoreError(messageOf(error));
}
