import { InvalidValue, quoteForError, requireText } from './invalidValue';

/** Checks of values that the editor lets people choose: an expression, or an imported workflow, can hold anything. */

/**
 * A switch. Other values than these are rejected: `"no"` or 0 would count as on in one place and as off in another.
 * @param value a boolean, or the text `true` or `false`
 * @throws InvalidValue
 */
export function switchValue(value: unknown): boolean {
	if (typeof value === 'boolean') return value;
	if (value === 'true' || value === 'false') return value === 'true';
	throw unusable(value, 'Turn it on or off, or use an expression that gives true or false');
}

/**
 * A choice from a list.
 * @param choices the values, and how the editor shows them
 * @throws InvalidValue
 */
export function choiceOf<V extends string>(
	choices: Array<{ name: string; value: V }>,
): (value: unknown) => V {
	return (value) => {
		const chosen = choices.find((choice) => choice.value === value);
		if (chosen) return chosen.value;
		const known = choices.map((choice) => `${choice.value} (${choice.name})`).join(', ');
		throw unusable(value, `Choose from the list, or use an expression that gives one of ${known}`);
	};
}

/** Which numbers are fine; both bounds belong to them. */
export interface NumberRange {
	min: number;
	max: number;
	whole: boolean;
}

/**
 * A number within bounds.
 * @returns a check that takes a number, or text that holds one
 * @throws InvalidValue
 */
export function numberIn({ min, max, whole }: NumberRange): (value: unknown) => number {
	return (value) => {
		const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
		const isNumber = typeof number === 'number' && number >= min && number <= max;
		if (isNumber && (!whole || Number.isInteger(number))) return number;
		throw unusable(value, `Use a ${whole ? 'whole ' : ''}number from ${min} to ${max}`);
	};
}

function unusable(value: unknown, fix: string): InvalidValue {
	// Says so itself if the expression found no value, or several.
	if (typeof value === 'object' || value === undefined) requireText(value, 'one value', fix);
	return new InvalidValue(value === '' ? 'is empty' : `is ${quoteForError(value)}`, fix);
}
