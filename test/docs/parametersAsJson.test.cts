/**
 * docs/parameters-as-json.md has the shape of each parameter, and n8n keeps it: `npm run docs`
 * writes what has changed.
 */
import {
	type IDataObject,
	type INode,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyOptions,
	NodeHelpers,
} from 'n8n-workflow';
import { name as packageName } from '../../package.json';
import { OutboundMessagingApi } from '../../credentials/OutboundMessagingApi.credentials.ts';
import { OutboundMessaging } from '../../nodes/OutboundMessaging/OutboundMessaging.node.ts';
import { readMarkdown, sectionOf, tableOf } from './markdown.cts';

const FILE = 'docs/parameters-as-json.md';
const [example, credentialExample] = readMarkdown(FILE).blocks.map(
	({ text }) => JSON.parse(text) as { type: string; parameters: IDataObject; data: IDataObject },
);
/** A list of all countries says nothing. */
const MOST_CHOICES = 7;

const { description } = new OutboundMessaging();
const { properties } = description;
const named = (name: string) => properties.find((property) => property.name === name)!;
const operations = named('operation').options as INodePropertyOptions[];
const fieldsOf = (operation: unknown) =>
	properties.filter(({ displayOptions }) =>
		displayOptions?.show?.operation?.includes(operation as string),
	);

/** For fields whose placeholder isn't a value. */
const SAMPLES: IDataObject = {
	attributesJson: '{"1": "Ada", "2": "Friday"}',
	choicesJson: '["10:00", "11:30"]',
	defaultCountry: 'DE',
	resumeAmount: 45,
	days: ['monday', 'friday'],
	label: '10:00',
	maxDateAndTime: '2027-12-31T18:00:00',
	sendOnceKey: '={{ $json.orderId }}-confirmation',
	testRecipient: '+15550100200',
};

const choicesOf = ({ options = [] }: INodeProperties) =>
	options.flatMap((option) => ('value' in option ? [option.value] : []));
const placeholderOf = ({ placeholder = '' }: INodeProperties) =>
	/^e\.g\. (.*)$/.exec(placeholder)?.[1];

/** A value in the shape in which the editor stores it. */
function sampleOf(field: INodeProperties): unknown {
	const { name, type, options = [], typeOptions } = field;
	if (type === 'fixedCollection') {
		const parts = options.filter((option) => 'values' in option);
		const entries = parts.map(({ name: part, values }) => {
			const held = values.filter((each) => holds(each, values));
			const entry = Object.fromEntries(held.map((each) => [each.name, sampleOf(each)]));
			return [part, typeOptions?.multipleValues ? [entry] : entry] as const;
		});
		return Object.fromEntries(entries);
	}
	const example = type === 'string' ? placeholderOf(field) : undefined;
	return SAMPLES[name] ?? example ?? field.default;
}

/** Whether a field holds while the others of its group have their defaults. */
const holds = ({ displayOptions }: INodeProperties, others: INodeProperties[]) =>
	Object.entries(displayOptions?.show ?? {}).every(([other, values]) =>
		others.some((each) => each.name === other && values!.includes(each.default as never)),
	);

const code = (value: unknown) => `\`${JSON.stringify(value).replaceAll('|', String.raw`\|`)}\``;

/** Which values another parameter has. The section already says the operation. */
const condition = (not: string, [other, values = []]: [string, unknown[]?]) =>
	`${not}\`${other.replace('/', '')}\`: ${values.map(code).join(', ')}`;

/** The field, and below it those in it that are choices or depend on others. */
function rowsOf(field: INodeProperties, indent = ''): string[][] {
	const { name, options = [], displayOptions } = field;
	const choices = choicesOf(field);
	const isListed = choices.length > 0 && choices.length <= MOST_CHOICES && field.type === 'options';
	const shape = isListed ? choices.map(code).join(', ') : code(sampleOf(field));
	const { show = {}, hide = {} } = displayOptions ?? {};
	const conditions = [
		...Object.entries(show)
			.filter(([other]) => other !== 'operation' && other !== 'resource')
			.map((each) => condition('', each)),
		...Object.entries(hide).map((each) => condition('not ', each)),
	];
	const inner = options
		.flatMap((option) => ('values' in option ? option.values : []))
		.flatMap((each) => rowsOf(each, '… '))
		.filter(([, values, when]) => when !== '' || values.includes(', '));
	return [[`${indent}\`${name}\``, shape, conditions.join('; ')], ...inner];
}

const tableFor = (fields: INodeProperties[]) =>
	tableOf([
		['Name', 'Values, or one in its shape', 'Only with'],
		...fields.flatMap((field) => rowsOf(field)),
	]);

const sections = [
	...operations.map(({ name, value }) => [name, fieldsOf(value)] as const),
	...['options', 'safeguards'].map((name) => {
		const { displayName, options } = named(name);
		return [displayName, options as INodeProperties[]] as const;
	}),
];

test.each(sections)('%s: the shape of each parameter', (heading, fields) => {
	const section = sectionOf(FILE, heading);
	const expected = tableFor(fields);
	if (process.env.WRITE_DOCS) section.writeTable(expected);
	else expect(section.table).toBe(expected);
});

test.each(operations)('$name: the value of the operation', ({ name, value }) => {
	expect(sectionOf(FILE, name).section).toContain(`\n\`operation\` is ${code(value)}.\n`);
});

/** What reaches the node of given parameters. */
const readByN8n = (given: IDataObject) =>
	NodeHelpers.getNodeParameters(
		properties,
		given as INodeParameters,
		true,
		false,
		{ typeVersion: 1 } as INode,
		description,
	) as IDataObject;

describe('n8n keeps what has this shape', () => {
	it.each(operations.flatMap(({ value }) => fieldsOf(value).map((field) => ({ value, field }))))(
		'$value: $field.name',
		({ value: operation, field }) => {
			const shown = Object.entries(field.displayOptions?.show ?? {});
			const base = Object.fromEntries(shown.map(([name, values]) => [name, values![0]]));
			const sample = sampleOf(field) as IDataObject;
			const given = { ...base, operation, [field.name]: sample } as IDataObject;
			expect(readByN8n(given)[field.name]).toEqual(sample);
		},
	);

	it.each(
		['options', 'safeguards'].flatMap((collection) =>
			(named(collection).options as INodeProperties[]).map((field) => ({ collection, field })),
		),
	)('$collection: $field.name', ({ collection, field }) => {
		const [operation = 'sendTemplate'] = field.displayOptions?.show?.['/operation'] ?? [];
		const sample = sampleOf(field) as IDataObject;
		const read = readByN8n({ operation, [collection]: { [field.name]: sample } } as IDataObject);
		expect(read[collection]).toEqual({ [field.name]: sample });
	});

	it('the example is kept as it is', () => {
		const { parameters } = example;
		expect(readByN8n(parameters)).toMatchObject(parameters);
	});
});

test("the example has the node's and the credential's names", () => {
	const [credential] = description.credentials!;
	expect(example).toMatchObject({
		type: `${packageName}.${description.name}`,
		typeVersion: description.version,
		credentials: { [credential.name]: { id: '…' } },
	});
	const { name, properties: fields } = new OutboundMessagingApi();
	expect(credentialExample.type).toBe(name);
	expect(Object.keys(credentialExample.data)).toEqual(fields.map((field) => field.name));
});
