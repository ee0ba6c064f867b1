/** The examples, as a person imports them: the file as it is, then one's own credentials. */
import fs from 'node:fs';
import path from 'node:path';
import * as paths from '../../scripts/lib/paths.cts';
import type { Row } from './client.cts';
import type { WorkflowDefinition } from './workflow.cts';

const EXAMPLES = path.join(paths.root, 'examples');

/** The files of all workflows. */
export const exampleFiles = fs.readdirSync(EXAMPLES).filter((file) => file.endsWith('.json'));

export interface ExampleNode {
	name: string;
	type: string;
	credentials?: object;
	parameters: { authentication?: string; path: string; httpMethod: string };
}

export interface Example extends Omit<WorkflowDefinition, 'nodes'> {
	id: string;
	nodes: ExampleNode[];
}

export const readExample = (file: string) =>
	JSON.parse(fs.readFileSync(path.join(EXAMPLES, file), 'utf8')) as Example;

/** The date that the lists of examples have for tomorrow. */
const TOMORROW = '2026-11-25';

/** The rows of an example's list. @param tomorrow as `2026-11-25`, where the example will run */
export function readList(file: string, tomorrow = TOMORROW): Row[] {
	const csv = fs.readFileSync(path.join(EXAMPLES, file), 'utf8').replaceAll(TOMORROW, tomorrow);
	const [columns, ...rows] = csv
		.trimEnd()
		.split('\n')
		.map((line) => line.split(','));
	return rows.map((cells) =>
		Object.fromEntries(columns.map((column, index) => [column, cells[index] || null])),
	);
}

/** The rows of the list of reminders, with all columns of its table. */
export const readReminders = (tomorrow: string): Row[] =>
	readList('reminders.csv', tomorrow).map(({ Name, Phone, Date, Time }) => {
		const [Status, Note, Tracking] = [null, null, null];
		return { Name, Status, Note, Phone, Date, Time, Tracking };
	});

/**
 * What to create in n8n: an example with one's own credential in every node that wants one.
 * @param own credentials, by their type
 */
export function exampleOf(file: string, own: Record<string, { id: string; name: string }>) {
	const { id: _, active: __, ...definition } = readExample(file);
	const nodes = definition.nodes.map((node) => {
		const type = credentialOf(node);
		if (!own[type]) return node;
		const { id, name } = own[type];
		return { ...node, credentials: { [type]: { id, name } } };
	});
	return { ...definition, nodes };
}

function credentialOf({ type, parameters }: ExampleNode): string {
	if (/\.outboundMessaging((Hitl)?Tool)?$/.test(type)) return 'outboundMessagingApi';
	if (type.endsWith('.postgres')) return 'postgres';
	if (type.endsWith('.lmChatOpenAi')) return 'openAiApi';
	const { authentication } = parameters;
	if (authentication === 'bearerAuth') return 'httpBearerAuth';
	return authentication === 'headerAuth' ? 'httpHeaderAuth' : '';
}
