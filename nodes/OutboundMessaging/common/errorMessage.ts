/** What an error says, without the name of its class. */
export const errorMessage = (error: unknown): string =>
	error instanceof Error ? error.message : String(error);
