import type { INodeProperties } from 'n8n-workflow';

import type { Operation } from './operation';
import { sendAttachment } from './sendAttachment';
import { sendTemplate } from './sendTemplate';
import { sendText } from './sendText';

/** Every operation of the node: a new one is a file of its own and a word in this list. */
const operations: Operation[] = [sendAttachment, sendText, sendTemplate];

/** The operation that a workflow has chosen. */
export function operationNamed(value: unknown): Operation | undefined {
	return operations.find(({ option }) => option.value === value);
}

const chosen: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	options: operations.map(({ option }) => option),
	default: 'sendTemplate',
};

/** The fields of all operations, each shown for its own operation only. */
export const operationProperties: INodeProperties[] = [
	chosen,
	...operations.flatMap(({ option, properties }) =>
		properties.map((property) => shownFor(option.value, property)),
	),
];

function shownFor(operation: string, property: INodeProperties): INodeProperties {
	const show = { operation: [operation], ...property.displayOptions?.show };
	return { ...property, displayOptions: { ...property.displayOptions, show } };
}
