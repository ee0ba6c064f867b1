/** docs/reference.md has the panel's own words: `npm run docs` writes what has changed. And what it shows as output could come from this node. */
import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { OutboundMessagingApi } from '../../credentials/OutboundMessagingApi.credentials.ts';
import codex from '../../nodes/OutboundMessaging/OutboundMessaging.node.json';
import { OutboundMessaging } from '../../nodes/OutboundMessaging/OutboundMessaging.node.ts';
import { expectListed } from './errorsPage.cts';
import { isWriting, readMarkdown, sectionOf, source, tableOf } from './markdown.cts';

const FILE = 'docs/reference.md';

const { properties } = new OutboundMessaging().description;
const credential = new OutboundMessagingApi();
const optionsOf = <T,>(name: string) =>
	properties.find((property) => property.name === name)!.options as T[];

const isChoice = (option: object): option is INodePropertyOptions => 'value' in option;

/** The field with its choices, and below it the fields in it. */
function rowsOf(field: INodeProperties, indent = '', stored = field.default): string[][] {
	const { displayName, description = '', options = [] } = field;
	const choices = options.filter(isChoice).map(({ name, description: words }) => {
		return words ? `**${name}**: ${words}` : name;
	});
	const isSaid = choices.some((choice) => choice.startsWith('**'));
	const list = isSaid ? `. ${choices.join('. ')}` : `: ${choices.join(', ')}`;
	// A list of all countries says nothing.
	const listed = choices.length > 0 && choices.length < 20 ? list : '';
	const words = description.replace(/\.?$/, (end) => listed || end);
	return [
		[`${indent}${displayName}`, defaultOf({ ...field, default: stored }), words],
		...options.flatMap((option) => {
			if (!('values' in option)) return [];
			// What the editor stores when the group is added.
			const added = (field.default as Record<string, IDataObject>)?.[option.name] ?? {};
			return option.values.flatMap((each) =>
				rowsOf(each, '… ', (added[each.name] ?? each.default) as INodeProperties['default']),
			);
		}),
	];
}

function defaultOf({ default: preset, options = [] }: INodeProperties): string {
	const choice = (options as INodePropertyOptions[]).find(({ value }) => value === preset);
	if (choice) return choice.name;
	if (typeof preset === 'boolean') return preset ? 'On' : 'Off';
	return typeof preset === 'object' || preset === undefined ? '' : String(preset);
}

const escaped = (text: string) =>
	text.replaceAll('\n', ' ').replaceAll('|', '\\|').replaceAll('<', '\\<').replaceAll('_', '\\_');

/** The fields of an operation; what an earlier one has, too, isn't said again. */
const described = new Set<string>();
const sayOnce = ([label, preset, words]: string[]) => {
	const isKnown = words.length > 60 && described.has(words);
	described.add(words);
	return [label, preset, isKnown ? 'As above' : words];
};

const table = (what: string, fields: INodeProperties[]) => {
	const rows = fields.flatMap((field) => rowsOf(field)).map((row) => sayOnce(row).map(escaped));
	return tableOf([[what, 'Default', 'What it says'], ...rows]);
};

/** Each option, with the operations that offer it next to its name. */
const optionsTable = () => {
	const operations = optionsOf<INodePropertyOptions>('operation').map(({ value }) => value);
	const rows = optionsOf<INodeProperties>('options').flatMap((option) => {
		const shown = option.displayOptions?.show?.['/operation'] ?? operations;
		const [first, ...parts] = rowsOf(option).map((row) => row.map(escaped));
		const where = operations
			.filter((each) => shown.includes(each))
			.map((each) => SHORT[each as string]);
		const all = where.length === operations.length ? 'All' : where.join(', ');
		return [
			[first[0], all, ...first.slice(1)],
			...parts.map(([name, ...rest]) => [name, '', ...rest]),
		];
	});
	return tableOf([['Option', 'For', 'Default', 'What it says'], ...rows]);
};
const SHORT: Record<string, string> = {
	...{ sendTemplate: 'Template', sendText: 'Text', sendAttachment: 'Attachment' },
	sendAndWait: 'Wait',
};

const inOrderOfPage = (operations: INodePropertyOptions[]) => {
	const page = source(FILE);
	const place = ({ name }: INodePropertyOptions) => page.indexOf(`## ${name}\n`);
	return [...operations].sort((one, other) => place(one) - place(other));
};

const fieldsOf = (operation: INodePropertyOptions['value']) =>
	properties.filter(({ displayOptions }) => displayOptions?.show?.operation?.includes(operation));

const sections: Array<[heading: string, table: string]> = [
	['Credential', table('Field', credential.properties)],
	...inOrderOfPage(optionsOf<INodePropertyOptions>('operation')).map(
		({ name, value }): [string, string] => [name, table('Field', fieldsOf(value))],
	),
	['Options', optionsTable()],
	['Safeguards', table('Safeguard', optionsOf('safeguards'))],
];

test.each(sections)(
	'%s: the fields, defaults and descriptions of the panel',
	(heading, expected) => {
		const { section, write } = sectionOf(FILE, heading);
		const shown = section.match(/^\|[^]*\|$/m)?.[0];
		if (isWriting) write(section.replace(shown ?? /$/, () => expected));
		else expect(shown).toBe(expected);
	},
);

test('the links of the node and the credential lead to a heading of the README', () => {
	const { anchors } = readMarkdown('README.md');
	const { credentialDocumentation } = codex.resources;
	for (const url of [credential.documentationUrl, ...credentialDocumentation.map(({ url }) => url)])
		expect(anchors).toContain(url?.split('#')[1]);
});

test('every way a message can end is explained, and the failed item that is shown could come from this node', () => {
	const [ends] = readMarkdown('docs/delivery.md').tables;
	const named = ends.rows.map(([cell]) => cell.replaceAll('`', ''));
	expect(named).toEqual(['accepted', 'rejected', 'uncertain', 'notAttempted', 'skipped']);
	const { error, details } = readMarkdown(FILE)
		.blocks.filter(({ language }) => language === 'json')
		.map(({ text }) => JSON.parse(text))
		.find((item) => item.error !== undefined);
	expectListed(error, details.fix);
	expect(named).toContain(details.delivery);
});
