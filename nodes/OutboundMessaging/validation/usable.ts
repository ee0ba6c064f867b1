import { isObject } from '../common/isObject';
import { isDate } from './dates';
import { invalid } from './invalidValue';
import { isInvisible } from '../common/whitespace';

/** Whether an expression is in a value, as the workflow has it, or anywhere inside. */
export const hasExpression = (raw: unknown) => JSON.stringify([raw]).includes('"=');

/** Whether a value is none: what an expression that finds nothing gives, or a text that shows nothing. */
export const isNothing = (value: unknown) =>
	value === null ||
	value === undefined ||
	(typeof value === 'string' && isInvisible(value)) ||
	(isObject(value) && !isDate(value) && Object.keys(value).length === 0);

/**
 * Requires a usable value of an option or a safeguard that was added: its user relies on it, and without it, nothing would hold.
 * @param raw as the workflow has it, with expressions as text. In the editor, `=` is an empty expression
 * @throws InvalidValue
 */
export function requireUsable(raw: unknown, value: unknown, mayBeEmpty = false) {
	if (!isNothing(value) || (mayBeEmpty && value === '' && raw !== '=')) return;
	if (typeof raw === 'string' && raw.startsWith('=') && !isInvisible(raw.slice(1))) {
		throw invalid`is empty: the expression found no value
			Check the expression, and the field that it reads. To do without this setting, remove it`;
	}
	throw invalid`is empty
		Enter a value, or remove this setting`;
}
