import type { IExecuteFunctions, IWorkflowDataProxyData } from 'n8n-workflow';

import { type RunRejected, misconfigured } from '../delivery/runRejected';
import { isTool } from '../n8n/internals';
import { twoLines } from '../common/twoLines';
import { InvalidValue, quoteForError, requireExact } from '../validation/invalidValue';
import { isInvisible } from '../validation/whitespace';
import { type DirectRead, type UsedPath, compile, compileText, pathsIn } from './plainPath';

/** A parameter as the workflow has it, expressions and all; null if it has none of that name. */
export const rawParameter = (context: IExecuteFunctions, name: string): unknown =>
	context.getNodeParameter(name, 0, null, { rawExpressions: true }) as unknown;

/** Why a parameter can't be used, from an InvalidValue or what n8n threw when it evaluated it. @param label as the editor shows it */
export function parameterError(label: string, error: unknown): RunRejected {
	if (error instanceof InvalidValue) {
		const { title, description } = error;
		return misconfigured({ title: `'${label}' ${title}`, description }, 'invalidInput');
	}
	const { message, description } = error as { message?: string; description?: string | null };
	const text = twoLines`'${label}' couldn't be read: ${message}
		${description || `Check the expression in '${label}'`}`;
	return misconfigured(text, 'invalidInput');
}

export class Parameters {
	private readonly directReads = new Map<string, DirectRead>();
	private readonly usedPaths = new Map<string, UsedPath[]>();
	private current?: { itemIndex: number; data: IWorkflowDataProxyData };
	/** n8n hands an AI tool its arguments inside its expressions, and resolves them in a way of its own. */
	private readonly isTool: boolean;

	constructor(private readonly context: IExecuteFunctions) {
		this.isTool = isTool(context.getNode());
	}

	/** A parameter of an item, as n8n evaluates it. @throws what n8n says about an expression that doesn't work */
	read(name: string, itemIndex: number): unknown {
		const compiled = () => compile(rawParameter(this.context, name));
		const value = this.readDirectly(name, itemIndex, compiled);
		return value ?? (this.context.getNodeParameter(name, itemIndex, null) as unknown);
	}

	/** The plain paths inside texts that find nothing. @param isStrict also asks n8n, and throws InvalidValue for lost digits */
	emptyPaths(name: string, itemIndex: number, isStrict: boolean): string[] {
		const used = this.usedPaths.get(name) ?? pathsIn(rawParameter(this.context, name));
		this.usedPaths.set(name, used);
		const pieces = used.filter(({ is }) => is === 'piece').map(({ path }) => path);
		return pieces.filter((path) => {
			const value = this.readPath(path, itemIndex);
			const found = value === undefined && isStrict ? this.evaluate(path, itemIndex) : value;
			// As n8n joins it into the text: nothing, null, an empty list and NaN are empty.
			if (found === null || Number.isNaN(found)) return true;
			if (isStrict && typeof found === 'number') requireExact(found);
			return found !== undefined && isInvisible(String(found));
		});
	}

	/** @returns undefined where n8n can read the path in a text only, null where it finds nothing */
	private evaluate(path: string, itemIndex: number): unknown {
		try {
			return (this.context.evaluateExpression(path, itemIndex) as unknown) ?? null;
		} catch {
			return undefined;
		}
	}

	/** What the fields of expressions hold for an item, e.g. `Date is "25/11"`; those that n8n has to find are left out. */
	fieldsBehind(used: UsedPath[], itemIndex: number): string[] {
		const all = used.flatMap(({ field, path }) => {
			const value = this.readPath(path, itemIndex);
			if (value === undefined) return [];
			const shown = isInvisible(String([value])) ? 'empty' : quoteForError(value);
			return [`${quoteForError(field).slice(1, -1)} is ${shown}`];
		});
		return [...new Set(all)];
	}

	/** What n8n's expressions see of an item. */
	dataOf(itemIndex: number): IWorkflowDataProxyData {
		if (this.current?.itemIndex !== itemIndex)
			this.current = { itemIndex, data: this.context.getWorkflowDataProxy(itemIndex) };
		return this.current.data;
	}

	private readPath(path: string, itemIndex: number): unknown {
		return this.readDirectly(path, itemIndex, () => compileText(path));
	}

	/** @returns undefined where n8n has to evaluate */
	private readDirectly(key: string, itemIndex: number, compiled: () => DirectRead): unknown {
		if (this.isTool) return undefined;
		const directRead = this.directReads.get(key) ?? compiled();
		this.directReads.set(key, directRead);
		try {
			return directRead({
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
