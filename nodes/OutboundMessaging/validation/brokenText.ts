import { twoLines } from '../common/failure';
import {
	AS_TEXT,
	FOR_PEOPLE,
	IN_CELL,
	NUMBER_AS_TIME,
	NUMBER_FOR_PEOPLE,
	SQL_FOR_PEOPLE,
} from './dates';
import { invalid, quoteForError } from './invalidValue';
import { exactly, inAnyCase } from '../common/text';
import { SERVE } from './url';

/**
 * What Excel, Google Sheets and LibreOffice call their errors after the #, in the languages that
 * have names of their own. Only Spanish has marks at both ends. The names without one aren't errors
 * in a number such as #NV-2231.
 */
// cspell:disable
const NAMES = String.raw`
	(?:VALUE|WERT|VALEUR|VALORE?|WAARDE|VERDI|VÆRDI|VÄRDEFEL|ARVO|HODNOTA|ÉRTÉK|DEĞER|VALOARE)!
	(?:REF|BEZUG|RIF|VERW|REFEREN[CS]E?|VIITTAUS|ADR|ODKAZ|BAŞV|SKLIC|NULLO?|NUL[AO]?|LEEG|TYHJÄ|BOŞ)!
	(?:NUM|NÚM|ZAHL|NOMBRE|GETAL|OGILTIGT|LUKU|LICZBA|ČÍSLO|SZÁM|SAYI|SKÄRNING|NEPLATNÝ)!
	(?:[^\s#/!]+/0|DĚLENÍ_NULOU|DELENIE_?NULOU|ZÉRÓOSZTÓ|ERRO(?:RE?)?|FEHLER|ERREUR|HATA|CALC|KALK)!
	(?:SPILL|ÜBERLAUF|PROPAGATION|EPARS|ESPANSIONE|DESPEJAR|OVERLOOP|OVERLØB|OVERFLYT|ROZLANIE|TAŞMA)!
	(?:ЗНАЧ|ССЫЛКА|ЧИСЛО|ПУСТО|ПЕРЕНОС|ВЫЧИСЛ|ОШИБКА|ЗНАЧЕННЯ|ПОСИЛАННЯ|ΤΙΜΗ|ΑΝΑΦ|ΑΡΙΘ|ΚΕΝΟ)!
	(?:NAME|NOM|NOMBRE|NOME|NAAM|NAVN|NAMN|NIMI|NAZWA|NÁZEV|NÁZOV|NÉV|NUME|ИМЯ|ІМ[’']Я|ΟΝΟΜΑ)\?
	¡[^\s#!]+!|¿[^\s#?]+\?
	(?:N/[ABDV]|I/T|Н/Д|Δ/Υ)!?
	(?:NV|SAKNAS|PUUTTUU|YOK|HIÁNYZIK|NEDOSTUPN[ÝÉ])(?:!|(?!-))
	(?:NENÍ_K_DISPOZICI|GETTING_DATA|DATEN_ABRUFEN)(?:!|(?!-))
`
	.trim()
	.replace(/\s+/g, '|');
// cspell:enable
/** Polish, Hungarian and Turkish names that others use as hashtags: only where nothing else is. */
const ALONE = String.raw`^#(?:ARG!|ZERO!|HIV!|AD\?)$`;

const SEVERAL_VALUES = exactly`\[object [A-Z]\w*\]`;

/**
 * In brackets that people use, too: a name as programs write it, or what a person is asked to fill
 * in. Not the text of a link.
 */
const PERSON = '(?:first|last|full|user|customer|client|recipient|company|order|appointment)';
const FIELD_NAME =
	`(?:${PERSON} ` + '?(?:name|id|number|date|time)|name|vorname|nachname|nombre|prénom|nome)';

/**
 * Minutes as a fraction of a day; in a date, of one between 2009 and 2064. An amount
 * has other decimals.
 */
const fraction = (before: string) =>
	String.raw`(?:\d{${before}}(?:125|375|625|875)|\d{0,8}([1-9])\1{4,}\d?)(?![.,]?\w|\s?%)`;
const NO_PART = String.raw`(?<![\w.,=/@+-])`;

/** A text for people, a value (an attribute, a button), an ID or a key, a URL. */
type Place = 'text' | 'value' | 'id' | 'url';

/**
 * What no customer should read.
 * @param places where it's rejected, and whether it's a hint elsewhere; none: it's
 *   rejected everywhere
 */
const broken =
	(pattern: RegExp, ...places: Array<Place | 'hint'>) =>
	(...lines: Parameters<typeof twoLines>) => ({ pattern, places, ...twoLines(...lines) });

const CHECK_FIELDS =
	'Replace it with the value, or check that the input item has each field of the expression';
const SAVE_AS_UTF8 = 'Correct the text where it comes from, e.g. save the file as CSV UTF-8';
const CORRECT_CELL = 'Correct the cell in the spreadsheet, or filter out this row before this step';

/**
 * What no customer should read: where it's certain, what it comes from, and how to fix it. All are
 * found in linear time.
 */
export const BROKEN = [
	broken(SEVERAL_VALUES, 'url')`several values at once
		Map the URL of the file. ${SERVE}`,
	broken(SEVERAL_VALUES)`several values at once
		Replace it with one value, or map one of its fields, e.g. {{ $json.customer.name }}`,
	// As ECMAScript's Date.prototype.toString() writes it. What toUTCString() and toDateString()
	// write, people do, too.
	broken(
		exactly`[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d -?\d{4,6} \d\d:\d\d:\d\d GMT[+-]\d{4}(?: \([^()]*\))?`,
	)`a date as a program writes it
		${AS_TEXT}`,
	// What stands for a date that couldn't be read. Not "Invalid Date of Birth" or "an invalid date",
	// which people write.
	broken(
		inAnyCase`(?<!\ban )\binvalid (?:(?:DateTime|Duration|Interval)\b|
			date(?!\w| (?:of|formats?|ranges?|fields?|entered|given|selected|
			(?:on|in) (?:your|the|file))\b))`,
	)`the date couldn't be read
		${IN_CELL}`,
	broken(exactly`\{\{[^{}]*\}\}|\{\{\s*[$"'[(]|^=[^]*?\{\{`)`a placeholder that wasn't filled
		Replace it with the value. If it's written in this node, switch the field \
			from Fixed to Expression`,
	// Of Mailchimp, EJS, JavaScript, Liquid and Salesforce. Not in the code that someone
	// writes in backticks.
	broken(
		inAnyCase`(?:\*\|[A-Z][\w: ]*\|\*|<%[^%<>]*%>|\$\{\s*[\p{L}_][^{}]*\}|\{%[^{}%]+%\}|
			%%[A-Z][\w ]*%%)(?<!\x60[^\x60\n]{0,300})`,
	)`a placeholder of another program
		Replace it with the value. In this node, switch the field to Expression and \
			write {{ $json.name }}`,
	broken(exactly`#(?:${NAMES})(?![\p{L}\p{N}_])|${ALONE}|\bErr ?:5\d\d\b`)`a spreadsheet's error
		${CORRECT_CELL}`,
	broken(exactly`[\0\p{Surrogate}]`)`a NUL character or half of an emoji, which services reject
		Remove it from the text. Half of an emoji is left where a text was cut in the middle of one`,
	broken(exactly`\ufffd`)`the sign for a letter that was lost when a file was read
		${SAVE_AS_UTF8}`,
	// The closing tag is enough: some models' servers leave out the opening one.
	broken(
		inAnyCase`</(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad)>`,
	)`what an AI model was thinking
		Take it out of the model's answer, e.g. with a Code node, or turn off the model's thinking`,
	// What separates the turns of a chat. Alone at the end, since <s> is also a tag for text that
	// is struck through.
	broken(
		inAnyCase`<[|｜][a-z][\w▁]{2,40}[|｜]>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>|
			</s>(?=\s*$)(?<!<s>[^]*)`,
	)`a sign between the turns of a chat, which AI models use
		Take it out of the model's answer, or check which template of a chat the model's server uses`,
	broken(
		inAnyCase`^\s*Agent stopped due to (?:max iterations|iteration limit or time limit)\.?\s*$`,
		'text',
	)`n8n's notice that an AI Agent gave up
		Filter out this item before this step, or raise the agent's 'Max Iterations'`,
	broken(exactly`^\s*null\s*$`, 'text')`what an expression gives for a missing field
		${CHECK_FIELDS}`,
	// What an expression gives for a field that isn't there. In a text, it can be a word like others;
	// in a path, so is "null".
	broken(
		exactly`(?<![\p{L}\p{N}])undefined(?![\p{L}\p{N}])|(?<![\p{L}\p{N}_+-])NaN
			(?![\p{L}\p{N}_+-])|/null(?=[./?#]|$)`,
		'value',
		'id',
		'hint',
	)`what an expression gives for a missing field
		${CHECK_FIELDS}`,
	// In a URL, words can follow (undefined-behavior.pdf), and null or NaN is one where nothing else
	// is (`?id=null`).
	broken(
		exactly`(?<!\p{L})undefined(?![\s_+-]*\p{L})|(?:(?<![^/=\s])NaN|[/=]null)(?=[./?&#]|$)`,
		'url',
	)`what an expression gives for a missing field
		${CHECK_FIELDS}`,
	// What an error looks like in any language, and a hashtag can, too.
	broken(exactly`#[¡¿]?\p{Lu}[\p{Lu}_/’']+[!?]`, 'id')`a spreadsheet's error
		${CORRECT_CELL}`,
	// Code of an expression that lacks its braces: n8n doesn't evaluate it. As a key, it would be
	// the same for all.
	broken(
		exactly`\$(?:json|input|items?|node|vars|now|today|fromAI)(?=\.\w|[[(])|\$\((?=['"])`,
		'id',
		'hint',
	)`code of an expression without braces
		Put it in {{ }}, and switch the field to Expression`,
	// Not in a URL.
	broken(
		exactly`(?<![\w=/])\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?`,
		'hint',
	)`a time as a program writes it
		Format it as ${FOR_PEOPLE}`,
	broken(
		exactly`(?<![\w=/])\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?`,
		'hint',
	)`a time as a database writes it
		Format it as ${SQL_FOR_PEOPLE}`,
	broken(
		exactly`${NO_PART}[45]\d{4}\.${fraction('0,2')}`,
		'hint',
	)`what may be a spreadsheet's number for a date
		Format it as ${NUMBER_FOR_PEOPLE}`,
	broken(
		exactly`${NO_PART}0\.${fraction('1,2')}`,
		'hint',
	)`what may be a spreadsheet's number for a time
		Format it as ${NUMBER_AS_TIME}`,
	// A calculation's result that no one has rounded: 15 digits or more. Not a place in the URL of a
	// map, and no part of a longer number.
	broken(
		exactly`(?<![\w.,=/@+-])-?(?=(?:\d[.,]?){15})\d+[.,]\d{3,}(?![.,]?\d)`,
		'hint',
	)`a number that wasn't rounded
		Round it with {{ Number($json.price).toFixed(2) }}`,
	// Elsewhere in a text, it can be a word.
	broken(
		inAnyCase`(?<![\p{L}\p{N}])(?:hi|hello|hey|dear|hola|hallo|bonjour|olá|oi|ciao|null) null
			(?![\p{L}\p{N}])`,
		'hint',
	)`what an expression gives for a missing field
		${CHECK_FIELDS}`,
	broken(exactly`\\n(?=\\n|[\s\p{Lu}]|$)`, 'hint')`a line break as a program writes it
		Write a real line break. In an expression, write '\\n' inside the braces`,
	broken(
		inAnyCase`</?(?:br|p|div|span|ul|li|h\d|body|html)(?:\s[^<>]{0,300})?/?>|
			&(?:amp|nbsp|lt|gt|quot|#\d{1,6});`,
		'hint',
	)`HTML, which customers read as it's written
		Take it out, e.g. with {{ $json.text.removeTags() }}`,
	broken(
		inAnyCase`^\s*\x60{3}|^\s*\{"\w+":|\bAs an AI (?:language )?model\b`,
		'hint',
	)`what an AI model may have written around its answer
		Check the model's answer, and take only the text from it`,
	broken(exactly`[ÃÂ][\u0080-\u00bf]`, 'hint')`letters of a file that was read in the wrong encoding
		${SAVE_AS_UTF8}`,
	broken(exactly`^=(?=[\p{L}{])`, 'hint')`an equals sign at its beginning
		If it's left from an expression, take it out`,
	broken(
		inAnyCase`<{1,2}(?:${FIELD_NAME})>{1,2}|
			\{(?:\p{L}+_[\p{L}_]+|${FIELD_NAME})\}|\[(?:(?:your|insert|enter) [^[\]\n]{1,30}|
			${FIELD_NAME})\](?!\()|(?<![\w%/])%\p{L}\w{2,30}%(?!\w)`,
		'hint',
	)`what may be a placeholder that wasn't filled
		If so, replace it with the value`,
];

/**
 * A text of a place, as it is, unless certainly no customer should read it.
 * @throws InvalidValue
 */
export function requireIntact(text: string, place: Place): string {
	for (const { pattern, title, description, places } of BROKEN) {
		if (places.length > 0 && !places.includes(place)) continue;
		const found = pattern.exec(text);
		if (!found) continue;
		throw invalid`has ${quoteForError(found[0])}: ${title}
			${description}`;
	}
	return text;
}

/** What someone may have meant, though hardly anyone does. */
export const HINTS = BROKEN.filter(({ places }) => places.includes('hint'));
