import type { INodeProperties } from 'n8n-workflow';

import { type Fields, forEditor, shownFor } from '../parameters/field';
import type { Operation } from './operation';
import { askByTemplate, sendAndWait } from './sendAndWait';
import { sendAttachment } from './sendAttachment';
import { sendTemplate } from './sendTemplate';
import { sendText } from './sendText';

/**
 * The operations of the list: a new one is a file of its own, its schema for n8n, and a line here.
 */
export const operations: Operation[] = [sendAttachment, sendAndWait, sendText, sendTemplate];

/** The operation that a workflow has chosen. @param sendAs how it's sent, where the user chooses */
export function operationNamed(value: unknown, sendAs: unknown = 'text'): Operation | undefined {
	if (value === askByTemplate.option.value && sendAs === 'template') return askByTemplate;
	if (value === sendAndWait.option.value && sendAs !== 'text') return undefined;
	return operations.find(({ option }) => option.value === value);
}

const choosing: Fields = {
	// Never shown. n8n names a node, and describes an agent's tool, by the operation only if it
	// belongs to a resource.
	resource: {
		displayName: 'Resource',
		type: 'hidden',
		noDataExpression: true,
		options: [{ name: 'Message', value: 'message' }],
		default: 'message',
	},
	...shownFor('resource', 'message', {
		operation: {
			displayName: 'Operation',
			type: 'options',
			noDataExpression: true,
			options: operations.map(({ option }) => option),
			default: 'sendTemplate',
		},
	}),
};

/** The subtitle of the chosen operation; code of an expression. */
export const operationSubtitle = `${JSON.stringify(
	Object.fromEntries(operations.map(({ option, subtitle: text }) => [option.value, text])),
)}[$parameter["operation"]]`;

/** The fields of all operations, each shown for its own operation only. */
export const operationProperties: INodeProperties[] = [
	...forEditor(choosing),
	...operations.flatMap(({ option, fields }) =>
		forEditor(shownFor('operation', option.value, fields)),
	),
];
