/** The README's tables against the node: labels, defaults, completeness; and the failed item that it shows. */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { OutboundMessagingApi } from '../../credentials/OutboundMessagingApi.credentials.ts';
import { NOT_SENT } from '../../nodes/OutboundMessaging/delivery/failure.ts';
import codex from '../../nodes/OutboundMessaging/OutboundMessaging.node.json';
import { OutboundMessaging } from '../../nodes/OutboundMessaging/OutboundMessaging.node.ts';
import { readMarkdown } from './markdown.cts';
import { sources, textsOf } from './texts.cts';

const readme = readMarkdown('README.md');
const { description } = new OutboundMessaging();
const credential = new OutboundMessagingApi();

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

test('the links of the node and the credential lead to a heading of it', () => {
	const { credentialDocumentation } = codex.resources;
	for (const url of [credential.documentationUrl, ...credentialDocumentation.map(({ url }) => url)])
		expect(readme.anchors).toContain(url?.split('#')[1]);
});

test('all options and safeguards are there, and the options have the node’s own defaults', () => {
	const [table] = tablesOf('Option');
	const options = optionsOf<INodeProperties>('options');
	expect(labelsOf(table)).toEqual(displayNames(options));
	expect(labelsOf(tablesOf('Safeguard')[0])).toEqual(
		displayNames(optionsOf<INodeProperties>('safeguards')),
	);

	const said = (cell: string) => {
		const [number] = /^[\d,.]+/.exec(cell) ?? [];
		return number === undefined ? cell : Number(number.replaceAll(',', ''));
	};
	const column = table.header.indexOf('Default');
	for (const [
		index,
		{ displayName, default: preset, options: choices = [] },
	] of options.entries()) {
		const choice = (choices as INodePropertyOptions[]).find(({ value }) => value === preset);
		const isUnset = preset === '' || typeof preset === 'object';
		const expected = choice?.name ?? (isUnset ? 'None' : preset);
		expect([displayName, said(table.rows[index][column])]).toEqual([displayName, expected]);
	}
});

test('the failed item that is shown could come from this node', () => {
	const texts = sources().flatMap((file) => textsOf(file).map(({ text }) => text));
	const isText = (quotation: string) =>
		texts.some((text) => text.replace('(…)', '(400)').replace(/^…/, NOT_SENT).includes(quotation));
	const failed = readme.blocks
		.filter(({ language }) => language === 'json')
		.map(({ text }) => JSON.parse(text))
		.filter(({ error }) => error !== undefined);
	expect(failed.length).toBeGreaterThan(0);
	for (const { error, details } of failed) {
		// What follows the colon are the service's words.
		const [title] = error.split(': ');
		expect([title, isText(title)]).toEqual([title, true]);
		expect([details.fix, isText(details.fix)]).toEqual([details.fix, true]);
		expect(texts).toContain(details.delivery);
	}
});

test('every way a message can end is explained', () => {
	const [table] = readMarkdown('docs/delivery.md').tables;
	const named = table.rows.map(([cell]) => cell.replaceAll('`', ''));
	expect(named).toEqual(['accepted', 'rejected', 'uncertain', 'notAttempted', 'skipped']);
});
