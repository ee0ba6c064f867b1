import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { RunRejected } from '../common/failure';
import { type Caller, connectedItems } from '../n8n/internals';
import { isObject } from '../common/isObject';
import { operationNamed } from '../operations';
import { rawParameter } from '../parameters/parameters';
import { sendOnceKey } from '../safeguards/sendOnceKey';
import { MIXED_UP, unsafeExpression } from './reply';

/**
 * The arguments that the model passes for a parameter, or several of them, as the workflow has it:
 * its `$fromAI()` keys.
 */
export function argumentNames(raw: unknown): string[] {
	const names =
		typeof raw === 'string'
			? [...raw.matchAll(/\$from(?:AI|ai|Ai)\(\s*(['"`])(.*?)\1/g)].map(([, , key]) => key)
			: Object.values(raw ?? {}).flatMap(argumentNames);
	return [...new Set(names)];
}

/**
 * Rejects a call with another one's arguments: n8n mixes up those of an agent that works
 * on several items.
 * @throws RunRejected
 */
export function requireOwnArguments(context: IExecuteFunctions, caller: Caller): void {
	if (caller === undefined) return;
	const [{ json }] = context.getInputData();
	const query: IDataObject = isObject(json.query) ? json.query : {};
	for (const name of argumentNames(context.getNode().parameters)) {
		const passed = query[name] ?? json[name] ?? NONE;
		const read = context.evaluateExpression(`{{ $fromAI('${name}', '', 'string', '${NONE}') }}`, 0);
		if (JSON.stringify(passed) !== JSON.stringify(read)) throw new RunRejected(MIXED_UP);
	}
}

const NONE = 'outboundMessaging.none';

/** What is the same for every call of a tool, and what the model passes. */
const SAFE = [
	/\$(?:fromAI|fromAi|fromai)(?=\s*\()/g,
	/\$(?:vars|env|secrets|execution|workflow|now|today|if|ifEmpty|max|min)(?![\w$])/g,
	/\$\((?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`\\$]*`)\)\??\.(?:first|last|all)(?=\()/g,
];
/**
 * Whether all that isn't the workflow's own words was passed by the model: other data can be about
 * other customers.
 */
export const isPassed = (raw: unknown): boolean =>
	argumentNames(raw).length > 0 && !JSON.stringify(raw).replace(SAFE[0], '').includes('$');

const ITEM = /\$json(?![\w$])/g;

/**
 * Rejects a call that an expression could send to the wrong customer. In a tool, `$('Node').item`
 * and `$input` are the first item in every call, whichever one the agent works on; so is `$json` if
 * an agent runs its tools itself. If n8n's engine does, `$json` may have what the model passes.
 * Only what's safe passes: all data of n8n begin with a dollar sign.
 * @throws RunRejected
 */
export function requireSafeRecipient(context: IExecuteFunctions, caller: Caller): void {
	const operation = operationNamed(context.getNodeParameter('operation', 0));
	// Whether `$json` is what the call is about.
	const isOwnItem = caller === 'mcp' || (caller === 'agent' && connectedItems(context) === 1);
	const key = { name: 'safeguards.sendOnceKey', label: sendOnceKey.displayName };
	for (const { name, label } of operation ? [operation.recipientField, key] : []) {
		const raw = rawParameter(context, name);
		if (typeof raw !== 'string' || !raw.startsWith('=')) continue;
		const safe = isOwnItem ? [...SAFE, ITEM] : SAFE;
		const rest = safe.reduce((code, pattern) => code.replace(pattern, ' '), raw);
		if (rest.includes('$')) throw new RunRejected(unsafeExpression(label));
	}
}
