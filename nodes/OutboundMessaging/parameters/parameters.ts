import type { IExecuteFunctions, IWorkflowDataProxyData } from 'n8n-workflow';

import type { DirectRead } from './plainPath';
import { compile } from './plainPath';

/** Reads the parameters of the items, one item after the other. */
export class Parameters {
	private readonly directReads = new Map<string, DirectRead | undefined>();
	private itemIndex = -1;
	private data?: IWorkflowDataProxyData;
	/** n8n hands an AI tool its arguments inside its expressions, and resolves them in a way of its own. */
	private readonly isTool: boolean;

	constructor(private readonly context: IExecuteFunctions) {
		this.isTool = context.getNode().type.endsWith('Tool');
	}

	/**
	 * A parameter of an item, as n8n's own evaluation gives it.
	 * @throws what n8n says about an expression that doesn't work
	 */
	read(name: string, itemIndex: number): unknown {
		const value = this.isTool ? undefined : this.readDirectly(name, itemIndex);
		return value ?? (this.context.getNodeParameter(name, itemIndex, null) as unknown);
	}

	/** A parameter as the workflow has it, expressions and all; null if it has none of that name. */
	raw(name: string): unknown {
		return this.context.getNodeParameter(name, 0, null, { rawExpressions: true }) as unknown;
	}

	private readDirectly(name: string, itemIndex: number): unknown {
		if (!this.directReads.has(name)) this.directReads.set(name, compile(this.raw(name)));
		try {
			return this.directReads.get(name)?.(this.dataOf(itemIndex));
		} catch {
			// E.g. no paired item: n8n says so itself when it evaluates the parameter.
			return undefined;
		}
	}

	private dataOf(itemIndex: number): IWorkflowDataProxyData {
		if (this.data === undefined || itemIndex !== this.itemIndex) {
			this.data = this.context.getWorkflowDataProxy(itemIndex);
			this.itemIndex = itemIndex;
		}
		return this.data;
	}
}
