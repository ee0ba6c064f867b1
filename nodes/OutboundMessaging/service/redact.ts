/** Takes the API key out of a text. */
export type Redact = (text: string) => string;

/** What may be between two characters of a key that someone split: spaces, control and invisible characters. */
const BETWEEN = '[\\s\\p{Cc}\\p{Cf}]*';

const HTML_NAMES: Record<string, string> = {
	'"': 'quot',
	'&': 'amp',
	"'": 'apos',
	'<': 'lt',
	'>': 'gt',
};

/** What base64 has besides letters and digits: as it is, in base64 for URLs, and URL-encoded. */
const BASE64_SIGNS: Record<string, string> = {
	'+': '(?:[+-]|%(?:25)?2b)',
	'/': '(?:[/_]|%(?:25)?2f)',
};

/**
 * Finds the key in every form in which a service may repeat it: as it is, in another case, URL-encoded, escaped for
 * HTML, JSON or JavaScript, in base64 (alone or inside something longer), and split by invisible characters.
 * Made once per run: the pattern of a long key is long.
 */
export function redactor(apiKey: string): Redact {
	const plain = [...apiKey].map(characterPattern).join(BETWEEN);
	const pattern = new RegExp([plain, ...base64Patterns(apiKey)].join('|'), 'giu');
	return (text) => text.replace(pattern, '***');
}

/** One character of a key (visible ASCII), in each of its forms. */
function characterPattern(character: string): string {
	const code = character.charCodeAt(0);
	const hex = code.toString(16);
	const name = HTML_NAMES[character];
	// No two forms may match the same text: with a long key, trying all of their combinations would never end.
	const forms = [
		escaped(character),
		`%(?:25)?${hex}`,
		`&#0*(?:${code}|x0*${hex});?`,
		`\\\\(?:u00|x)${hex}`,
	];
	if (name !== undefined) forms.push(`&${name};?`);
	if (/["\\/]/.test(character)) forms.push(`\\\\${escaped(character)}`);
	return `(?:${forms.join('|')})`;
}

/**
 * The key's characters that are certain in base64, for each of the three places at which it can begin in a group of
 * three bytes. Of a key with less than eight such characters not enough is certain to tell it from anything else.
 */
function base64Patterns(apiKey: string): string[] {
	return [0, 1, 2].flatMap((offset) => {
		const all = btoa('\0'.repeat(offset) + apiKey);
		const begin = Math.ceil((offset * 8) / 6);
		const end = Math.floor(((offset + apiKey.length) * 8) / 6);
		const certain = all.slice(begin, end);
		if (certain.length < 8) return [];
		return [[...certain].map((character) => BASE64_SIGNS[character] ?? character).join(BETWEEN)];
	});
}

function escaped(character: string): string {
	return /[A-Za-z0-9]/.test(character)
		? character
		: `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
