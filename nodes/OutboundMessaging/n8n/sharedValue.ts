/** n8n's variables that are the same for every item. */
const NAMES = 'env|secrets|vars|now|today|workflow|execution|runIndex';
/** The node before this one, or one by its name. */
const NODE = String.raw`input|\((?:'[^']*'|"[^"]*")\)`;
/**
 * An expression that only has these variables, or takes all items of a node, the first one or the
 * last one. Others may differ between items.
 */
const SHARED = new RegExp(
	String.raw`^=(?:[^$]|\$(?:${NAMES})\b|\$(?:${NODE})\.(?:all|first|last)\()*$`,
);

/** Whether a value, as the workflow or a credential has it, doesn't depend on the item. */
export const isShared = (raw: unknown): boolean =>
	typeof raw !== 'string' || !raw.startsWith('=') || SHARED.test(raw);
