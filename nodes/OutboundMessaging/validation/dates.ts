import { isObject } from '../common/isObject';

/** Whether a value is what `new Date()` or `$now` gives. In n8n's isolate, a `$now` from another node's item has lost its methods. */
export const isDate = (value: unknown): boolean =>
	isObject(value) && ['toISOString', 'toISO', 'isLuxonDateTime'].some((name) => name in value);

/** In the workflow's time zone: a Date is there anyway, but the text that it is in a retry has a zone of its own. */
const READ = '$json.date.toDateTime().toLocal()';
export const FOR_PEOPLE = `{{ ${READ}.toFormat('d LLLL') }}`;
/** A spreadsheet's number is a day without a time zone: in America's, it would be the day before. */
const NUMBER_FOR_PEOPLE = `{{ $json.date.toDateTime('excel').toUTC().toFormat('d LLLL') }}`;
export const IN_CELL = `Write the date in this cell as 2026-12-31. In the expression, ${FOR_PEOPLE} reads it, and ${NUMBER_FOR_PEOPLE} a spreadsheet's number`;
export const AS_TEXT = `Write the date as text, e.g. as ${FOR_PEOPLE}, or in a key as {{ ${READ}.toISODate() }}`;
