import fc from 'fast-check';
import type { IExecuteFunctions, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { createRunExecutionData, Workflow } from 'n8n-workflow';

import { Parameters } from '../../nodes/OutboundMessaging/parameters/parameters';
import { claim, json, nasty } from './help';

const NODE = 'Sender';

/** n8n's own evaluation of a node's parameters for these items. */
function evaluating(parameters: INodeParameters, items: INodeExecutionData[]) {
	const node = {
		...{ id: '1', name: NODE, type: 'sender', typeVersion: 1, parameters },
		position: [0, 0] as [number, number],
	};
	const nodeType = { description: { properties: [] } };
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: {
			getByName: () => nodeType,
			getByNameAndVersion: () => nodeType,
			getKnownTypes: () => ({}),
		} as never,
	});
	const run = createRunExecutionData({});
	const valueOf = (value: unknown, item: number) =>
		workflow.expression.getParameterValue(
			...([value as string, run, 0, item, NODE, items, 'manual', {}] as const),
		) as unknown;
	const context = {
		evaluateExpression: (expression: string, item: number) => valueOf(`=${expression}`, item),
		getNodeParameter: (name: string, item: number, _: unknown, options?: object) =>
			options ? parameters[name] : valueOf(parameters[name], item),
	};
	return { context: context as unknown as IExecuteFunctions, valueOf };
}

const code = fc
	.array(
		fc.constantFrom(
			...['$json.a', '$json.b', '$json.c.d', '$json', '$itemIndex', '1', '"x"', "'}'", '`${1}`'],
			...['(', ')', '[', ']', '{', '}', ',', ';', '+', '?', ':', '??', ' || ', '.length', '.b'],
			...['// note', '/* note */', '\n', ' ', '...', '=>', 'undefined', 'null', 'new Date(0)'],
			...['.toString()', '.toUpperCase()', '.d', '\\', '{{', 'return ', 'NaN', '10n', '$now.year'],
		),
		{ minLength: 1, maxLength: 5 },
	)
	.map((pieces) => pieces.join(''));

const plainCode = fc.constantFrom(
	...['$json.a', '$json.b', '$json.c', '$json.c.d', '$json.a + $json.b', '$json.a ?? "none"'],
	...['$json.b ? 1 : "two"', '$json', '[$json.a]', '{ x: $json.b }', '$json.a // note'],
);

const text = fc
	.array(
		fc.oneof(
			{ weight: 4, arbitrary: plainCode.map((each) => `{{ ${each} }}`) },
			{ weight: 2, arbitrary: code.map((each) => `{{${each}}}`) },
			{ weight: 2, arbitrary: fc.constantFrom('Hello ', ' ', '\n', '', '{', '}', '"', "'") },
			{ weight: 1, arbitrary: fc.constantFrom('}}', '{{', '\\{{', '\\}}', '{{ ', ' }}') },
			{ weight: 1, arbitrary: nasty },
		),
		{ minLength: 1, maxLength: 4 },
	)
	.map((pieces) => `=${pieces.join('')}`);

const parameter = fc.oneof(
	{ weight: 5, arbitrary: text },
	{ weight: 1, arbitrary: fc.string().filter((each) => !each.startsWith('=')) },
	{
		weight: 2,
		arbitrary: fc
			.array(text, { maxLength: 3 })
			.map((values) => ({ attribute: values.map((value) => ({ value })) })),
	},
);

const items = fc.array(
	fc.record({ a: json, b: json, c: fc.record({ d: json }) }, { requiredKeys: [] }),
	{ minLength: 3, maxLength: 5 },
);

/** A value, or that it could not be read, in the form in which both can be compared. */
function outcome(read: () => unknown): string {
	try {
		return JSON.stringify({ value: read() }, (_, value: unknown) =>
			typeof value === 'object' || typeof value === 'string' ? value : `${typeof value} ${value}`,
		);
	} catch (error) {
		return `refused: ${(error as Error).message}`;
	}
}

export const parametersClaims = [
	claim(
		'a parameter is what n8n makes of it, however many are read at once',
		fc.tuple(fc.record({ one: text, two: parameter, three: parameter }), items),
		([parameters, list]) => {
			const inputs = list.map((item) => ({ json: item as never }));
			const { context, valueOf } = evaluating(parameters as never, inputs);
			const reader = new Parameters(context);
			return inputs.every((_, item) => {
				const names = Object.keys(parameters) as Array<keyof typeof parameters>;
				const outcomes = names.map((name) => outcome(() => reader.read(name, item)));
				if (!outcomes.some((each) => each.startsWith('refused'))) reader.learn();
				return names.every(
					(name, at) => outcomes[at] === outcome(() => valueOf(parameters[name], item)),
				);
			});
		},
		[
			{ one: '={{ $json.a }}', two: 'fixed', three: '={{ $json.a + $json.b }}Hello ' },
			[{ b: [] }, {}, {}, {}],
		] as never,
	),
];
