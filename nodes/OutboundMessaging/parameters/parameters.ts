import type { CountryCode } from 'libphonenumber-js/max';
import type { IExecuteFunctions, IWorkflowDataProxyData } from 'n8n-workflow';

import { RunRejected, misconfigured, twoLines } from '../common/failure';
import type { AddedField, AddedFields, Field, RecipientField } from './field';
import { isTool } from '../n8n/internals';
import { isShared } from '../n8n/sharedValue';
import { mapAndYield } from '../common/eventLoop';
import { isObject } from '../common/isObject';
import {
	InvalidValue,
	hasExpression,
	invalid,
	quoteForError,
	requireExact,
	requireUsable,
} from '../validation/invalidValue';
import { IN_CELL } from '../validation/dates';
import { requireOwnKeys } from '../validation/json';
import { isInvisible } from '../common/text';
import { type Compiled, type DirectRead, type Piece, compile } from './plainPath';

/** A parameter as the workflow has it, expressions and all; null if it has none of that name. */
export const rawParameter = (context: IExecuteFunctions, name: string): unknown =>
	context.getNodeParameter(name, 0, null, { rawExpressions: true }) as unknown;

/** The options that the user has added, whatever is in them. */
export function addedNames(context: IExecuteFunctions, collectionName: string): Set<string> {
	const stored = rawParameter(context, collectionName);
	return new Set(isObject(stored) ? Object.keys(stored) : []);
}

/**
 * Why a parameter can't be used, from an InvalidValue or what n8n threw when it evaluated it. A
 * RunRejected says that already.
 */
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
	/**
	 * Where numbers without a country code may belong: the countries of the items that
	 * are read by now.
	 */
	readonly countries = new Set<CountryCode>();
	private readonly compiled = new Map<string, Compiled>();
	private current?: { itemIndex: number; data: IWorkflowDataProxyData };
	/**
	 * n8n hands an AI tool its arguments inside its expressions, and resolves them in
	 * a way of its own.
	 */
	private readonly isTool: boolean;

	constructor(
		readonly context: IExecuteFunctions,
		readonly recipientField: RecipientField,
	) {
		this.isTool = isTool(context.getNode());
	}

	/**
	 * A parameter of an item, as n8n evaluates it.
	 * @throws what n8n says about an expression that doesn't work
	 */
	read(name: string, itemIndex: number): unknown {
		const { context } = this;
		const byN8n = () => context.getNodeParameter(name, itemIndex, null) as unknown;
		return this.readDirectly(this.compile(name).read, itemIndex, byN8n);
	}

	/**
	 * Reads a parameter of an item and checks it.
	 * @param gaps gets the empty expressions of a text, which are only worth a hint
	 */
	readChecked<T>(
		name: string,
		field: Field,
		itemIndex: number,
		check: (value: unknown) => T,
		gaps?: Set<string>,
	): T {
		try {
			const value = this.read(name, itemIndex);
			for (const piece of this.compile(name).pieces) {
				if (!this.isEmptyPiece(piece, itemIndex, field.holds)) continue;
				// The rest would be wrong without it.
				if (field.holds !== 'text') {
					throw invalid`is incomplete: ${quoteForError(piece.code)} found no value
						Fill in that field of the item, or filter out the items without it before this step`;
				}
				gaps?.add(piece.code);
			}
			const checked = check(value);
			if (field.type === 'json') requireOwnKeys(rawParameter(this.context, name), value);
			return checked;
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
				values[name] = await this.readAdded(path, field, 0);
			} catch (error) {
				throw parameterError(path, field, error);
			}
		}
		return values as RunValues<T>;
	}

	/**
	 * @returns reads of an item what can differ between items, as far as the user has added it; that
	 *   throws RunRejected
	 */
	valuesOfItems<T extends AddedFields>(collectionName: string, fields: T) {
		const added = addedNames(this.context, collectionName);
		const own = Object.entries(fields).filter(
			([name, field]) => field.isPerItem && added.has(name),
		);
		return (itemIndex: number) => {
			const read = ([name, field]: [string, AddedField]) =>
				[name, this.readAdded(`${collectionName}.${name}`, field, itemIndex)] as const;
			return Object.fromEntries(own.map(read)) as ItemValues<T>;
		};
	}

	/**
	 * What an option or a safeguard has that the user has added: if it's empty, what it's
	 * for wouldn't hold.
	 * @throws RunRejected
	 */
	private readAdded(name: string, field: AddedField, itemIndex: number): unknown {
		const { context, recipientField } = this;
		const raw = rawParameter(context, name);
		return this.readChecked(name, field, itemIndex, (value) => {
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
	 * Rejects a value of the whole run that differs between items: it could lead to the wrong person.
	 * What all items share can be a long list, so it isn't evaluated for each of them.
	 * @throws InvalidValue
	 */
	private async requireSame(name: string) {
		if (isShared(rawParameter(this.context, name))) return;
		const read = (itemIndex: number) => JSON.stringify(this.read(name, itemIndex));
		const first = read(0);
		await mapAndYield(this.context.getInputData(), (_, itemIndex) => {
			if (read(itemIndex) === first) return;
			throw invalid`isn't the same for item 0 and item ${itemIndex} (n8n counts items from 0)
				This option must be the same for every item. Use an expression with the same value for \
					every item. To send with different values, use one node for each`;
		});
	}

	/**
	 * Whether an expression inside a text finds nothing, e.g. `{{ $json.name }}`, as n8n
	 * evaluates it by itself.
	 * @throws InvalidValue for a number that has lost digits, in what isn't a text
	 *   for people or a URL
	 */
	private isEmptyPiece({ code, read }: Piece, itemIndex: number, holds: Field['holds']) {
		// What it gives in place of nothing: `{{ $json.folder ?? '' }}`.
		if (holds !== undefined && /''|""|``/.test(code)) return false;
		const byN8n = () => this.context.evaluateExpression(code, itemIndex) as unknown;
		let value: unknown;
		try {
			value = this.readDirectly(read, itemIndex, byN8n);
		} catch {
			// n8n can read some expressions in their text only.
			return false;
		}
		// An empty list is an empty text.
		if (Number.isNaN(value) || isInvisible(String(value ?? ''))) return true;
		if (holds !== undefined) return false;
		if (typeof value === 'number') requireExact(value);
		return ['undefined', 'null', 'NaN'].includes(String(value));
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

	/** Reads without n8n's evaluation where it would give the same. */
	private readDirectly(read: DirectRead, itemIndex: number, byN8n: () => unknown): unknown {
		if (this.isTool) return byN8n();
		try {
			return read({
				$json: this.context.getInputData()[itemIndex].json,
				// n8n makes a whole environment for the expressions of each item, a clock included: only
				// another node's data needs it.
				$: (node: string) => this.dataOf(itemIndex).$(node) as unknown,
			});
		} catch {
			// Also where there's no paired item: n8n says so itself.
			return byN8n();
		}
	}
}
