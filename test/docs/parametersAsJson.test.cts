/** docs/parameters-as-json.md has the shape that n8n stores of each parameter, as the node's own description has it. */
import type { INodeProperties } from 'n8n-workflow';
import { OutboundMessaging } from '../../nodes/OutboundMessaging/OutboundMessaging.node.ts';
import { found } from '../found.ts';
import { source } from './markdown.cts';

const FILE = 'docs/parameters-as-json.md';
const { properties } = new OutboundMessaging().description;

/** The examples of the page, all together. */
const examples = found([...source(FILE).matchAll(/```json\n([^]*?)```/g)]).map(
	([, json]) => JSON.parse(json) as Record<string, unknown>,
);

type Shape = { name: string; property: INodeProperties; values: unknown[] };

/** Each parameter, and each entry of a collection, with what the page has for it. */
function shapesOf(all: INodeProperties[], objects: unknown[], path = ''): Shape[] {
	return all.flatMap((property) => {
		const values = objects.flatMap((object) => {
			const known = typeof object === 'object' && object !== null && property.name in object;
			return known ? [(object as Record<string, unknown>)[property.name]] : [];
		});
		const name = `${path}${property.name}`;
		const below = (property.options ?? []).flatMap((option) => {
			if ('values' in option) {
				const parts = values.flatMap((value) => {
					const part: unknown = (value as Record<string, unknown> | undefined)?.[option.name];
					const isList = property.typeOptions?.multipleValues === true;
					return isList ? ((part as unknown[] | undefined) ?? []) : [part];
				});
				return shapesOf(option.values, parts, `${name}.${option.name}.`);
			}
			return 'type' in option ? shapesOf([option], values, `${name}.`) : [];
		});
		return [{ name, property, values }, ...below];
	});
}

const isNotice = ({ property }: Shape) => property.type === 'notice';
const shapes = found(shapesOf(properties, examples).filter((shape) => !isNotice(shape)));

const TYPES: Record<string, (value: unknown) => boolean> = {
	boolean: (value) => typeof value === 'boolean',
	number: (value) => typeof value === 'number',
	string: (value) => typeof value === 'string',
	json: (value) => typeof value === 'string',
	options: (value) => typeof value === 'string',
	multiOptions: (value) => Array.isArray(value),
	collection: (value) => typeof value === 'object' && !Array.isArray(value),
	fixedCollection: (value) => typeof value === 'object' && !Array.isArray(value),
};

test('each parameter and each entry of a collection is on the page', () => {
	expect(shapes.filter(({ values }) => values.length === 0).map(({ name }) => name)).toEqual([]);
});

test('each example has the type, and a choice of the list, that n8n stores', () => {
	const odd = shapes.filter(({ property: { type, options = [] }, values }) => {
		const choices = options.flatMap((option) => ('value' in option ? [option.value] : []));
		const isKnown = (value: unknown) =>
			choices.length === 0 || [value].flat().every((each) => choices.includes(each as string));
		return !values.every((value) => TYPES[type]?.(value) !== false && isKnown(value));
	});
	expect(odd.map(({ name, values }) => [name, values])).toEqual([]);
});

test('the page has no name that the node does not have', () => {
	const names = new Set(shapes.flatMap(({ name }) => name.split('.')));
	const keysOf = (value: unknown): string[] =>
		typeof value === 'object' && value !== null
			? Object.entries(value).flatMap(([key, each]) => [
					...(Array.isArray(value) ? [] : [key]),
					...keysOf(each),
				])
			: [];
	expect(examples.flatMap(keysOf).filter((key) => !names.has(key))).toEqual([]);
});
