import { InvalidValue, quoteForError } from './invalidValue';
import { requireText } from './requirements';
import { trimmed } from './whitespace';

const EXAMPLE = 'Write it as {"1": "Ada", "2": "Friday"} or ["Ada", "Friday"]';
const SYNTAX = `${EXAMPLE}. To map a field, write {{ JSON.stringify($json.name) }} without quotes around it`;

/** How to fix keys that aren't the positions 1, 2, … */
export const POSITIONS = `Use the positions "1", "2", … as keys, without gaps. ${EXAMPLE}`;

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;

type Value = string | number | boolean | null;

/** @throws InvalidValue if the key isn't the position of a variable */
export function requirePosition(key: string): void {
	if (/^[1-9][0-9]{0,5}$/.test(key)) return;
	throw new InvalidValue(`has ${quoteForError(key)} where a number is expected`, POSITIONS);
}

/**
 * Parses the JSON of attributes: one object or one list of single values. Not by JSON.parse, which keeps the last of two
 * equal keys without a word and doesn't always say where an error is.
 * @returns the entries of the object, or the list
 * @throws InvalidValue
 */
export function parseAttributesJson(json: unknown): Map<string, Value> | Value[] {
	const given = requireText(json, 'an object or a list', EXAMPLE);
	const text = trimmed(given);
	if (text === '') throw new InvalidValue('is empty', 'Enter {} if the template has no variables');
	return new Parser(text, given.slice(0, given.indexOf(text))).parse();
}

class Parser {
	private at = 0;

	/** @param before what was trimmed off the start: positions count from there */
	constructor(
		private readonly text: string,
		private readonly before: string,
	) {}

	parse(): Map<string, Value> | Value[] {
		if (!/^[{[]/.test(this.text)) {
			throw new InvalidValue(`${quoteForError(this.text)} isn't a JSON object or list`, SYNTAX);
		}
		const parsed = this.has('{') ? this.object() : this.list();
		if (this.at < this.text.length) throw this.expected('nothing more');
		return parsed;
	}

	private object(): Map<string, Value> {
		const entries = new Map<string, Value>();
		if (this.has('}')) return entries;
		do {
			const key = this.string('a key in double quotes');
			requirePosition(key);
			if (entries.has(key))
				throw new InvalidValue(`has the key ${quoteForError(key)} twice`, POSITIONS);
			if (!this.has(':')) throw this.expected('":"');
			entries.set(key, this.value(key));
		} while (this.has(','));
		if (this.has('}')) return entries;
		throw this.expected('"," or "}"');
	}

	private list(): Value[] {
		this.has('[');
		const values: Value[] = [];
		if (this.has(']')) return values;
		do values.push(this.value(String(values.length + 1)));
		while (this.has(','));
		if (this.has(']')) return values;
		throw this.expected('"," or "]"');
	}

	private value(position: string): Value {
		const simple = this.take(NUMBER) ?? this.take(WORD);
		this.take(SPACE);
		if (simple !== undefined) return JSON.parse(simple) as Value;
		if (!/[{[]/.test(this.text.charAt(this.at))) return this.string('a value');
		throw new InvalidValue(
			`value ${position} received several values at once`,
			'Give each variable one text, number, true or false',
		);
	}

	private string(what: string): string {
		const start = this.at;
		if (this.text[start] !== '"') throw this.expected(what);
		this.at = this.endOfText(start + 1);
		if (this.text[this.at] !== '"') throw this.expected('a double quote that ends the text');
		try {
			const value = JSON.parse(this.text.slice(start, this.at + 1)) as string;
			this.at++;
			this.take(SPACE);
			return value;
		} catch {
			this.at = start;
			throw this.expected('a text without tabs or invalid escapes');
		}
	}

	/** Where the closing quote is, or what is in its way. Not by a pattern: its stack would be as deep as the text is long. */
	private endOfText(from: number): number {
		let end = from;
		while (end < this.text.length && this.text[end] !== '"' && this.text[end] !== '\n') {
			end += this.text[end] === '\\' ? 2 : 1;
		}
		return Math.min(end, this.text.length);
	}

	/** Whether the mark comes next; if so, it's passed. */
	private has(mark: string): boolean {
		if (this.text[this.at] !== mark) return false;
		this.at++;
		this.take(SPACE);
		return true;
	}

	private take(pattern: RegExp): string | undefined {
		pattern.lastIndex = this.at;
		const found = pattern.exec(this.text)?.[0];
		this.at += found?.length ?? 0;
		return found;
	}

	private expected(what: string): InvalidValue {
		const passed = (this.before + this.text.slice(0, this.at)).split('\n');
		const position = `line ${passed.length}, column ${passed[passed.length - 1].length + 1}`;
		const rest = this.text.slice(this.at, this.at + 20);
		const found = rest === '' ? 'the end' : quoteForError(rest);
		return new InvalidValue(
			`isn't valid JSON: expected ${what} at ${position}, found ${found}`,
			SYNTAX,
		);
	}
}
