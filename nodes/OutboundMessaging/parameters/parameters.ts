import type { CountryCode } from 'libphonenumber-js/max';
import type { IExecuteFunctions, IWorkflowDataProxyData } from 'n8n-workflow';

import { RunRejected, misconfigured } from '../delivery/runRejected';
import type { AddedField, AddedFields, Field, RecipientField } from '../fields/field';
import { isTool } from '../n8n/internals';
import { isShared } from '../n8n/sharedValue';
import { mapInTurns } from '../common/eventLoop';
import { isObject } from '../common/isObject';
import { twoLines } from '../common/twoLines';
import { InvalidValue, invalid, quoteForError, requireExact } from '../validation/invalidValue';
import { IN_CELL } from '../validation/dates';
import { hasExpression, requireUsable } from '../validation/usable';
import { isInvisible } from '../validation/whitespace';
import { type Compiled, type DirectRead, compile } from './plainPath';

/** A parameter as the workflow has it, expressions and all; null if it has none of that name. */
export const rawParameter = (context: IExecuteFunctions, name: string): unknown =>
	context.getNodeParameter(name, 0, null, { rawExpressions: true }) as unknown;

/** The options that the user has added, whatever is in them. */
export function addedNames(context: IExecuteFunctions, collectionName: string): Set<string> {
	const stored = rawParameter(context, collectionName);
	return new Set(isObject(stored) ? Object.keys(stored) : []);
}

/** Why a parameter can't be used, from an InvalidValue or what n8n threw when it evaluated it. A RunRejected says that already. */
export function parameterError(name: string, { displayName }: Field, error: unknown): RunRejected {
	if (error instanceof RunRejected) return error;
	const { message, description } = error as { message?: string; description?: string | null };
	const isOurs = error instanceof InvalidValue;
	const said = isOurs ? message : `couldn't be read: ${message}`;
	// For a date that's missing, n8n advises a `?.`, which leaves a gap in the text.
	const fix = !isOurs && /DateTime/.test(String(message)) && IN_CELL;
	const text = twoLines`'${displayName}' ${said}
		${fix || description || `Check the expression in '${displayName}'`}`;
	const { failure } = misconfigured(text, 'invalidInput');
	return new RunRejected({ ...failure, parameter: name });
}

/** The values of the options, or the safeguards, that are one value for the whole run. */
export type RunValues<T extends AddedFields> = {
	[K in keyof T as T[K] extends { isPerItem: true } ? never : K]: ValueOf<T[K]>;
};
/** The values of those that can differ between items, if they are added. */
type ItemValues<T extends AddedFields> = {
	[K in keyof T as T[K] extends { isPerItem: true } ? K : never]?: ValueOf<T[K]>;
};
type ValueOf<F extends AddedField> = Awaited<ReturnType<F['check']>>;

/** Reads the parameters of a run: plain paths itself, everything else by n8n. */
export class Parameters {
	/** Where numbers without a country code may belong: the countries of the items that are read by now. */
	readonly countries = new Set<CountryCode>();
	private readonly compiled = new Map<string, Compiled>();
	private current?: { itemIndex: number; data: IWorkflowDataProxyData };
	/** n8n hands an AI tool its arguments inside its expressions, and resolves them in a way of its own. */
	private readonly isTool: boolean;

	constructor(
		readonly context: IExecuteFunctions,
		readonly recipientField: RecipientField,
	) {
		this.isTool = isTool(context.getNode());
	}

	/** A parameter of an item, as n8n evaluates it. @throws what n8n says about an expression that doesn't work */
	read(name: string, itemIndex: number): unknown {
		const value = this.readDirectly(this.compile(name).read, itemIndex);
		return value ?? (this.context.getNodeParameter(name, itemIndex, null) as unknown);
	}

	/** Reads a parameter of an item and checks it. @param gaps gets the empty expressions of a text, which are only worth a hint */
	checked<T>(
		name: string,
		field: Field,
		itemIndex: number,
		check: (value: unknown) => T,
		gaps?: Set<string>,
	): T {
		try {
			const value = this.read(name, itemIndex);
			for (const piece of this.emptyPieces(name, itemIndex, field.holds)) {
				if (field.holds !== 'text') throw incomplete(piece);
				gaps?.add(piece);
			}
			return check(value);
		} catch (error) {
			throw parameterError(name, field, error);
		}
	}

	/**
	 * Reads what is one value for the whole run from the first item.
	 * @throws RunRejected, also if a value isn't the same for every item
	 */
	async valuesOfRun<T extends AddedFields>(
		collectionName: string,
		fields: T,
	): Promise<RunValues<T>> {
		const values: Record<string, unknown> = {};
		const added = addedNames(this.context, collectionName);
		for (const [name, field] of Object.entries(fields)) {
			if (field.isPerItem === true) continue;
			values[name] = 'off' in field ? field.off : field.default;
			if (!added.has(name)) continue;
			const path = `${collectionName}.${name}`;
			try {
				await this.requireSame(path);
				values[name] = await this.added(path, field, 0);
			} catch (error) {
				throw parameterError(path, field, error);
			}
		}
		return values as RunValues<T>;
	}

	/** @returns reads of an item what can differ between items, as far as the user has added it; that throws RunRejected */
	valuesOfItems<T extends AddedFields>(collectionName: string, fields: T) {
		const added = addedNames(this.context, collectionName);
		const own = Object.entries(fields).filter(
			([name, field]) => field.isPerItem && added.has(name),
		);
		return (itemIndex: number) => {
			const read = ([name, field]: [string, AddedField]) =>
				[name, this.added(`${collectionName}.${name}`, field, itemIndex)] as const;
			return Object.fromEntries(own.map(read)) as ItemValues<T>;
		};
	}

	/** What an option or a safeguard has that the user has added: if it's empty, what it's for wouldn't hold. @throws RunRejected */
	private added(name: string, field: AddedField, itemIndex: number): unknown {
		const { context, recipientField } = this;
		const raw = rawParameter(context, name);
		return this.checked(name, field, itemIndex, (value) => {
			requireUsable(raw, value, field.type === 'options' && field.default === '');
			if (field.isOffAtZero && Number(value) === 0 && hasExpression(raw)) {
				throw invalid`is 0, which would turn it off
					Use an expression that gives 1 or more. To do without this setting, remove it`;
			}
			const countries = [...this.countries];
			const timezone = context.getTimezone();
			return field.check(value, { raw, timezone, recipientField, countries });
		});
	}

	/**
	 * Rejects a value of the whole run that differs between items: it could lead to the wrong person. What all items share can
	 * be a long list, so it isn't evaluated for each of them. @throws InvalidValue
	 */
	private async requireSame(name: string): Promise<void> {
		if (isShared(rawParameter(this.context, name))) return;
		const read = (itemIndex: number) => JSON.stringify(this.read(name, itemIndex));
		const first = read(0);
		await mapInTurns(this.context.getInputData(), (_, itemIndex) => {
			if (read(itemIndex) === first) return;
			throw invalid`isn't the same for item 0 and item ${itemIndex} (n8n counts items from 0)
				This option must be the same for every item. Use an expression with the same value for every item. To send with different values, use one node for each`;
		});
	}

	/**
	 * The expressions inside a text that find nothing, e.g. `{{ $json.name }}`, as n8n evaluates each by itself.
	 * @throws InvalidValue for a number that has lost digits, unless people read the text
	 */
	private emptyPieces(name: string, itemIndex: number, holds: Field['holds']): string[] {
		const empty = this.compile(name).pieces.filter((piece) => {
			if (holds === 'url' && providesForEmpty(piece.code)) return false;
			const found = this.readPiece(piece, itemIndex);
			if (isEmptyPiece(found)) return true;
			if (holds === undefined && typeof found === 'number') requireExact(found);
			return holds === undefined && /^(?:undefined|null|NaN)$/.test(String(found ?? ''));
		});
		return empty.map(({ code }) => code);
	}

	/** @returns undefined where n8n can read the expression in a text only, null where it finds nothing */
	private readPiece({ code, read }: Compiled['pieces'][number], itemIndex: number): unknown {
		const value = this.readDirectly(read, itemIndex);
		if (value !== undefined) return value;
		try {
			return (this.context.evaluateExpression(code, itemIndex) as unknown) ?? null;
		} catch {
			return undefined;
		}
	}

	private compile(name: string) {
		const compiled = this.compiled.get(name) ?? compile(rawParameter(this.context, name));
		this.compiled.set(name, compiled);
		return compiled;
	}

	/** What n8n's expressions see of an item. */
	private dataOf(itemIndex: number): IWorkflowDataProxyData {
		if (this.current?.itemIndex !== itemIndex) {
			this.current = { itemIndex, data: this.context.getWorkflowDataProxy(itemIndex) };
		}
		return this.current.data;
	}

	/** @returns undefined where n8n has to evaluate */
	private readDirectly(read: DirectRead, itemIndex: number): unknown {
		if (this.isTool) return undefined;
		try {
			return read({
				$json: this.context.getInputData()[itemIndex].json,
				// n8n makes a whole environment for the expressions of each item, a clock included: only another node's data needs it.
				$: (node: string) => this.dataOf(itemIndex).$(node) as unknown,
			});
		} catch {
			// E.g. no paired item: n8n says so itself when it evaluates the parameter.
			return undefined;
		}
	}
}

/** An expression inside a value that gives nothing, where the rest would be wrong without it. */
const incomplete = (piece: string) =>
	invalid`is incomplete: ${quoteForError(piece)} found no value
		Fill in that field of the item, or filter out the items without it before this step`;

/** Whether an expression's code says what it gives in place of nothing, e.g. `{{ $json.folder ?? '' }}`. */
const providesForEmpty = (piece: string) => /''|""|``/.test(piece);

/** As n8n joins it into the text: nothing, null, an empty list and NaN are empty. */
const isEmptyPiece = (found: unknown) =>
	found !== undefined && (found === null || Number.isNaN(found) || isInvisible(String(found)));
