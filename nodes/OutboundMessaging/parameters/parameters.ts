import type { IExecuteFunctions } from 'n8n-workflow';

import { combined, isPlain } from './expressions';

/** Reads the parameters of the items, one item after the other, and no value more often than needed. */
export class Parameters {
	/** Without an expression: the same for all items. */
	private readonly fixed = new Map<string, unknown>();
	/** With an expression, as the workflow has it. */
	private readonly varying = new Map<string, unknown>();
	private itemIndex = -1;
	private values = new Map<string, unknown>();
	private readAtOnce?: (itemIndex: number) => Map<string, unknown> | undefined;

	constructor(private readonly context: IExecuteFunctions) {}

	/**
	 * A parameter of an item.
	 * @throws what n8n says of an expression that does not work
	 */
	read(name: string, itemIndex: number): unknown {
		if (this.fixed.has(name)) return this.fixed.get(name);
		if (itemIndex !== this.itemIndex) {
			this.itemIndex = itemIndex;
			this.values = this.readAtOnce?.(itemIndex) ?? new Map<string, unknown>();
		}
		if (!this.values.has(name)) this.values.set(name, this.readOne(name));
		return this.values.get(name);
	}

	/** A parameter as the workflow has it, expressions and all. */
	raw(name: string): unknown {
		return this.context.getNodeParameter(name, 0, '', { rawExpressions: true }) as unknown;
	}

	/**
	 * Takes the present item, of which everything was read, as the model of those to come: what it took several
	 * expressions to read is read in one go from now on, if that gives this item the very same values.
	 */
	learn(): void {
		if (this.readAtOnce) return;
		const plain = [...this.varying].filter(([name]) => isPlain(this.values.get(name)));
		const readAtOnce = combined(this.context, plain);
		const again = readAtOnce(this.itemIndex);
		const before = again && [...again.keys()].map((name) => [name, this.values.get(name)]);
		const isSame = again && JSON.stringify([...again]) === JSON.stringify(before);
		this.readAtOnce = isSame ? readAtOnce : () => undefined;
	}

	private readOne(name: string): unknown {
		const value = this.context.getNodeParameter(name, this.itemIndex, null) as unknown;
		const raw = this.raw(name);
		if (hasExpression(raw)) this.varying.set(name, raw);
		else this.fixed.set(name, value);
		return value;
	}
}

function hasExpression(raw: unknown): boolean {
	if (typeof raw === 'string') return raw.startsWith('=');
	if (typeof raw !== 'object' || raw === null) return false;
	return Object.values(raw).some(hasExpression);
}
