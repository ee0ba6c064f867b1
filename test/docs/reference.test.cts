/**
 * docs/reference.md has the panel's own words: `npm run docs` writes what has changed. And what it
 * shows as output could come from this node.
 */
import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { OutboundMessagingApi } from '../../credentials/OutboundMessagingApi.credentials.ts';
import { KEPT_KEYS } from '../../nodes/OutboundMessaging/delivery/keys/keyStore.ts';
import codex from '../../nodes/OutboundMessaging/OutboundMessaging.node.json';
import { OutboundMessaging } from '../../nodes/OutboundMessaging/OutboundMessaging.node.ts';
import { readMarkdown, sectionOf, source, tableOf } from './markdown.cts';

const FILE = 'docs/reference.md';
/** A list of all countries or days says nothing. */
const MOST_CHOICES = 7;

const { properties } = new OutboundMessaging().description;
const credential = new OutboundMessagingApi();
const optionsOf = (name: string) => properties.find((property) => property.name === name)!.options;
const operations = optionsOf('operation') as INodePropertyOptions[];

/** Groups whose fields say all by their labels. */
const SAYS_ENOUGH = ['approvalOptions', 'limitWaitTime', 'responsePage'];

/** The field with its choices, and below it the fields in it. */
function rowsOf(field: INodeProperties, indent = '', preset = field.default): string[][] {
	const { displayName, description = '', options = [] } = field;
	const choices = options.filter((option) => 'value' in option);
	const words = choices.map(({ name, description: more }) =>
		more ? `**${name}**: ${more}` : name,
	);
	const isSaid = choices.some((choice) => choice.description);
	const list = isSaid ? `. ${words.join('. ')}` : `: ${words.join(', ')}`;
	const isListed = words.length > 0 && words.length < MOST_CHOICES;
	const ticked = typeof preset === 'boolean' && (preset ? 'On' : 'Off');
	const shown = choices.find(({ value }) => value === preset)?.name ?? (ticked || preset);
	return [
		[
			`${indent}${displayName}`,
			typeof shown === 'object' || shown === undefined ? '' : String(shown),
			description.replace(/\.?$/, (end) => (isListed ? list : end)),
		],
		...options.flatMap((option) => {
			if (!('values' in option) || SAYS_ENOUGH.includes(field.name)) return [];
			// What the editor stores when the group is added.
			const added = (field.default as Record<string, IDataObject>)?.[option.name] ?? {};
			return option.values.flatMap((each) =>
				rowsOf(each, '… ', (added[each.name] ?? each.default) as INodeProperties['default']),
			);
		}),
	];
}

const escaped = (text: string) => text.replaceAll('\n', ' ').replaceAll(/[|<_]/g, String.raw`\$&`);

/** A field that an earlier table has, too, isn't listed again. */
const described = new Set<string>();
const isNew = (row: string) => described.size < described.add(row).size;

const table = (header: string[], rows: string[][]) => {
	const news = rows.filter((row) => isNew(row.join()));
	return tableOf([[...header, 'Default', 'What it says'], ...news.map((row) => row.map(escaped))]);
};
const tableOfFields = (what: string, fields: unknown) => {
	// It only chooses how to enter values.
	const shown = (fields as INodeProperties[]).filter(({ name }) => !/^specify/.test(name));
	const rows = shown.flatMap((field) => rowsOf(field));
	return table([what], rows);
};

/** What an operation sends, in one word. */
const SENT: Record<string, string> = {
	sendTemplate: 'Templates',
	sendText: 'Texts',
	sendAttachment: 'Attachments',
	sendAndWait: 'Questions',
};

/** Which operations offer an option. */
function offeredBy({ displayOptions }: INodeProperties) {
	const { show, hide } = displayOptions ?? {};
	const isOffered = ({ value }: INodePropertyOptions) =>
		(show?.['/operation']?.includes(value) ?? true) && !hide?.['/operation']?.includes(value);
	const offering = operations.filter(isOffered);
	if (offering.length === operations.length) return 'All';
	return offering.map(({ value }) => SENT[value as string]).join(', ');
}

const options = (optionsOf('options') as INodeProperties[]).flatMap((option) =>
	rowsOf(option).map(([name, ...rest], part) => [name, part ? '' : offeredBy(option), ...rest]),
);

const fieldsOf = (operation: INodePropertyOptions['value']) =>
	properties.filter(({ displayOptions }) => displayOptions?.show?.operation?.includes(operation));

const page = source(FILE);
const placeOf = ({ name }: INodePropertyOptions) => page.indexOf(`## ${name}\n`);
const inOrderOfPage = operations.toSorted((one, other) => placeOf(one) - placeOf(other));

test.each([
	...inOrderOfPage.map(({ name, value }) => [name, tableOfFields('Field', fieldsOf(value))]),
	['Options', table(['Option', 'For'], options)],
	['Safeguards', tableOfFields('Safeguard', optionsOf('safeguards'))],
])('%s: the fields, defaults and descriptions of the panel', (heading, expected) => {
	const { section, write } = sectionOf(FILE, heading);
	const shown = section.match(/^\|[^]*\|$/m)?.[0];
	if (process.env.WRITE_DOCS) write(section.replace(shown ?? /$/, () => expected));
	else expect(shown).toBe(expected);
});

test('the links of the node and the credential lead to a heading of the README', () => {
	const { anchors } = readMarkdown('README.md');
	const { credentialDocumentation } = codex.resources;
	for (const url of [credential.documentationUrl, ...credentialDocumentation.map(({ url }) => url)])
		expect(anchors).toContain(url?.split('#')[1]);
});

test('the guide to large sends knows how many keys are kept', () => {
	const words = KEPT_KEYS.toLocaleString('en');
	expect(source('docs/promises.md')).toContain(`the node's newest ${words} keys`);
	const guide = source('docs/delivery.md');
	expect(guide).toContain(`at least the newest ${words} of each node`);
	expect(guide).toContain(`parts of at most ${words} customers`);
});
