import type { IExecuteFunctions } from 'n8n-workflow';

import { readsOnly } from './readsOnly';

interface Code {
	text: string;
	/** Whether its value becomes a part of a text. */
	inText: boolean;
}

/** Puts the values of the codes in their places. */
type Fill = (values: unknown[]) => unknown;

/**
 * Reads several parameters with one evaluation: most of what an expression costs in n8n is the way into its sandbox
 * and back, whatever the expression says. All of them become the elements of one list.
 * @param parameters names and values as the workflow has them, with expressions anywhere inside
 * @returns for an item the value of each parameter whose expressions change nothing; undefined where n8n has to read
 * them one by one: one of them fails or has a value that is not plain, or there is only one expression
 */
export function combined(
	context: IExecuteFunctions,
	parameters: Array<[name: string, raw: unknown]>,
): (itemIndex: number) => Map<string, unknown> | undefined {
	const codes: Code[] = [];
	const fills = parameters
		.filter(([, raw]) => codesOf(raw).every(({ text }) => readsOnly(text)))
		.map(([name, raw]) => [name, filling(raw, codes)] as const);
	if (codes.length < 2) return () => undefined;

	// On lines of their own, since a code may end in a comment.
	const list = `{{ [${codes.map(({ text }) => `(${text}\n)`).join(', ')}] }}`;
	return (itemIndex) => {
		const values = evaluate(context, list, itemIndex);
		if (values?.length !== codes.length) return undefined;
		if (!codes.every(({ inText }, at) => (inText ? isSimple : isPlain)(values[at])))
			return undefined;
		return new Map(fills.map(([name, fill]) => [name, fill(values)]));
	};
}

function evaluate(
	context: IExecuteFunctions,
	expression: string,
	itemIndex: number,
): unknown[] | undefined {
	try {
		const values: unknown = context.evaluateExpression(expression, itemIndex);
		return Array.isArray(values) ? values : undefined;
	} catch {
		// Read one by one, the one that fails says so itself.
		return undefined;
	}
}

function codesOf(raw: unknown): Code[] {
	const codes: Code[] = [];
	filling(raw, codes);
	return codes;
}

function filling(raw: unknown, codes: Code[]): Fill {
	if (typeof raw === 'string' && raw.startsWith('=')) return fillingText(raw.slice(1), codes);
	if (Array.isArray(raw)) {
		const fills = raw.map((each) => filling(each, codes));
		return (values) => fills.map((fill) => fill(values));
	}
	if (typeof raw !== 'object' || raw === null) return () => raw;
	const fills = Object.entries(raw).map(([key, each]) => [key, filling(each, codes)] as const);
	return (values) => Object.fromEntries(fills.map(([key, fill]) => [key, fill(values)]));
}

/** An expression that is nothing but code keeps the type of its value; everything else is text. */
function fillingText(text: string, codes: Code[]): Fill {
	const parts = text.split(/\{\{(.*?)\}\}/s);
	const inText = parts.length !== 3 || parts[0] !== '' || parts[2] !== '';
	const first = codes.length;
	codes.push(...parts.filter((_, at) => at % 2 === 1).map((code) => ({ text: code, inText })));
	if (!inText) return (values) => values[first];
	return (values) =>
		parts.map((part, at) => (at % 2 === 1 ? values[first + (at - 1) / 2] : part)).join('');
}

/** Whether there is no doubt how a value looks in a text: n8n leaves out what is NaN, and objects have ways of their own. */
function isSimple(value: unknown): boolean {
	return (
		value === null ||
		['string', 'boolean', 'undefined'].includes(typeof value) ||
		Number.isFinite(value)
	);
}

const DEEPEST = 10;

/** Whether a value is what JSON can hold: n8n prepares dates and other objects of a kind of their own. */
export function isPlain(value: unknown, depth = 0): boolean {
	if (value === null || value === undefined) return true;
	if (typeof value !== 'object') return ['string', 'number', 'boolean'].includes(typeof value);
	const isOfOwnKind = Object.getPrototypeOf(value) !== Object.prototype && !Array.isArray(value);
	if (isOfOwnKind || depth === DEEPEST) return false;
	return Object.values(value).every((each) => isPlain(each, depth + 1));
}
