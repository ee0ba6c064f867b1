/**
 * The specification of the service, ready to use: the operations of `openapi.yaml`, with a
 * check for each body.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import { parse } from 'yaml';
import type { operations } from './wireFormat.cts';

export type OperationName = keyof operations;

/** The body of a request. */
export type MessageBody<Name extends OperationName = OperationName> = {
	[Each in Name]: operations[Each]['requestBody']['content']['application/json'];
}[Name];

/** The record that answers it. */
export type MessageResult<Name extends OperationName = OperationName> = {
	[Each in Name]: operations[Each]['responses'][200]['content']['application/json'];
}[Name];

export interface Operation {
	name: OperationName;
	path: string;
	validateBody: ValidateFunction<MessageBody>;
	validateResult: ValidateFunction<MessageResult>;
}

const SPECIFICATION_FILE = path.join(__dirname, 'openapi.yaml');

interface Specification {
	paths: Record<string, { post: { operationId: OperationName } }>;
}

const specification = parse(readFileSync(SPECIFICATION_FILE, 'utf8')) as Specification;

/** Nothing is coerced, dropped or filled in: a client must see its own mistakes. */
const ajv = new Ajv2020({ strict: false });
ajv.addFormat('http-url', (text) => /^https?:\/\/[^\s]+$/i.test(text) && isUrl(text));
ajv.addFormat('safe-integer', (text) => Number.isSafeInteger(Number(text)));
ajv.addFormat('date-time', (text) => !Number.isNaN(Date.parse(text)));
ajv.addKeyword({
	keyword: 'x-consecutive-positions',
	type: 'object',
	errors: false,
	validate: (_: true, attributes: object) =>
		Object.keys(attributes).every((_, index) => Object.hasOwn(attributes, `${index + 1}`)),
});
ajv.addSchema(specification, 'openapi.yaml');

export const operationList: Operation[] = Object.entries(specification.paths).map(
	([path, { post }]) => {
		const schemaAt = (...keys: string[]) => ({
			$ref: ['openapi.yaml#/paths', path, 'post', ...keys, 'content', 'application/json', 'schema']
				.map((key, index) => (index === 0 ? key : key.replaceAll('/', '~1')))
				.join('/'),
		});
		return {
			name: post.operationId,
			path,
			validateBody: ajv.compile<MessageBody>(schemaAt('requestBody')),
			validateResult: ajv.compile<MessageResult>(schemaAt('responses', '200')),
		};
	},
);

/** After some thousand calls, the URL.canParse of Node 20 takes every URL with an ü for none. */
function isUrl(text: string): boolean {
	try {
		return Boolean(new URL(text));
	} catch {
		return false;
	}
}
