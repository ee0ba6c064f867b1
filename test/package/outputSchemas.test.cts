/** The fields that n8n's editor offers before anything was sent: those of the service's records, and no others. */
import fs from 'node:fs';
import path from 'node:path';
import * as paths from '../../scripts/lib/paths.cts';
import { resultOf } from '../../sandbox/results.cts';
import { packNode } from '../n8n/package-under-test.cts';
import { bodies } from '../sandbox/sandbox.cts';

jest.setTimeout(300_000);

const FOLDER = path.join(paths.root, 'dist/nodes/OutboundMessaging/__schema__/v1.0.0/message');

interface Schema {
	type: string;
	properties?: Record<string, Schema>;
}

/** The names and types of the fields, as the specification's tables have them. */
const typesOf = ({ type, properties }: Schema): unknown =>
	properties
		? Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, typesOf(field)]))
		: type;

const typesIn = (value: unknown): unknown => {
	if (typeof value === 'number') return 'integer';
	if (typeof value !== 'object') return typeof value;
	return Object.fromEntries(Object.entries(value!).map(([name, each]) => [name, typesIn(each)]));
};

test.each([
	['sendTemplate', resultOf('send_template_message', bodies.template)],
	['sendText', resultOf('send_text_message', bodies.text)],
	['sendAttachment', resultOf('send_attachment_message', bodies.attachment)],
])('%s has the fields of its record', async (operation, record) => {
	await packNode();
	const schema = JSON.parse(fs.readFileSync(path.join(FOLDER, `${operation}.json`), 'utf8'));
	expect(typesOf(schema)).toEqual(typesIn(record));
});
