export interface ErrorText {
	/** What happened. */
	title: string;
	/** How to fix it. */
	description: string;
}

/**
 * An error as people read it: the first line of the template says what happened, the second one how
 * to fix it. A line that ends in a backslash goes on in the next one.
 */
export function twoLines(lines: TemplateStringsArray, ...values: unknown[]): ErrorText {
	// Line breaks in the values don't count, and none of them has the mark.
	const raw = lines.map((line) => line.replace(/\n\t+/, '\0').replaceAll('\t', ''));
	const shown = values.map((value) => String(value).replaceAll('\0', '·'));
	const [title, description] = String.raw({ raw }, ...shown).split('\0');
	return { title, description };
}

/** What an error says, without the name of its class. */
export const errorMessage = (error: unknown): string =>
	error instanceof Error ? error.message : String(error);
