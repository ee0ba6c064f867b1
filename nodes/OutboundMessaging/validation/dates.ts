import { isObject } from '../common/isObject';

/**
 * Whether a value is what `new Date()` or `$now` gives. In n8n's isolate, a `$now` from another
 * node's item has lost its methods.
 */
export const isDate = (value: unknown) =>
	isObject(value) && ['toISOString', 'toISO', 'isLuxonDateTime'].some((name) => name in value);

// What these offer either keeps the day and the hour, in the workflow's time zone, or is rejected.
// n8n's toDateTime() reads 11/25/2026 in the server's time zone, and a number as milliseconds: in
// New York, it would be the day before.
/** A Date has to be written as ISO 8601 first. In a retry, it is such a text already. */
export const FOR_PEOPLE =
	"{{ DateTime.fromISO($json.date.toJSON?.() ?? $json.date).toFormat('d LLLL') }}";
export const SQL_FOR_PEOPLE = "{{ DateTime.fromSQL($json.date).toFormat('d LLLL') }}";
/** A spreadsheet's number has no time zone. As a number, an empty cell would be a day in 1899. */
export const NUMBER_FOR_PEOPLE =
	"{{ (+$json.date || NaN).toDateTime('excel').toUTC().toFormat('d LLLL') }}";
/** Its seconds are rounded: 15:30 would be 15:29. */
export const NUMBER_AS_TIME =
	"{{ (+$json.time || NaN).toDateTime('excel').toUTC().plus(1, 'second').toFormat('H:mm') }}";
const CELL_FOR_PEOPLE = "{{ DateTime.fromFormat($json.date, 'M/d/yyyy').toFormat('d LLLL') }}";

export const IN_CELL =
	`Write the date in this cell as 2026-12-31, which ${FOR_PEOPLE} reads. Or give the format of ` +
	`your cells: ${CELL_FOR_PEOPLE} reads 12/31/2026. For a spreadsheet's number, write ` +
	`${NUMBER_FOR_PEOPLE}`;
export const AS_TEXT =
	`Write the date as text, e.g. as ${FOR_PEOPLE}, or in a key as ` +
	'{{ DateTime.fromISO($json.date.toJSON?.() ?? $json.date).toISODate() }}';
