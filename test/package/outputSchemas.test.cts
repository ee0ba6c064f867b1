/** The fields that n8n's editor offers before anything was sent: those of the service's records, and no others. */
import fs from 'node:fs';
import path from 'node:path';
import Ajv from 'ajv';
import * as paths from '../../scripts/lib/paths.cts';
import { packNode } from '../n8n/package-under-test.cts';
import { useSandbox, type Kind } from '../sandbox/sandbox.cts';

jest.setTimeout(300_000);

const used = useSandbox();
beforeAll(async () => {
	await packNode();
});

interface Schema {
	type: string;
	properties?: Record<string, Schema>;
}

const schemaOf = (operation: string) =>
	JSON.parse(
		fs.readFileSync(
			path.join(paths.root, `dist/nodes/OutboundMessaging/__schema__/v1.0.0/${operation}.json`),
			'utf8',
		),
	) as Schema;

/** The field tables of the specification, part 2.1. */
const CUSTOMER_EXTRA = { customer_id: 'integer', success: 'boolean' };
const TEMPLATE_EXTRA = {
	...{ platform_id: 'integer', customer_id: 'integer', customer_phone: 'string' },
	...{ template_id: 'string', success: 'boolean' },
};
const RECORD = {
	...{ id: 'string', project_id: 'integer', timestamp: 'string', function_name: 'string' },
	...{ message: 'string', status: 'string' },
};

/** The names and types of the fields, as a table has them. */
const tableOf = ({ properties = {} }: Schema): object =>
	Object.fromEntries(
		Object.entries(properties).map(([name, field]) => [
			name,
			field.type === 'object' ? tableOf(field) : field.type,
		]),
	);

/** Takes a record only if it has all of the fields, and none besides. */
const exactly = ({ type, properties }: Schema): object =>
	properties === undefined
		? { type }
		: {
				type,
				properties: Object.fromEntries(
					Object.entries(properties).map(([name, field]) => [name, exactly(field)]),
				),
				required: Object.keys(properties),
				additionalProperties: false,
			};

describe.each<[string, Kind, object]>([
	['sendTemplate', 'template', TEMPLATE_EXTRA],
	['sendText', 'text', CUSTOMER_EXTRA],
	['sendAttachment', 'attachment', CUSTOMER_EXTRA],
])('%s', (operation, kind, extra) => {
	test('has the fields of the specification', () => {
		expect(tableOf(schemaOf(operation))).toEqual({ ...RECORD, extra });
	});

	test('has the fields of the record that the sandbox returns', async () => {
		const { json } = await used.post(kind);
		const validate = new Ajv().compile(exactly(schemaOf(operation)));
		validate(json);
		expect(validate.errors).toBeNull();
	});
});
