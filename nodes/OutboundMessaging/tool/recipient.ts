import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Failure } from '../delivery/failure';

import { RunRejected } from '../delivery/runRejected';
import type { ToolCall } from './toolCall';
import { isObject } from '../isObject';
import { InvalidValue, quoteForError } from '../validation/invalidValue';

/** What is the same for every call of a tool, and what the model passes. */
const SAFE = new RegExp(
	[
		/\$(?:fromAI|fromAi|fromai)(?=\s*\()/,
		/\$(?:vars|env|secrets|execution|workflow|now|today|if|ifEmpty|max|min)(?![\w$])/,
		/\$\((?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`\\$]*`)\)\??\.(?:first|last|all)(?=\()/,
	]
		.map(({ source }) => source)
		.join('|'),
	'g',
);
/** A field of the item, by a name that nothing is computed for, and not one of the methods that n8n adds. */
const FIELD =
	/\$json(?:\s*\??\.\s*([A-Za-z_]\w*)|\s*(?:\?\.)?\[\s*(?:'([^'\\]*)'|"([^"\\]*)")\s*\])(?![\w$]|\s*(?:\?\.)?\s*[(`]|\s*\/[*/])/g;
/** Everything else that n8n offers begins with a dollar sign. */
const REFERENCE = /\$(?:\((?:[^()]*\))?(?:\s*\??[.[]\s*['"`]?[\w$]*)?|[\w$]*(?:\.[\w$]+)?)/;

const USE =
	"Use $fromAI(), $('…').first() if there's only one item, or a value that's passed into a sub-workflow";

/**
 * Rejects an expression that could send to the wrong customer when the node is a tool of an AI agent. There it has one
 * item of its own, the call: `$('Node').item` and `$input` are the first item in every call, whichever one the agent is
 * working on. The same goes for `$json` if the agent runs the tool itself. If n8n's engine runs it, all arguments of
 * the model lie over the item, those that the tool never asked for included. So only what is known to be safe passes.
 * @param raw the parameter as the workflow has it, expressions and all
 * @throws InvalidValue
 */
export function checkToolRecipient(
	context: IExecuteFunctions,
	{ caller }: Pick<ToolCall, 'caller'>,
	raw: unknown,
): void {
	if (typeof raw !== 'string' || !raw.startsWith('=')) return;
	const code = raw.replace(SAFE, '');
	const fields = [...code.matchAll(FIELD)].map(([, ...names]) => names.join(''));
	const other = REFERENCE.exec(code.replace(FIELD, ''))?.[0];
	if (other !== undefined) throw unsafe(quoteForError(other));
	if (caller === 'agent' && fields.length > 0 && hasSeveralItems(context)) throw unsafe('$json');
	if (caller !== undefined) return;
	const asked = toolArguments(context.getNode().parameters);
	for (const name of fields) {
		const field = `$json${ARGUMENT.test(name) ? `.${name}` : `[${quoteForError(name)}]`}`;
		if (asked.includes(name) || !ARGUMENT.test(name)) {
			throw new InvalidValue(`uses ${field}, which the agent can replace with any value`, USE);
		}
		if (argumentOf(context, name) === NONE) continue;
		throw new InvalidValue(
			`uses ${field}, and the agent passed a '${name}' of its own, which n8n puts over the item's`,
			`Call this tool again without '${name}'`,
		);
	}
}

function unsafe(reference: string): InvalidValue {
	return new InvalidValue(
		`uses ${reference}, which can be another item than the one that the agent is working on: all messages could go to one customer`,
		USE,
	);
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
	return Object.values(raw ?? {}).flatMap(toolArguments);
}

/**
 * Rejects a call for which n8n reads the arguments of another one: it does so when an agent that runs its tools itself
 * works on several items at the same time.
 * @throws RunRejected
 */
export function checkToolArguments(
	context: IExecuteFunctions,
	{ caller }: Pick<ToolCall, 'caller'>,
): void {
	if (caller === undefined) return;
	const [{ json }] = context.getInputData();
	const query: IDataObject = isObject(json.query) ? json.query : {};
	for (const name of new Set(toolArguments(context.getNode().parameters))) {
		const passed = query[name] ?? json[name] ?? NONE;
		const read = argumentOf(context, name);
		if (JSON.stringify(passed) !== JSON.stringify(read)) throw new RunRejected(MIXED_UP);
	}
}

const MIXED_UP: Failure = {
	title: 'n8n gave this call the arguments of another call that ran at the same time',
	description:
		"In the AI Agent, set 'Batch Size' of 'Batch Processing' to 1. Don't call an agent that has this tool several times at once",
	n8nCause: { cause: 'configuration-invalid' },
};

function hasSeveralItems(context: IExecuteFunctions): boolean {
	const { $input } = context.getWorkflowDataProxy(0) as { $input: { all(): unknown[] } };
	return $input.all().length > 1;
}

/** The characters that n8n allows in the name of an argument. */
const ARGUMENT = /^[a-zA-Z0-9_-]{1,64}$/;
const NONE = 'outboundMessaging.none';

/** What the model passed under a name, as `$fromAI()` reads it; `NONE` if nothing. */
function argumentOf(context: IExecuteFunctions, name: string): unknown {
	return context.evaluateExpression(`{{ $fromAI('${name}', '', 'string', '${NONE}') }}`, 0);
}
