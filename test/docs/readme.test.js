/** The README's tables against the built node: labels, defaults, completeness; and the errors it quotes. */
const fs = require('node:fs');
const path = require('node:path');
const typescript = require('typescript');
const { root } = require('../../scripts/lib/paths.cts');
const { packNode } = require('../n8n/package-under-test.cts');
const { filesBelow, readMarkdown } = require('./markdown');

jest.setTimeout(300_000);

const readme = readMarkdown('README.md');
const troubleshooting = readMarkdown('docs/troubleshooting.md');
let description;
let credential;

beforeAll(async () => {
	// Builds as well, if something changed since the last build.
	await packNode();
	const load = (name) => require(path.join(root, 'dist', name));
	const { OutboundMessaging } = load('nodes/OutboundMessaging/OutboundMessaging.node.js');
	const { OutboundMessagingApi } = load('credentials/OutboundMessagingApi.credentials.js');
	({ description } = new OutboundMessaging());
	credential = new OutboundMessagingApi();
});

const tablesOf = (first) => readme.tables.filter(({ header }) => header[0] === first);
const labelsOf = ({ rows }) => rows.map(([label]) => label);
const displayNames = (properties) => properties.map(({ displayName }) => displayName);

test('every operation has its table, with all of its fields in their order', () => {
	const { options } = description.properties.find(({ name }) => name === 'operation');
	for (const { name, value } of options) {
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
		const row = table.rows.find(([label]) => label === displayName).join(' ');
		if (preset !== '') expect(row).toContain(`\`${preset}\``);
	}
});

describe('options', () => {
	const table = tablesOf('Option')[0];
	const options = () => description.properties.find(({ name }) => name === 'options').options;

	test('all are there', () => {
		expect(labelsOf(table)).toEqual(displayNames(options()));
	});

	test('so are all safeguards', () => {
		const { options: safeguards } = description.properties.find(
			({ name }) => name === 'safeguards',
		);
		expect(labelsOf(tablesOf('Safeguard')[0])).toEqual(displayNames(safeguards));
	});

	test('their defaults are the node’s own', () => {
		const said = (cell) => {
			const [number] = /^[\d,.]+/.exec(cell) ?? [];
			return number === undefined ? cell : Number(number.replaceAll(',', ''));
		};
		const column = table.header.indexOf('Default');
		for (const { displayName, type, default: preset, options: choices } of options()) {
			const cell = table.rows.find(([label]) => label === displayName)[column];
			const expected = {
				boolean: preset === true ? 'On' : 'Off',
				string: preset === '' ? 'None' : preset,
				options: choices?.find(({ value }) => value === preset)?.name,
				number: preset,
			}[type];
			expect([displayName, said(cell)]).toEqual([displayName, expected]);
		}
	});
});

describe('errors', () => {
	/** Every text in the sources, with * for what is filled in. Numbers are filled in by the README. */
	const texts = filesBelow('nodes')
		.filter((file) => file.endsWith('.ts'))
		.flatMap((file) => {
			const found = [];
			const visit = (node) => {
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

	function plain(text) {
		return text.replace(/\d+/g, '*').replace(/^[\s"':;,.*]+|[\s"':;,.*]+$/g, '');
	}

	/** What of a quotation has to stand in the sources: the parts between the dots. */
	const parts = (quotation) =>
		quotation
			.split('…')
			.map(plain)
			.filter((part) => part !== '');

	const unknown = (quotation) =>
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
