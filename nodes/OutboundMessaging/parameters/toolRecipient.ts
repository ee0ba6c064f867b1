import type { IExecuteFunctions } from 'n8n-workflow';

import type { ToolCall } from '../delivery/toolCall';
import { InvalidValue } from '../validation/invalidValue';

const NODE = /\$\(\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|[^()]*)\s*\)/.source;
const MEMBER = '(?:item|itemMatching|pairedItem)\\b';
const ITEM = `(?:\\??\\.\\s*${MEMBER}|(?:\\?\\.)?\\[\\s*['"\`]${MEMBER})`;
const ITEM_REFERENCE = new RegExp(`(?:${NODE}|\\$input)\\s*${ITEM}`);
const JSON_FIELD = /\$json\s*(?:\??\.\s*([\w$-]+)|(?:\?\.)?\[\s*(['"`])([^'"`]*)\2\s*\])/g;

const SAFE =
	"Use $fromAI(), $('…').first() if there's only one item, or a value that's passed into a sub-workflow";

/**
 * Rejects an expression that would send to the wrong customer when the node is a tool of an AI agent. There it has one
 * item of its own, the call, so `$('Node').item` and `$input.item` are the first item in every call, whichever one the
 * agent is working on. The same goes for `$json` if the agent runs the tool itself. If n8n's engine runs it, the
 * arguments of the model lie over `$json`, those that the tool never asked for included.
 * @param raw the parameter as the workflow has it, expressions and all
 * @throws InvalidValue
 */
export function checkToolRecipient(
	context: IExecuteFunctions,
	{ caller }: Pick<ToolCall, 'caller'>,
	raw: unknown,
): void {
	if (typeof raw !== 'string' || !raw.startsWith('=')) return;
	const fields = [...raw.matchAll(JSON_FIELD)].map(([, name, , quoted]) => name ?? quoted);
	const isFirstOfSeveral =
		caller === 'agent' && fields.length > 0 && hasSeveralItems(context) ? '$json' : undefined;
	const reference = ITEM_REFERENCE.exec(raw)?.[0] ?? isFirstOfSeveral;
	if (reference !== undefined) {
		throw new InvalidValue(
			`uses ${reference}, which is the first item in every call of a tool: with several items, all messages would go to the first customer`,
			SAFE,
		);
	}
	if (caller !== undefined) return;
	const asked = toolArguments(context.getNode().parameters);
	const made = fields.find((name) => !asked.includes(name) && isArgument(context, name));
	if (made !== undefined) {
		throw new InvalidValue(
			`uses $json.${made}, and the agent passed a '${made}' of its own, which n8n puts over the item's`,
			`Call this tool again without '${made}'`,
		);
	}
}

/**
 * The arguments that the agent passes for a parameter.
 * @param raw the parameter as the workflow has it, or several of them
 * @returns the keys of its `$fromAI()` calls
 */
export function toolArguments(raw: unknown): string[] {
	if (typeof raw === 'string') {
		return [...raw.matchAll(/\$from(?:AI|ai|Ai)\(\s*(['"`])(.*?)\1/g)].map(([, , key]) => key);
	}
	if (typeof raw !== 'object' || raw === null) return [];
	return Object.values(raw).flatMap(toolArguments);
}

function hasSeveralItems(context: IExecuteFunctions): boolean {
	const { $input } = context.getWorkflowDataProxy(0) as { $input: { all(): unknown[] } };
	return $input.all().length > 1;
}

/** The characters that n8n allows in the name of an argument. */
const ARGUMENT = /^[a-zA-Z0-9_-]{1,64}$/;

/** Whether the model passed an argument of this name: `$fromAI()` reads nothing else. */
function isArgument(context: IExecuteFunctions, name: string): boolean {
	if (!ARGUMENT.test(name)) return false;
	const none = 'outboundMessaging.none';
	return (
		context.evaluateExpression(`{{ $fromAI('${name}', '', 'string', '${none}') }}`, 0) !== none
	);
}
