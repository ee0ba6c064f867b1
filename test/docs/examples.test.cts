/**
 * The examples can be imported everywhere, are explained, let no one in without a key, and have no
 * real person's number.
 */
import { exampleFiles, readExample, type ExampleNode } from '../n8n/example.cts';
import type { NodeDefinition, WorkflowDefinition } from '../n8n/workflow.cts';
import { readMarkdown, source } from './markdown.cts';

/**
 * Kept for fiction in the United States (some without a country code, to be rejected), the United
 * Kingdom and Australia.
 */
const RESERVED = /^(1\d{3}55501\d\d|447700900\d{3}|6149157015[6-9]|(\d{3})?55501\d\d)$/;

const readme = readMarkdown('examples/README.md');

interface Parameters {
	content: string;
	operation?: string;
	dataTableId?: object;
}

interface Example extends WorkflowDefinition {
	id: string;
	nodes: Array<ExampleNode & NodeDefinition & { parameters: Parameters }>;
}

const examples = exampleFiles.map((file) => [file, readExample(file) as Example] as const);
const ids = examples.flatMap(([, { id, nodes }]) => [id, ...nodes.map((node) => node.id)]);

const realNumbers = (text: string) =>
	[...text.matchAll(/(?<![\w-])\+?\(?\d[\d ().-]{5,}\d(?![\w-])/g)]
		.filter(([number]) => !/^\(?\d{4}-\d\d-\d\d/.test(number))
		.map(([number]) => number.replace(/\D/g, '').replace(/^00/, ''))
		// Longer and shorter ones are IDs.
		.filter((number) => number.length >= 7 && !/^(530375758641)$/.test(number))
		.filter((number) => !RESERVED.test(number));

test('no two workflows or nodes share an ID', () => expect(ids).toEqual([...new Set(ids)]));

test.each(['reminders.csv', 'campaign.csv'])('%s has only made-up numbers', (file) => {
	expect(realNumbers(source(`examples/${file}`))).toEqual([]);
});

test('the page about reminders explains each node of reminders.json', () => {
	const page = source('docs/reminders.md');
	const { nodes } = readExample('reminders.json');
	const names = nodes.filter(({ type }) => !type.endsWith('.stickyNote')).map(({ name }) => name);
	for (const name of names) expect(page).toContain(`- _${name}_: `);
});

/** The examples that are run by their tables: with a list, and without. */
const LISTS = ['reminders.json', 'bulk-campaign.json', 'confirm-appointments.json'];
const WITH_TABLES = [...LISTS, 'opt-outs.json'];

const nodesOf = (file: string) =>
	new Map((readExample(file) as Example).nodes.map((node) => [node.name, node]));

describe.each(WITH_TABLES)('%s is run by its tables', (file) => {
	const nodes = nodesOf(file);

	test('what the owner chooses is in one node, marked on the canvas', () => {
		expect(nodes.get('Edit these')!.parameters.content).toContain('## Choose here');
		expect(nodes.get('Your settings')!.type).toBe('n8n-nodes-base.set');
	});

	test('a published run makes no table, and finds tables by their IDs', () => {
		const { connections } = readExample(file) as Example;
		const reached = new Set<string>();
		const follow = (name: string) => {
			if (reached.has(name)) return;
			reached.add(name);
			const { main = [] } = connections[name] ?? {};
			// It isn't clicked.
			const outputs = name === 'Clicked?' ? main.slice(1) : main;
			for (const { node } of outputs.flat()) follow(node);
		};
		for (const { name, type } of nodes.values()) {
			if (/\.(scheduleTrigger|webhook)$/.test(type)) follow(name);
		}
		expect(reached).toContain('Check settings and tables');
		const operations = [...reached].map((name) => nodes.get(name)!.parameters.operation);
		expect(operations).not.toContain('create');
		for (const { parameters } of nodes.values()) {
			if (parameters.dataTableId) expect(parameters.dataTableId).toMatchObject({ mode: 'id' });
		}
	});
});

const withoutIds = (parameters: object) =>
	JSON.stringify(parameters).replaceAll(/"id":"[0-9a-f-]{36}"/g, '');

test.each([
	...['Every hour', 'Clicked?', 'Make the stopped numbers', 'Find the tables', 'Rows with stop'],
	...['Keep their numbers', 'Read the stopped numbers', 'Due now'],
	...['Anything to tell?', 'Tell someone'],
])('the node %s is the same in each list', (name) => {
	const [first, ...others] = LISTS.map((file) => nodesOf(file).get(name)!.parameters);
	for (const other of others) expect(withoutIds(other)).toEqual(withoutIds(first));
});

test('each list has the same words for Status', () => {
	const words = /- `([a-z]+)`/g;
	const sets = LISTS.map((file) => {
		const { content } = nodesOf(file).get('What this does')!.parameters;
		return [...content.matchAll(words)].map(([, word]) => word);
	});
	const all = ['sent', 'fix', 'uncertain', 'stop', 'again', 'missed', 'example'];
	// A campaign has no time that can be missed.
	const undated = all.filter((word) => word !== 'missed');
	expect(sets).toEqual([all, undated, all]);
});

describe.each(examples)('%s', (file, { nodes, active }) => {
	const { content } = nodes.find(({ type }) => type.endsWith('.stickyNote'))!.parameters;

	// That its nodes exist everywhere is in test/e2e and test/scale, which run it.
	test('is imported inactive, and explained on the canvas and in the README', () => {
		expect(active).toBe(false);
		expect(content).toMatch(/^## .+\n\n[^]+\*\*Make it yours:\*\*/);
		expect(readme.text).toContain(`](${file})`);
	});

	test('has only made-up numbers', () => {
		expect(realNumbers(JSON.stringify(nodes.map(({ parameters }) => parameters)))).toEqual([]);
	});
});

const letsCallersIn = ({ type }: ExampleNode) => /\.(webhook|mcpTrigger)$/.test(type);

test.each(examples.filter(([, { nodes }]) => nodes.some(letsCallersIn)))(
	'%s lets no caller in without a key or a token, or says that it does',
	(_, { nodes }) => {
		const { content } = nodes.find(({ type }) => type.endsWith('.stickyNote'))!.parameters;
		for (const { type, parameters, credentials } of nodes.filter(letsCallersIn)) {
			if (type.endsWith('.mcpTrigger')) {
				expect([parameters.authentication, credentials]).toEqual(['bearerAuth', undefined]);
				expect(content).toContain('_Bearer Auth_');
			} else if (parameters.httpMethod === 'GET') {
				// The service fetches a file without a key: only its path is secret.
				expect(content).toContain('**enter a path of your own**');
			} else {
				expect([parameters.authentication, credentials]).toEqual(['headerAuth', undefined]);
				expect(content).toContain('_Header Auth_');
				const call = `/webhook/${parameters.path} -H "x-webhook-key: $WEBHOOK_KEY"`;
				expect(readme.text).toContain(call);
			}
		}
	},
);
