import { invalid, quoteForError } from '../validation/invalidValue';
import { messageText } from '../validation/text';
import { trimmed } from '../validation/whitespace';

/** A language as BCP 47 writes it, in the usual spelling of its tag, e.g. `pt-BR`; given with hyphens or underscores. */
export function languageTag(value: unknown): string {
	const tag = trimmed(messageText(value));
	try {
		const locale = new Intl.Locale(tag.replaceAll('_', '-'));
		// "german" is well-formed, so languages are looked up. Those with three letters aren't: no list has them all.
		if (locale.language.length === 3 || NAMES.of(locale.language)) return String(locale);
	} catch {
		// As wrong as an unknown one.
	}
	throw invalid`is ${quoteForError(tag)}, which isn't a language code
		Enter a code such as en, de or pt-BR`;
}
const NAMES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** The scripts in use that are written from right to left. Node 20 can't tell: it has no `getTextInfo`. */
const RIGHT_TO_LEFT = /^(?:Adlm|Arab|Hebr|Mand|Nkoo|Rohg|Samr|Syrc|Thaa)$/;

/** @param language a valid tag */
export const isRightToLeft = (language: string): boolean =>
	RIGHT_TO_LEFT.test(new Intl.Locale(language).maximize().script ?? '');
