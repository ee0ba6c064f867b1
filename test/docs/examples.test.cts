/** The examples can be imported everywhere, are explained, let no one in without a key, and have no real person's number. */
import { exampleFiles, readExample, type ExampleNode } from '../n8n/example.cts';
import type { NodeDefinition, WorkflowDefinition } from '../n8n/workflow.cts';
import { readMarkdown, source } from './markdown.cts';

/** Kept for fiction in the United States (some without a country code, to be rejected), the United Kingdom and Australia. */
const RESERVED = /^(1\d{3}55501\d\d|447700900\d{3}|6149157015[6-9]|(\d{3})?55501\d\d)$/;

const readme = readMarkdown('examples/README.md');

interface Example extends WorkflowDefinition {
	id: string;
	nodes: Array<ExampleNode & NodeDefinition & { parameters: { content: string } }>;
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
	for (const name of names) expect(page).toContain(`| _${name}_`);
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
