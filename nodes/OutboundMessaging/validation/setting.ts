import { invalid, quoteForError, requireText } from './invalidValue';

/**
 * Checks of values that the editor lets people choose: an expression, or an imported workflow,
 * can hold anything.
 */

/**
 * A switch, also as text. Other values would count as on in one place and as off in another,
 * such as `"no"` or 0.
 */
export function switchValue(value: unknown) {
	if (typeof value === 'boolean') return value;
	if (value === 'true' || value === 'false') return value === 'true';
	throw unusable(value, 'Turn it on or off, or use an expression that gives true or false');
}

/** A choice from a list: the values, and how the editor shows them. */
export const choiceOf =
	<V extends string>(choices: Array<{ name: string; value: V }>): ((value: unknown) => V) =>
	(value) => {
		const chosen = choices.find((choice) => choice.value === value);
		if (chosen) return chosen.value;
		const known = choices.map((choice) => `${choice.value} (${choice.name})`).join(', ');
		throw unusable(value, `Choose from the list, or use an expression that gives one of ${known}`);
	};

/** Which numbers are fine; both bounds belong to them. */
export interface NumberRange {
	min: number;
	max: number;
	whole: boolean;
}

/** A number within bounds, also as text. */
export const numberIn =
	({ min, max, whole }: NumberRange): ((value: unknown) => number) =>
	(value) => {
		const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
		const isNumber = typeof number === 'number' && number >= min && number <= max;
		if (isNumber && (!whole || Number.isInteger(number))) return number;
		throw unusable(value, `Use a ${whole ? 'whole ' : ''}number from ${min} to ${max}`);
	};

function unusable(value: unknown, fix: string) {
	// Says so itself if the expression found no value, or several.
	if (typeof value === 'object' || value === undefined) requireText(value, 'a setting', fix);
	return invalid`is ${value === '' ? 'empty' : quoteForError(value)}
		${fix}`;
}
