/** The README's tables against the built node: labels, defaults, completeness; and the errors it quotes. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type {
	ICredentialType,
	INodeProperties,
	INodePropertyOptions,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import typescript from 'typescript';
import { root } from '../../scripts/lib/paths.cts';
import { packNode } from '../n8n/package-under-test.cts';
import { filesBelow, readMarkdown } from './markdown.cts';

jest.setTimeout(300_000);

const readme = readMarkdown('README.md');
const troubleshooting = readMarkdown('docs/troubleshooting.md');
let description: INodeTypeDescription;
let credential: ICredentialType;

beforeAll(async () => {
	// Builds as well, if something changed since the last build.
	await packNode();
	const load = <T,>(name: string) => createRequire(__filename)(path.join(root, 'dist', name)) as T;
	const node = load<{ OutboundMessaging: new () => INodeType }>(
		'nodes/OutboundMessaging/OutboundMessaging.node.js',
	);
	({ description } = new node.OutboundMessaging());
	const { OutboundMessagingApi } = load<{ OutboundMessagingApi: new () => ICredentialType }>(
		'credentials/OutboundMessagingApi.credentials.js',
	);
	credential = new OutboundMessagingApi();
});

const tablesOf = (first: string) => readme.tables.filter(({ header }) => header[0] === first);
const labelsOf = ({ rows }: { rows: string[][] }) => rows.map(([label]) => label);
const displayNames = (properties: Array<{ displayName: string }>) =>
	properties.map(({ displayName }) => displayName);

const optionsOf = <T,>(parameter: string) =>
	description.properties.find(({ name }) => name === parameter)!.options as T[];

test('every operation has its table, with all of its fields in their order', () => {
	for (const { name, value } of optionsOf<INodePropertyOptions>('operation')) {
		const [table] = tablesOf('Field').filter(({ bold }) => bold === name);
		expect(table && [name, ...labelsOf(table)]).toEqual([
			name,
			...displayNames(
				description.properties.filter(({ displayOptions }) =>
					displayOptions?.show?.operation?.includes(value),
				),
			),
		]);
	}
});

test('every field of the credential is there, and its default', () => {
	const [table] = tablesOf('Field').filter(({ heading }) => heading === 'Credentials');
	expect(labelsOf(table)).toEqual(displayNames(credential.properties));
	for (const { displayName, default: preset } of credential.properties) {
		const row = table.rows.find(([label]) => label === displayName)!.join(' ');
		if (preset !== '') expect(row).toContain(`\`${preset}\``);
	}
});

describe('options', () => {
	const table = tablesOf('Option')[0];
	const options = () => optionsOf<INodeProperties>('options');

	test('all are there', () => {
		expect(labelsOf(table)).toEqual(displayNames(options()));
	});

	test('so are all safeguards', () => {
		const safeguards = optionsOf<INodeProperties>('safeguards');
		expect(labelsOf(tablesOf('Safeguard')[0])).toEqual(displayNames(safeguards));
	});

	test('their defaults are the node’s own', () => {
		const said = (cell: string) => {
			const [number] = /^[\d,.]+/.exec(cell) ?? [];
			return number === undefined ? cell : Number(number.replaceAll(',', ''));
		};
		const column = table.header.indexOf('Default');
		for (const { displayName, type, default: preset, options: choices } of options()) {
			const cell = table.rows.find(([label]) => label === displayName)![column];
			const expected: Record<string, unknown> = {
				boolean: preset === true ? 'On' : 'Off',
				string: preset === '' ? 'None' : preset,
				options: (choices as INodePropertyOptions[] | undefined)?.find(
					({ value }) => value === preset,
				)?.name,
				number: preset,
			};
			expect([displayName, said(cell)]).toEqual([displayName, expected[type]]);
		}
	});
});

describe('errors', () => {
	/** Every text in the sources, with * for what is filled in. Numbers are filled in by the README. */
	const texts = filesBelow('nodes')
		.filter((file) => file.endsWith('.ts'))
		.flatMap((file) => {
			const found: string[] = [];
			const visit = (node: typescript.Node) => {
				if (typescript.isStringLiteralLike(node)) found.push(node.text);
				if (typescript.isTemplateExpression(node)) {
					found.push(
						[node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('*'),
					);
				}
				typescript.forEachChild(node, visit);
			};
			const source = fs.readFileSync(path.join(root, file), 'utf8');
			visit(typescript.createSourceFile(file, source, typescript.ScriptTarget.Latest));
			return found;
		})
		.map(plain);

	function plain(text: string) {
		return text.replace(/\d+/g, '*').replace(/^[\s"':;,.*]+|[\s"':;,.*]+$/g, '');
	}

	/** What of a quotation has to stand in the sources: the parts between the dots. */
	const parts = (quotation: string) =>
		quotation
			.split('…')
			.map(plain)
			.filter((part) => part !== '');

	const unknown = (quotation: string) =>
		parts(quotation).filter((part) => !texts.some((text) => text.includes(part)));

	const quotations = troubleshooting.tables
		.filter(({ header }) => header[0] === 'you read')
		.flatMap(({ rows }) => rows.flatMap(([cell]) => [...cell.matchAll(/_([^_]+)_/g)]))
		.map(([, quotation]) => quotation);

	test('there are some', () => {
		expect(quotations.length).toBeGreaterThan(5);
		expect(unknown('The service sang a song (400): …')).not.toEqual([]);
	});

	test.each(quotations)('%s', (quotation) => {
		expect(unknown(quotation)).toEqual([]);
	});

	test('the failed item that is shown could come from this node', () => {
		const failed = readme.blocks
			.filter(({ language }) => language === 'json')
			.map(({ text }) => JSON.parse(text))
			.filter(({ error }) => error !== undefined);
		expect(failed.length).toBeGreaterThan(0);
		for (const { error, details } of failed) {
			// What follows the colon are the service's words.
			expect(unknown(error.split(': ')[0])).toEqual([]);
			expect(unknown(details.fix)).toEqual([]);
			expect(texts).toContain(details.delivery);
		}
	});
});

test('every way a message can end is explained', () => {
	const [table] = readMarkdown('docs/delivery.md').tables;
	const named = table.rows.map(([cell]) => cell.replaceAll('`', ''));
	expect(named).toEqual(['accepted', 'rejected', 'uncertain', 'notAttempted', 'skipped']);
});
