import { InvalidValue } from './invalidValue';

/** What becomes of white space that WhatsApp rejects in the values of a template. */
export type LineBreaks = 'keep' | 'replace' | 'reject';

const WHITE_SPACE = /[\s\u0085]+/g;
/** WhatsApp takes no line breaks, no tabs and no more than four spaces in a row. */
const REJECTED_BY_WHATSAPP = /[\n\v\f\r\u0085\u2028\u2029\t]|.{5}/;

/**
 * Keeps or replaces line breaks, tabs and long runs of spaces, each run by one space.
 * @throws InvalidValue if they're to be rejected, as they are without a choice
 */
export function withLineBreaks(text: string, lineBreaks?: LineBreaks): string {
	if (lineBreaks === 'keep') return text;
	return text.replace(WHITE_SPACE, (run) => {
		if (!REJECTED_BY_WHATSAPP.test(run)) return run;
		if (lineBreaks === 'replace') return ' ';
		throw new InvalidValue(
			'has a line break, a tab or more than four spaces in a row, which WhatsApp rejects in templates',
			"Remove them, or set 'Line Breaks in Attributes' under Options to Replace. If the service cleans them up, set it to Keep",
		);
	});
}
