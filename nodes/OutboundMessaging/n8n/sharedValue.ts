/** n8n's names that have one value for all items, and what asks a node for all, its first or its last item. */
const NAMES = 'env|secrets|vars|now|today|workflow|execution|runIndex';
const NODE = String.raw`input|\((?:'[^']*'|"[^"]*")\)`;
/** An expression with no others. Whatever else it has may differ between items. */
const SHARED = new RegExp(
	String.raw`^=(?:[^$]|\$(?:${NAMES})\b|\$(?:${NODE})\.(?:all|first|last)\()*$`,
);

/** Whether a value, as the workflow or a credential has it, is certainly the same for all items. */
export const isShared = (raw: unknown): boolean =>
	typeof raw !== 'string' || !raw.startsWith('=') || SHARED.test(raw);
