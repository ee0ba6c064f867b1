/** What Excel, Google Sheets and LibreOffice call their errors after the #, in the languages that have names of their own. */
const NAMES = [
	/(?:VALUE|WERT|VALEUR|VALORE?|WAARDE|VERDI|VÆRDI|VÄRDEFEL|ARVO|HODNOTA|ÉRTÉK|DEĞER|VALOARE)!/,
	/(?:REF|BEZUG|RIF|VERW|REFEREN[CS]E?|VIITTAUS|ADR|ODKAZ|BAŞV|SKLIC|NULLO?|NUL[AO]?|LEEG|TYHJÄ|BOŞ)!/,
	/(?:NUM|NÚM|ZAHL|NOMBRE|GETAL|OGILTIGT|LUKU|LICZBA|ČÍSLO|SZÁM|SAYI|SKÄRNING|NEPLATNÝ)!/,
	/(?:[^\s#/!]+\/0|DĚLENÍ_NULOU|DELENIE_?NULOU|ZÉRÓOSZTÓ|ERRO(?:RE?)?|FEHLER|ERREUR|HATA|CALC|KALK)!/,
	/(?:SPILL|ÜBERLAUF|PROPAGATION|EPARS|ESPANSIONE|DESPEJAR|OVERLOOP|OVERLØB|OVERFLYT|ROZLANIE|TAŞMA)!/,
	/(?:ЗНАЧ|ССЫЛКА|ЧИСЛО|ПУСТО|ПЕРЕНОС|ВЫЧИСЛ|ОШИБКА|ЗНАЧЕННЯ|ПОСИЛАННЯ|ΤΙΜΗ|ΑΝΑΦ|ΑΡΙΘ|ΚΕΝΟ)!/,
	/(?:NAME|NOM|NOMBRE|NOME|NAAM|NAVN|NAMN|NIMI|NAZWA|NÁZEV|NÁZOV|NÉV|NUME|ИМЯ|ІМ[’']Я|ΟΝΟΜΑ)\?/,
	// Only Spanish has such marks.
	/¡[^\s#!]+!|¿[^\s#?]+\?/,
	/(?:N\/[ABDV]|I\/T|Н\/Д|Δ\/Υ)!?/,
	// Not in a number such as #NV-2231.
	/(?:NV|SAKNAS|PUUTTUU|YOK|HIÁNYZIK|NEDOSTUPN[ÝÉ]|NENÍ_K_DISPOZICI|GETTING_DATA|DATEN_ABRUFEN)(?:!|(?!-))/,
];
/** Polish, Hungarian and Turkish names that others use as hashtags: only where nothing else is. */
const ALONE = /^#(?:ARG!|ZERO!|HIV!|AD\?)$/;
const ANY_NAME = NAMES.map(({ source }) => source).join('|');

export const SPREADSHEET_ERROR = new RegExp(
	`#(?:${ANY_NAME})(?![\\p{L}\\p{N}_])|${ALONE.source}|\\bErr ?:5\\d\\d\\b`,
	'u',
);
/** What an error looks like in any language, and a hashtag can, too. */
export const LIKE_A_SPREADSHEET_ERROR = /#[¡¿]?\p{Lu}[\p{Lu}_/’']+[!?]/u;
