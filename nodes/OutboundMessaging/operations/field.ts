import type { INodeProperties } from 'n8n-workflow';

type Choice<V extends string> = { name: string; value: V; description?: string };

/** A list to choose from; its first entry is the default. */
export function list<V extends string>(
	displayName: string,
	name: string,
	options: Array<Choice<V>>,
	description: string,
): INodeProperties {
	const [{ value }] = options;
	return { displayName, name, type: 'options', options, default: value, description };
}

/** A line of text. */
export const text = (
	displayName: string,
	name: string,
	fallback: string,
	description: string,
): INodeProperties => ({ displayName, name, type: 'string', default: fallback, description });

/** A line of text that must not be empty. */
export const requiredText = (
	displayName: string,
	name: string,
	placeholder: string,
	description: string,
): INodeProperties => ({
	...text(displayName, name, '', description),
	required: true,
	placeholder: `e.g. ${placeholder}`,
});

/** A field that is shown only if another one has this value, too. */
export function shownFor(field: string, value: string, property: INodeProperties): INodeProperties {
	const { displayOptions } = property;
	const show = { [field]: [value], ...displayOptions?.show };
	return { ...property, displayOptions: { ...displayOptions, show } };
}
