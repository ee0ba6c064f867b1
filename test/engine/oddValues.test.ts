/**
 * Whatever arrives at the node in an odd shape is read for what it is, or rejected by name: never
 * taken for the default.
 */
import {
	type IDataObject,
	type INode,
	type INodeParameters,
	type INodeProperties,
	NodeHelpers,
} from 'n8n-workflow';

import { OutboundMessaging } from '../../nodes/OutboundMessaging/OutboundMessaging.node';
import { operations } from '../../nodes/OutboundMessaging/operations';
import { useEngine } from './engine';
import * as flows from './workflows';

const engine = useEngine();
const { description } = new OutboundMessaging();

const ODD = [{}, { a: 1 }, [], ['qwerty'], [{}], 'qwerty', 12.5, -1, true, null];
/** As a text, these are texts. */
const TEXTS = ['qwerty', 12.5, -1, true];
const [NONE, NO_ENTRY] = [[{}], [[]]];

/**
 * What is read for what it is. Everything else has to be rejected: a new field that takes it
 * silently fails here.
 */
const READ: Record<string, unknown[]> = {
	templateId: ['qwerty'],
	channelId: ['qwerty'],
	text: TEXTS,
	message: TEXTS,
	attributes: NONE,
	'attributes.attribute': NO_ENTRY,
	'attributes.attribute.value': TEXTS,
	attributesJson: [{}, [], ['qwerty']],
	headerMedia: NONE,
	approvalOptions: NONE,
	'approvalOptions.values.approveLabel': TEXTS,
	'approvalOptions.values.disapproveLabel': TEXTS,
	'choices.choice.label': TEXTS,
	'options.includeInputFields': [true],
	'options.limitWaitTime.values.resumeAmount': [12.5],
	'options.messagesPerSecond': [12.5],
	'options.rateLimitWait': [12.5],
	'options.responsePage.texts.title': TEXTS,
	'options.responsePage.texts.description': TEXTS,
	'options.responsePage.texts.buttonLabel': TEXTS,
	'options.responsePage.texts.deadlineMessage': TEXTS,
	'options.responsePage.texts.completionMessage': TEXTS,
	'options.responsePage.texts.invalidMessage': TEXTS,
	'options.responsePage.texts.closedMessage': TEXTS,
	'options.templateText': ['qwerty'],
	'safeguards.doNotContact': [[]],
	'safeguards.dryRun': [true],
	'safeguards.sendOnceKey': ['qwerty'],
};

/** Which fields n8n shows, and how a message is sent: with another value, other fields hold. */
const CHOOSES_FIELDS = ['resource', 'operation', 'sendAs'];

interface Place {
	field: INodeProperties;
	path: string;
	label: string;
	/** The parameters with a value at this place. */
	withValue(value: unknown): Record<string, unknown>;
}

const GOOD: IDataObject = { type: 'image', url: 'https://example.com/a.png', label: 'A' };
const goodFor = ({ name, default: preset }: INodeProperties) => GOOD[name] ?? preset;

/** A field, the parts of its group, and the fields of these. */
function placesOf(field: INodeProperties, around: Place['withValue']): Place[] {
	const { name, displayName: label, options = [], typeOptions } = field;
	const place = (path: string, withValue: Place['withValue']) => ({
		field,
		path,
		label,
		withValue,
	});
	const parts = options.filter((option) => 'values' in option);
	const added = field.default as Record<string, IDataObject>;
	return [
		place(name, around),
		...parts.flatMap((part) => {
			const withPart = (value: unknown) => around({ [part.name]: value });
			const preset = Object.fromEntries(part.values.map((each) => [each.name, goodFor(each)]));
			return [
				place(`${name}.${part.name}`, withPart),
				...part.values.map((each) => {
					// With a condition, a field holds only if another one has a certain value.
					const shownBy = Object.entries(each.displayOptions?.show ?? {});
					const chosen = Object.fromEntries(shownBy.map(([other, values]) => [other, values![0]]));
					const entry = (value: unknown) => {
						return { ...preset, ...added[part.name], ...chosen, [each.name]: value };
					};
					return place(`${name}.${part.name}.${each.name}`, (value) =>
						withPart(typeOptions?.multipleValues ? [entry(value), entry('B')] : entry(value)),
					);
				}),
			];
		}),
	];
}

/** Parameters that show a field, and are complete besides. */
function baseOf({ displayOptions }: INodeProperties): IDataObject {
	const { show = {} } = displayOptions ?? {};
	const shown = Object.entries(show).map(([name, values]) => [name.replace('/', ''), values![0]]);
	const chosen = Object.fromEntries(shown) as IDataObject;
	const { operation = 'sendTemplate', sendAs } = chosen;
	const texts = { customerId: '1', text: 'Hi', message: 'Hi' };
	const file = { attachmentType: 'image', attachmentUrl: GOOD.url };
	const isTemplate = operation === 'sendTemplate' || sendAs === 'template';
	return { ...(isTemplate ? flows.TEMPLATE : {}), ...texts, ...file, operation, ...chosen };
}

const own = description.properties
	.filter(({ name, type }) => !CHOOSES_FIELDS.includes(name) && type !== 'collection')
	.flatMap((field) =>
		placesOf(field, (value) => {
			return { ...baseOf(field), [field.name]: value };
		}),
	);
const added = description.properties
	.filter(({ type }) => type === 'collection')
	.flatMap(({ name: collection, options }) =>
		(options as INodeProperties[]).flatMap((field) =>
			placesOf(field, (value) => {
				return { ...baseOf(field), [collection]: { [field.name]: value } };
			}).map((place) => ({ ...place, path: `${collection}.${place.path}` })),
		),
	);
const places = new Map([...own, ...added].map((place) => [place.path, place]));

/**
 * Whether a value is still at its place once n8n has read the parameters: what isn't,
 * no node can see.
 */
function arrives(parameters: Record<string, unknown>, path: string, value: unknown): boolean {
	const { properties } = description;
	const node = { typeVersion: 1 } as INode;
	const given = parameters as INodeParameters;
	let read: INodeParameters | null;
	try {
		read = NodeHelpers.getNodeParameters(properties, given, true, false, node, description);
	} catch {
		// n8n itself can't read it: the workflow doesn't start.
		return false;
	}
	const found = path.split('.').reduce<unknown>((from, name) => {
		const [first] = [from].flat() as IDataObject[];
		return first?.[name];
	}, read);
	return JSON.stringify(found) === JSON.stringify(value);
}

/** n8n itself replaces odd values of some groups by their defaults. */
const reached = [...places.values()].filter(({ path, withValue }) =>
	ODD.some((odd) => arrives(withValue(odd), path, odd)),
);

it.each(reached)('$path', async ({ path, label, withValue }) => {
	for (const odd of ODD) {
		const parameters = withValue(odd);
		if (!arrives(parameters, path, odd)) continue;
		engine.ledger.clear();
		const flow = flows.toSend({ parameters: parameters as INodeParameters });
		const items = [{ phone: '+15550100200', customer: '1' }];
		const ended = await engine.run(flow, items).then(
			({ status, words }) => ({ isRejected: status === 'error', words }),
			// n8n itself rejects what is required and empty.
			({ message }: Error) => ({ isRejected: true, words: message }),
		);
		const isRead =
			READ[path]?.some((each) => JSON.stringify(each) === JSON.stringify(odd)) === true;
		expect({ odd, ...ended }).toMatchObject({ odd, isRejected: !isRead });
		if (isRead) continue;
		expect(ended.words).toContain(label);
		expect(engine.received()).toEqual([]);
	}
});

/** What n8n makes of an odd shape: an added group with the defaults of its fields. */
it.each(['allowedHours', 'limitWaitTime'])(
	'of %s, nothing holds that the user has not entered',
	async (name) => {
		const of = name === 'allowedHours' ? 'safeguards' : 'options';
		const { field } = [...places.values()].find(({ path }) => path === `${of}.${name}`)!;
		const [part] = field.options as Array<{ name: string }>;
		for (const odd of ['qwerty', 12.5, ['qwerty'], [{}], { From: '09:00' }]) {
			const parameters = { ...baseOf(field), [of]: { [name]: { [part.name]: odd } } };
			const flow = flows.toSend({ parameters: parameters as INodeParameters });
			const { words } = await engine.run(flow, [{ phone: '+15550100200' }]);
			expect({ odd, words }).toEqual({
				odd,
				words: expect.stringContaining(`'${field.displayName}'`),
			});
		}
		expect(engine.received()).toEqual([]);
	},
);

it.each(CHOOSES_FIELDS)(
	'%s with an odd value is rejected, and a message is sent by none',
	async (name) => {
		for (const odd of [{ a: 1 }, [], ['qwerty'], 'qwerty', 'constructor', 12.5, true]) {
			const parameters = {
				...baseOf({} as INodeProperties),
				operation: 'sendAndWait',
				[name]: odd,
			};
			const flow = flows.toSend({ parameters: parameters as INodeParameters });
			const { words } = await engine.run(flow, [{ phone: '+15550100200' }]);
			expect({ odd, words }).toEqual({
				odd,
				words: expect.stringContaining("'Operation' or 'Send As' has a value"),
			});
		}
		expect(engine.received()).toEqual([]);
	},
);

it('what is said to be read for what it is, is a place in the parameters', () => {
	expect(Object.keys(READ).filter((path) => !places.has(path))).toEqual([]);
});

/** What an agent can guess, or only people choose. */
const UNTOLD = ['customerId', 'specifyAttributes'];

it('a field that not every text is fine for tells an agent what it takes', () => {
	const fields = operations.flatMap((each) => (each.asks ? [] : Object.entries(each.fields)));
	const needed = fields.filter(([name]) => !READ[name]?.includes('qwerty'));
	const untold = needed.flatMap(([name, { takes }]) => (takes === undefined ? name : []));
	expect([...new Set(untold)]).toEqual(UNTOLD);
});

const fields = new Map(operations.flatMap((each) => Object.entries(each.fields)));
/** What a field holds, and a value of it that has a hint. */
const ODD_BUT_SENT = {
	url: () =>
		`https://example.com/a.png?signature=a&expires=${Math.round(Date.now() / 1000) + 1800}`,
	text: () => 'Hi {name}',
};

it.each(
	own.flatMap(({ path, withValue }) => {
		const [name, ...inner] = path.split('.');
		const { holds, type } = fields.get(name)!;
		const isText = type === 'string' || inner.length === 2;
		return holds && isText && !/type$/i.test(path) ? [{ path, holds, withValue }] : [];
	}),
)('$path with an odd $holds has a hint', async ({ holds, withValue }) => {
	const parameters = withValue(ODD_BUT_SENT[holds]()) as INodeParameters;
	const execution = await engine.run(flows.toSend({ parameters }), [
		{ phone: '+15550100200', customer: '1' },
	]);
	expect(execution.hints().join()).toMatch(/\b(URL|text)s? (of files|with)/);
});
