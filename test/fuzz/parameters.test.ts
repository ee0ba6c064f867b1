import fc from 'fast-check';
import { ExecuteContext } from 'n8n-core';
import type {
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	INodeParameters,
} from 'n8n-workflow';
import { createRunExecutionData, Workflow } from 'n8n-workflow';

import { Parameters } from '../../nodes/OutboundMessaging/parameters/parameters';
import { words } from '../unit/help';
import { claim, nasty } from './help';

const NODE = 'Sender';
const SOURCE = "It's (1)";

const nodeNamed = (name: string, parameters: INodeParameters = {}): INode => ({
	...{ id: name, name, type: 'test', typeVersion: 1, parameters },
	position: [0, 0],
});

/** n8n takes away every parameter that a node type does not have. */
const PARAMETERS = ['one', 'two', 'three'].map((name) => ({ name, type: 'string', default: '' }));

/** What n8n gives to a node with these parameters, for items that came from another node. */
function contextOf(
	parameters: INodeParameters,
	items: INodeExecutionData[],
	source: INodeExecutionData[],
) {
	const node = nodeNamed(NODE, parameters);
	const nodeType = { description: { properties: PARAMETERS } };
	const workflow = new Workflow({
		nodes: [nodeNamed(SOURCE), node],
		connections: { [SOURCE]: { main: [[{ node: NODE, type: 'main', index: 0 }]] } },
		active: false,
		nodeTypes: { getByNameAndVersion: () => nodeType } as never,
	});
	const ran = { startTime: 0, executionTime: 0, executionIndex: 0, source: [] };
	const runData = { [SOURCE]: [{ ...ran, data: { main: [source] } }] };
	const run = createRunExecutionData({ resultData: { runData } });
	const data = { main: [items] };
	const executeData = { node, data, source: { main: [{ previousNode: SOURCE }] } };
	const url = 'http://127.0.0.1';
	const urls = { webhookWaitingBaseUrl: url, formWaitingBaseUrl: url } as never;
	const context = [urls, 'manual', run, 0] as const;
	return new ExecuteContext(workflow, node, ...context, items, data, executeData, []);
}

const NAMES =
	words(`a b $ $x x.y größe 😀 0 length this class globalThis isProxy __proto__ constructor
	prototype arguments caller toString valueOf { } {{ }} ' " \` \\ .isEmpty( $json //`);

const leaf = fc.oneof(
	nasty,
	fc.constantFrom('text', '=1+1', '={{ $json.a }}', '2026-11-21T08:00:00.000Z', '\ud83d', '\0'),
	fc.constantFrom(null, undefined, true, false, 0, -0, 1.5, 1e21, NaN, Infinity, 2 ** 53, 10n),
	fc.constant(Object.assign(new Date(0), { a: 1 })),
);

/** Fields are defined, not assigned: `__proto__` is a field like any other in JSON. */
const objectOf = (fields: Array<[string, unknown]>) => {
	const object = {};
	const shared = { writable: true, enumerable: true, configurable: true };
	for (const [key, value] of fields) Object.defineProperty(object, key, { value, ...shared });
	return object;
};

/** Items whose fields have these names. */
function itemsWith(name: fc.Arbitrary<string>): fc.Arbitrary<INodeExecutionData[]> {
	const { object } = fc.letrec((tie) => ({
		value: fc.oneof({ depthSize: 'small' }, leaf, leaf, tie('object'), tie('list')),
		object: fc.array(fc.tuple(name, tie('value')), { minLength: 1, maxLength: 6 }).map(objectOf),
		list: fc.array(tie('value'), { maxLength: 3 }).map((list) => {
			if (list.length > 2) delete list[1];
			return list;
		}),
	}));
	const json = object as fc.Arbitrary<IDataObject>;
	const pairedItem = fc.constantFrom({ item: 0 }, { item: 1 }, 0, { item: 7 }, undefined);
	return fc.array(fc.record({ json, pairedItem }), { minLength: 2, maxLength: 2 });
}

/** What isn't a plain path any more. */
const ODD_STEPS = [
	...['?.a', '[`a`]', '[ "a" ]', '.a()', '.length', ' .a', '[-1]', '[00]', '["\\u0061"]', '[a]'],
	...['.a;', '.a // x', '["a"]/**/', '.a || 1', '.constructor', '. constructor', '.a, 1'],
];
const BETWEEN = ['Hello ', ' ', '\n', '{', '}', '}}', '{{', '\\', '='];

/** Parameters that read fields with these names. */
function parametersWith(name: fc.Arbitrary<string>) {
	const step = fc.oneof(
		{ weight: 4, arbitrary: name.map((each) => `.${each}`) },
		{ weight: 4, arbitrary: name.map((each) => `["${each}"]`) },
		{ weight: 2, arbitrary: name.map((each) => `['${each}']`) },
		{ weight: 2, arbitrary: fc.constantFrom('[0]', '[1]', '[2]') },
		{ weight: 1, arbitrary: fc.constantFrom(...ODD_STEPS) },
	);
	const steps = fc.array(step, { minLength: 1, maxLength: 3, size: '-1' });
	const root = fc.constantFrom(
		...['$json', '$json', '$json', `$("${SOURCE}").item.json`, "$('Nowhere').item.json"],
	);
	const code = fc
		.tuple(root, steps, fc.constantFrom(' ', ' ', '', '\n', '\u00a0'))
		.map(([start, path, space]) => `{{${space}${start}${path.join('')}${space}}}`);
	const piece = fc.oneof(
		{ weight: 6, arbitrary: code },
		{ weight: 2, arbitrary: fc.constantFrom(...BETWEEN) },
		{ weight: 1, arbitrary: nasty },
	);
	const text = fc.array(piece, { minLength: 1, maxLength: 3 }).map((all) => `=${all.join('')}`);
	const attribute = fc.array(fc.record({ value: text }), { maxLength: 2 });
	const parameter = fc.oneof(
		{ weight: 4, arbitrary: code.map((each) => `=${each}`) },
		{ weight: 4, arbitrary: text },
		{ weight: 1, arbitrary: fc.record({ attribute }) },
	);
	return fc.dictionary(fc.constantFrom('one', 'two', 'three'), parameter, { minKeys: 1 });
}

/** Few names, so that a path often leads to a value. */
const names = fc.uniqueArray(fc.constantFrom(...NAMES, 'c d', '', '\n', '\u2028'), {
	minLength: 1,
	maxLength: 2,
});

/** A value, or the error in place of it. */
function ended(read: () => unknown): unknown {
	try {
		return { value: read() };
	} catch (error) {
		return { error: (error as Error).message };
	}
}

claim(
	'a parameter is what n8n makes of it, or ends in its error',
	names.chain((few) => {
		const name = fc.constantFrom(...few);
		const items = itemsWith(name);
		return fc.record({ parameters: parametersWith(name), items, source: itemsWith(name) });
	}),
	({ parameters, items, source }) => {
		const context = contextOf(parameters as INodeParameters, items, source);
		const reader = new Parameters(context as IExecuteFunctions);
		for (const index of items.keys()) {
			for (const each of Object.keys(parameters)) {
				const byN8n = ended(() => context.getNodeParameter(each, index, null));
				expect(ended(() => reader.read(each, index))).toStrictEqual(byN8n);
			}
		}
	},
);
