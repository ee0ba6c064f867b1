/**
 * docs/reference.md has the panel's own words: `npm run docs` writes what has changed. And what it
 * shows as output could come from this node.
 */
import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { OutboundMessagingApi } from '../../credentials/OutboundMessagingApi.credentials.ts';
import { KEPT_KEYS } from '../../nodes/OutboundMessaging/delivery/keys/keyStore.ts';
import codex from '../../nodes/OutboundMessaging/OutboundMessaging.node.json';
import { OutboundMessaging } from '../../nodes/OutboundMessaging/OutboundMessaging.node.ts';
import { safeguards } from '../../nodes/OutboundMessaging/safeguards/index.ts';
import { found } from '../found.ts';
import { bodies } from '../sandbox/sandbox.cts';
import { filesBelow, readMarkdown, sectionOf, source, tableOf } from './markdown.cts';

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
const SENT = new Map<unknown, string>([
	['sendTemplate', 'Templates'],
	['sendText', 'Texts'],
	['sendAttachment', 'Attachments'],
	['sendAndWait', 'Questions'],
]);

test('each operation has a word for what it sends', () => {
	expect(operations.map(({ value }) => value).toSorted()).toEqual([...SENT.keys()].toSorted());
});

/** Which operations offer an option. */
function offeredBy({ displayOptions }: INodeProperties) {
	const { show, hide } = displayOptions ?? {};
	const isOffered = ({ value }: INodePropertyOptions) =>
		(show?.['/operation']?.includes(value) ?? true) && !hide?.['/operation']?.includes(value);
	const offering = operations.filter(isOffered);
	if (offering.length === operations.length) return 'All';
	return offering.map(({ value }) => SENT.get(value) ?? value).join(', ');
}

const options = (optionsOf('options') as INodeProperties[]).flatMap((option) =>
	rowsOf(option).map(([name, ...rest], part) => [name, part ? '' : offeredBy(option), ...rest]),
);

const fieldsOf = (operation: INodePropertyOptions['value']) =>
	properties.filter(({ displayOptions }) => displayOptions?.show?.operation?.includes(operation));

const page = source(FILE);
/** A new one, which isn't there yet, comes last. */
function placeOf({ name }: INodePropertyOptions) {
	const place = page.indexOf(`## ${name}\n`);
	return place < 0 ? page.length : place;
}
const inOrderOfPage = operations.toSorted((one, other) => placeOf(one) - placeOf(other));

test.each([
	...inOrderOfPage.map(({ name, value }) => [name, tableOfFields('Field', fieldsOf(value))]),
	['Options', table(['Option', 'For'], options)],
	['Safeguards', tableOfFields('Safeguard', optionsOf('safeguards'))],
])('%s: the fields, defaults and descriptions of the panel', (heading, expected) => {
	const section = sectionOf(FILE, heading);
	if (process.env.WRITE_DOCS) section.writeTable(expected);
	else expect(section.table).toBe(expected);
});

test('the README lists the operations by their actions', () => {
	const [, list] = source('README.md').split('### Operations\n');
	const [lines] = list.trim().split('\n\n');
	const listed = Array.from(lines.matchAll(/^- \*\*(.*?)\*\*/gm), ([, action]) => action);
	expect(listed.toSorted()).toEqual(operations.map(({ action }) => action!).toSorted());
});

test.each(operations)('$name is in the form for bugs', ({ name }) => {
	const lines = source('.github/ISSUE_TEMPLATE/bug.yml').split('\n');
	expect(lines.map((line) => line.trim())).toContain(`- ${name}`);
});

const sentFields = new Set(Object.values(bodies).flatMap((body) => Object.keys(body)));

test.each([...sentFields])('who comes from the HTTP Request node finds %s', (name) => {
	expect(sectionOf('docs/builders.md', 'From the HTTP Request node').section).toContain(
		`\`${name}\``,
	);
});

const NODE = 'nodes/OutboundMessaging';
/** The texts in quotes of a part of a file of the node. */
const quotedIn = (file: string, part: RegExp) => {
	const [, text] = part.exec(source(`${NODE}/${file}`))!;
	return found(Array.from(text.matchAll(/'(\w+)'/g), ([, word]) => word));
};
const nodeSources = filesBelow(NODE).filter((file) => file.endsWith('.ts'));
const skipReasons = nodeSources.flatMap((file) =>
	Array.from(source(file).matchAll(/SkipReason = \{\s*reason: '(\w+)'/g), ([, word]) => word),
);

test.each(found(skipReasons))('the reason to skip %s is in the reference', (reason) => {
	expect(page).toMatch(new RegExp(`[\`"]${reason}[\`"]`));
});

test.each(quotedIn('common/failure.ts', /reason\?:([^;]*);/))(
	"the node's own code %s is in the reference",
	(code) => expect(page).toContain(`\`${code}\``),
);

test('the safeguards are named in the order in which they judge', () => {
	const labels = (optionsOf('safeguards') as INodeProperties[]).map((each) => each.displayName);
	const [, named] = /^They judge in this order: ([^.]*)\./m.exec(page)!;
	const byPlace = Object.values(safeguards).map(({ displayName }) => displayName);
	expect(labels.toSorted()).toEqual(byPlace.toSorted());
	const judging = byPlace.filter((label) => named.includes(label));
	expect(named).toBe(judging.join(', '));
	// The others judge no message.
	expect(byPlace.filter((label) => !judging.includes(label))).toEqual([
		'Dry Run',
		'Stop After Failures',
	]);
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
