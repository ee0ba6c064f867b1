import { isObject, isText } from './record';

const LONGEST = 300;
/** More than this is never looked at: a hostile answer may be megabytes long. */
const LOOKED_AT = 20_000;

/** What the service said about a refusal, in its own words, made fit for an error on one line. */
export interface Words {
	text?: string;
	code?: string;
}

/**
 * Finds the service's words in the body of an answer (specification 7): `error` and `code` of a 400, `detail` of a
 * 401, and what other services and proxies use. Tags, control characters and the API key are taken out.
 * @param body parsed JSON, or text when the answer was none
 */
export function extractServiceError(body: unknown, apiKey: string): Words {
	if (isObject(body)) {
		const text = [body.error, body.detail, body.message].map(sentence).find(isText);
		const code = typeof body.code === 'number' ? String(body.code) : body.code;
		return {
			text: text && clean(text, apiKey),
			code: isText(code) ? clean(code, apiKey) : undefined,
		};
	}
	return isText(body) ? { text: clean(withoutTags(beginning(body, apiKey)), apiKey) } : {};
}

/** A field is a sentence, an object that holds one, or a list of such (as schema checks answer). */
function sentence(value: unknown): string | undefined {
	if (isText(value)) return value;
	if (isObject(value)) return [value.message, value.msg].find(isText);
	if (!Array.isArray(value)) return undefined;
	const parts = value.slice(0, 5).map((part) => (isObject(part) ? part.msg : part));
	return parts.filter(isText).join('; ') || undefined;
}

/** An HTML page is told by its title, where it has one. */
function withoutTags(text: string): string {
	const title = /<title[^>]{0,200}>([^<]{1,300})/i.exec(text)?.[1];
	return title ?? text.replace(/<(?:style|script)\b[^<]*/gi, ' ').replace(/<[^<>]*>/g, ' ');
}

/** The key is taken out before anything is cut off, or a part of it could stay at the cut. */
function beginning(text: string, apiKey: string): string {
	return text.replaceAll(apiKey, '***').slice(0, LOOKED_AT);
}

/** What a terminal takes for an order: colours and the like, and links or titles up to their end. */
const TERMINAL_ORDER = /\p{Cc}\[[0-9;:?]{0,20}[A-Za-z]|\p{Cc}\]\P{Cc}{0,500}\p{Cc}\\?/gu;

/** One line of visible text: orders to terminals, control and direction marks and the key are gone, and no tag works. */
function clean(text: string, apiKey: string): string | undefined {
	const line = beginning(text, apiKey)
		.replace(TERMINAL_ORDER, '')
		.replaceAll(apiKey, '***')
		.replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ')
		.replace(/<(?=[a-z!/?])/gi, '‹')
		.trim();
	if (line === '') return undefined;
	// The cut can go through an emoji: the half that is left is no character.
	return line.length > LONGEST ? `${line.slice(0, LONGEST).replace(/\p{Cs}$/u, '')}…` : line;
}
