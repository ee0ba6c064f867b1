/** What may be called: these give a new value and leave the one they are called on as it is. */
const HARMLESS = new Set(
	`$ all at endsWith first fromISO format includes indexOf isEmpty item itemMatching join last minus now padEnd
	padStart plus replace replaceAll round slice split startsWith substring toDateTime toFixed toFormat toISO
	toISODate toLocaleString toLowerCase toSentenceCase toString toTitleCase toUpperCase today trim trimEnd trimStart`.split(
		/\s+/,
	),
);
/** Comparisons and arrows: what is left of equals signs then is an assignment. */
const NO_ASSIGNMENT = /(?<![<>*])(?:[=!]==?|[<>]=|=>)/g;
const CHANGES = /=|\+\+|--|\b(?:delete|new)\b/;
/** Calls of what has no plain name, and what could hide one: comments, escapes, tagged templates. */
const UNCLEAR = /[\])}`'"]\s*\(|\?\.\s*\(|\/[*/]|\\|[\w$\])]\s*`/;

/**
 * Whether the code of an expression certainly changes nothing. n8n lets an expression change the data it reads and
 * keeps that from all others; read together, the others would see it. In doubt the answer is no.
 */
export function readsOnly(code: string): boolean {
	if (UNCLEAR.test(code) || CHANGES.test(code.replace(NO_ASSIGNMENT, ''))) return false;
	return [...code.matchAll(/([\w$]+)\s*\(/g)].every(([, name]) => HARMLESS.has(name));
}
