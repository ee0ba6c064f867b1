import { invalid, quoteForError } from '../validation/invalidValue';
import { exactly } from '../common/text';

/** A value without an expression, the text around expressions, and quoted words. */
const OUTSIDE = String.raw`^[^=][^]*|(?:^=|\}\})[^]*?(?:\{\{|$)`;
const NO_CODE = String.raw`${OUTSIDE}|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`;
/** What no other execution has. */
const ID = String.raw`\$execution(?:Id)?\b(?!\W+(?:mode|customData)\b)|\$resumeWebhookUrl`;
const RANDOM = String.raw`\w*[Rr]andom\w*\(|\buuid(?:v\d)?\(`;
/** Clocks of n8n and of JavaScript, and Luxon's. */
const JS_CLOCK = String.raw`\$now(?!\w)|(?:new )?Date\(\s*\)|new Date(?![\w\(])|Date\.now\(\)`;
const LUXON = String.raw`DateTime\.(?:now|local|utc)\(\s*(?:\{[^\}]*\}\s*)?\)`;
const NOW = String.raw`(?<![\w.$])(?:${JS_CLOCK}|${LUXON})`;
/** How long it is until a time, or since. */
const RELATIVE = String.raw`\.(?:toRelative|diff(?:To)?Now)\(`;
const CHANGING = new RegExp(
	`${NO_CODE}|(?<unique>${ID}|${RANDOM})|(?<now>${NOW}|${RELATIVE})`,
	'g',
);

/** Brackets and what's in them, with calls inside calls. */
const GROUP = String.raw`\((?:[^\(\)]|\((?:[^\(\)]|\([^\(\)]*\))*\))*\)`;
const READ = String.raw`\s*(?:\??\.\s*\w+|\[[^\]]*\]|${GROUP})`;
/** What's read of a value, then the rest of its brackets: what's read of those follows. */
const READS = exactly`^(?<read>(?:${READ})*)(?<rest>(?:[^\(\)]|${GROUP})*\))?`;
const COMPARED = exactly`^\s*(?:[<>]|[!=]==?)`;
const COMPARING = exactly`(?<!=)[<>]=?\s*$`;

const CUT = String.raw`(?:slice|substring|substr)\(\s*0\s*,\s*(?:\d|10)\s*\)`;
const DAY_OF_ISO = String.raw`${CUT}|split\(.T.\)(?:\[0\]|\.first\(|\.at\(0)|replace\(\/T\.`;
const DATE_OPTIONS = String.raw`(?=[^\)]*(?:DATE_|year|month|day|dateStyle))`;
const NO_TIME_OPTIONS = String.raw`(?![^\)]*(?:TIME_|hour|minute|second|timeStyle))`;
/** What gives the same all day: dates, parts of them, formats without hours, cut ISO times. */
const COARSE = [
	// .toISODate(), .toDateString()
	exactly`\.to(?:ISO|ISOWeek|SQL|Locale|)Date(?:String)?\(`,
	// .hasSame(other, 'day'), .isWeekend, .getDate()
	exactly`\.(?:hasSame|is[A-Z]\w*|get(?:UTC)?(?:Date|Day|Month|\w*Year))\(`,
	// .weekNumber, .month, .daysInMonth
	exactly`\.(?:(?:localW|w)eek|month|daysIn|endOfMonth)\w*`,
	// .day, but not .daysUntil
	exactly`\.(?:day|quarter|year|ordinal)(?!\w)`,
	// .startOf('week')
	exactly`\.(?:startOf|endOf|beginningOf|extract)\(\s*\W(?:day|week|month|quarter|year)`,
	// .toFormat('yyyy-MM-dd'): no letter of hours or finer
	exactly`\.(?:toFormat|format)\(\s*(["'\x60])(?:'[^']*'|\\.|(?!\1)[^HhmsSutTfFXx])*\1`,
	// Luxon's has only the date, unlike that of a Date.
	exactly`^(?:\$now|DateTime).*\.toLocaleString\(\s*\)`,
	// .toLocaleString({ month: 'long' })
	exactly`\.toLocaleString\(${DATE_OPTIONS}${NO_TIME_OPTIONS}`,
	// .toISO().slice(0, 10)
	exactly`\.to(?:ISO|SQL|JSON)\w*\([^\)]*\)\.(?:${DAY_OF_ISO})`,
	// $now.toString().split('T')[0]
	exactly`^\$now(?:\.toString\(\))?\.(?:${DAY_OF_ISO})`,
];
const WHOLE_DAYS = exactly`Math\.(?:floor|round|ceil|trunc)\(.*(?:days|weeks|months|years|864)`;

const ONE_A_DAY = 'For one message a day, use {{ $now.toISODate() }}';

/**
 * Rejects a key that has something new in each execution, or several times a day.
 * @param raw as the workflow has it, with expressions as text
 * @throws InvalidValue
 */
export function requireLasting(raw: string): void {
	for (const found of raw.matchAll(CHANGING)) {
		const { 0: part, index, groups: { unique, now } = {} } = found;
		// Texts and quoted words are matched whole, so that nothing inside them is.
		if (unique === undefined && now === undefined) continue;
		const after = raw.slice(index + part.length);
		const isOnlyCompared = COMPARING.test(raw.slice(0, index)) || WHOLE_DAYS.test(raw);
		if (now && (isOnlyCompared || isCoarse(now, after))) continue;
		const quoted = quoteForError(part);
		throw invalid`changes by itself, so it can't keep a message from being sent again: ${quoted}
			Use what the message is about, e.g. {{ $json.orderId }}-confirmation. ${ONE_A_DAY}`;
	}
}

/**
 * Whether what's read of a clock stays the same all day, or is only compared. In
 * `($now.plus(1)).toISODate()`, `.plus(1)` is read of `$now`, and then the date of the brackets.
 */
function isCoarse(clock: string, after: string): boolean {
	const { 0: all, groups: { read = '', rest } = {} } = READS.exec(after)!;
	const value = clock + read;
	const next = after.slice(all.length);
	if (COMPARED.test(rest ?? next) || COARSE.some((pattern) => pattern.test(value))) return true;
	return rest !== undefined && isCoarse(value, next);
}
