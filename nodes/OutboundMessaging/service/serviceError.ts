import { isObject } from '../common/isObject';
import { everywhere, exactly, inAnyCase } from '../common/text';
import { isText } from './record';
import type { Redact } from './redact';

const MAX_CHARS = 300;
/** More of a response is never looked at. */
const MAX_INSPECTED_CHARS = 20_000;
/** Longer than what a key can look like at the place where a longer text is cut. */
const MAX_KEY_FORM_CHARS = 4000;
const MAX_DEPTH = 4;

/**
 * Where services put their words, the most telling first: this one (specification 7), and then
 * others and proxies.
 */
const FIELDS =
	'error,detail,message,msg,error_description,description,details,errors,title,reason'.split(',');

/** JSON that says nothing. */
const NOTHING = exactly`^\s*(?:null|""|\{\s*\}|\[\s*\])\s*$`;

/**
 * The service's words on one line that is safe to show, from the fields of a JSON body, else from
 * the body as it is. They're also judged: see statusByWords().
 */
export function extractServiceError(body: string, redact: Redact) {
	const json = parseJson(body);
	const words = sentenceIn(json, 0);
	const given = isObject(json) ? json.code : undefined;
	const code = typeof given === 'number' || isText(given) ? String(given) : undefined;
	const isTold = words !== undefined || code !== undefined || NOTHING.test(body);
	return {
		text: clean(isTold ? words : withoutTags(beginning(body, redact)), redact),
		code: clean(code, redact),
	};
}

/** @returns undefined when the text is not JSON */
export function parseJson(text: string, reviver?: Parameters<typeof JSON.parse>[1]): unknown {
	try {
		return JSON.parse(text, reviver);
	} catch {
		return undefined;
	}
}

/**
 * A field holds a sentence, an object with sentences, or a list of such (as schema checks respond).
 * Each is said once.
 */
function sentenceIn(value: unknown, depth: number): string | undefined {
	if (isText(value)) return value;
	if (depth > MAX_DEPTH) return undefined;
	if (Array.isArray(value)) {
		const parts = value.slice(0, 5).map((part) => sentenceIn(part, depth + 1));
		return [...new Set(parts.filter(isText))].join('; ') || undefined;
	}
	if (!isObject(value)) return undefined;
	const told = FIELDS.filter((field) => Object.hasOwn(value, field)).map((field) => value[field]);
	// Some schema checks use the names of the rejected fields instead.
	const named = Object.entries(value).map(([field, message]) => ({ field, message }));
	const sentence = sentenceIn(depth > 0 && told.length === 0 ? named : told, depth);
	return sentence && withFieldName(value, sentence);
}

/** Schema checks put the name of the field that they reject next to their words. */
function withFieldName({ loc, field }: Record<string, unknown>, sentence: string) {
	const name: unknown = Array.isArray(loc) ? loc.at(-1) : field;
	return isText(name) && !sentence.includes(name) ? `${name}: ${sentence}` : sentence;
}

const TITLE = inAnyCase`<title[^>]{0,200}>([^<]{1,300})`;

/** An HTML page is told by its title, where it has one. */
function withoutTags(text: string) {
	const title = TITLE.exec(text)?.[1];
	return title ?? text.replace(/<(?:style|script)\b[^<]*|<[^<>]*>/gi, ' ');
}

/**
 * The key is taken out before anything is cut off, and a part of it that stays at the cut
 * goes with the rest.
 */
function beginning(text: string, redact: Redact) {
	if (text.length <= MAX_INSPECTED_CHARS) return redact(text);
	return redact(text.slice(0, MAX_INSPECTED_CHARS)).slice(0, -MAX_KEY_FORM_CHARS);
}

/** Colors, links and titles that a terminal would act on. */
const ANSI_ESCAPE = everywhere`\p{Cc}\[[0-9;:?]{0,20}[A-Za-z]|\p{Cc}\]\P{Cc}{0,500}\p{Cc}\\?`;
const NOT_SHOWN = everywhere`[\p{Cc}\p{Cf}\p{Cs}\s]+`;

/**
 * One line of visible text without the key, terminal escapes, control and direction marks,
 * and working tags.
 */
function clean(text = '', redact: Redact): string | undefined {
	const line = redact(beginning(text, redact).replace(ANSI_ESCAPE, ''))
		.replace(NOT_SHOWN, ' ')
		.replace(/<(?=[a-z!/?])/gi, '‹')
		.trim();
	if (line.length <= MAX_CHARS) return line || undefined;
	// The cut can go through an emoji: the half that is left is no character.
	return `${line.slice(0, MAX_CHARS).replace(/\p{Cs}/u, '')}…`;
}
