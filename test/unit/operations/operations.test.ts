import type {
	IDataObject,
	INode,
	INodeParameters,
	INodeProperties,
	INodeType,
	INodeTypes,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { operationNamed, operationProperties } from '../../../nodes/OutboundMessaging/operations';
import type {
	ItemParameters,
	MessageOptions,
	Operation,
} from '../../../nodes/OutboundMessaging/operations/operation';
import { OutboundMessaging } from '../../../nodes/OutboundMessaging/OutboundMessaging.node';
import { optionsProperty } from '../../../nodes/OutboundMessaging/parameters/options';
import { safeguardsProperty } from '../../../nodes/OutboundMessaging/parameters/safeguards';
import { OutboundMessagingApi } from '../../../credentials/OutboundMessagingApi.credentials';
import { operationList } from '../../../sandbox/specification.cts';
import { refusalOf } from '../help';

function operation(name: string): Operation {
	const found = operationNamed(name);
	if (found === undefined) throw new Error(`No operation ${name}`);
	return found;
}

/** What an operation makes of one item, and which parameters it looked at. */
function message(name: string, parameters: IDataObject, options?: MessageOptions) {
	const labels: Record<string, string> = {};
	const read: string[] = [];
	const raw = (parameter: string): unknown => {
		read.push(parameter);
		return parameters[parameter];
	};
	const checked: ItemParameters['checked'] = (parameter, label, check) => {
		labels[parameter] = label;
		return check(raw(parameter));
	};
	const { path, toMessage } = operation(name);
	const made = toMessage({ checked }, options);
	const { validateBody } = operationList.find((each) => each.path === path)!;
	validateBody(made.body);
	expect(validateBody.errors).toBeNull();
	return { ...made, json: JSON.stringify(made.body), labels, read };
}

const template = {
	templateId: 'order_confirmation',
	channelId: '1024',
	customerPhone: '+1 555 010-0200',
	specifyAttributes: 'fields',
	attributes: {},
	headerMedia: {},
};

describe('the body of a template message is exactly that of the specification', () => {
	const required = {
		template_id: 'order_confirmation',
		channel_id: '1024',
		customer_phone: '+15550100200',
	};

	it.each<[string, IDataObject, IDataObject]>([
		['only what is required', {}, {}],
		['an empty list of attributes', { attributes: { attribute: [] } }, {}],
		['an empty header media', { headerMedia: { media: undefined } }, {}],
		[
			'attributes, their order is the position',
			{ attributes: { attribute: [{ value: 'Ada' }, { value: 5 }, { value: true }] } },
			{ attributes: { '1': 'Ada', '2': '5', '3': 'true' } },
		],
		[
			'attributes as JSON object',
			{ specifyAttributes: 'json', attributesJson: '{"2":"Friday","1":"Ada"}' },
			{ attributes: { '1': 'Ada', '2': 'Friday' } },
		],
		[
			'attributes as JSON list',
			{ specifyAttributes: 'json', attributesJson: ['Ada'] },
			{ attributes: { '1': 'Ada' } },
		],
		['empty JSON', { specifyAttributes: 'json', attributesJson: '{}' }, {}],
		[
			'JSON counts, the hidden fields do not',
			{
				specifyAttributes: 'json',
				attributesJson: '["Ada"]',
				attributes: { attribute: [{ value: 'x' }] },
			},
			{ attributes: { '1': 'Ada' } },
		],
		[
			'fields count, the hidden JSON does not',
			{ attributesJson: 'broken', attributes: { attribute: [{ value: 'x' }] } },
			{ attributes: { '1': 'x' } },
		],
		...['image', 'audio', 'video', 'document'].map((type): [string, IDataObject, IDataObject] => [
			`header media: ${type}`,
			{ headerMedia: { media: { type, url: 'https://example.com/a' } } },
			{ attachment: { [type]: 'https://example.com/a' } },
		]),
	])('%s', (_, parameters, optional) => {
		const made = message('sendTemplate', { ...template, ...parameters });
		expect(made.body).toStrictEqual({ ...required, ...optional });
		expect(made.json).not.toContain('null');
		expect(made.recipient).toBe('+15550100200');
	});

	it('options: the country of a national number, line breaks in attributes of both kinds', () => {
		const options: MessageOptions = { defaultCountry: 'DE', attributeLineBreaks: 'replace' };
		const national = { ...template, customerPhone: '0151 23456789' };
		const fields = { attributes: { attribute: [{ value: 'one\ntwo' }] } };
		const json = { specifyAttributes: 'json', attributesJson: '["one\\ntwo"]' };
		for (const attributes of [fields, json]) {
			expect(message('sendTemplate', { ...national, ...attributes }, options)).toMatchObject({
				recipient: '+4915123456789',
				body: { customer_phone: '+4915123456789', attributes: { '1': 'one two' } },
			});
		}
	});

	it('goes to its path', () => {
		expect(operation('sendTemplate').path).toBe('/stable/open/whatsapp/send-template-message');
	});

	it.each<[string, IDataObject, string]>([
		['an empty template ID', { templateId: ' ' }, 'is empty'],
		['an empty channel ID', { channelId: '' }, 'is empty'],
		['a phone number without a plus', { customerPhone: '1555' }, 'has no plus sign'],
		[
			'an attribute without a value',
			{ attributes: { attribute: [{}] } },
			'value 1 is empty: the expression',
		],
		['an empty entry', { attributes: { attribute: [null] } }, 'value 1 is empty: the expression'],
		[
			'a private header URL',
			{ headerMedia: { media: { type: 'image', url: 'http://10.0.0.1/a.png' } } },
			'points to a private network',
		],
		['a header without a URL', { headerMedia: { media: { type: 'image', url: '' } } }, 'is empty'],
		[
			'a header of another kind',
			{ headerMedia: { media: { type: 'sticker', url: 'https://example.com/a' } } },
			'"sticker" isn\'t a type',
		],
	])('refuses %s', (_, parameters, text) => {
		const refused = refusalOf(() => message('sendTemplate', { ...template, ...parameters }));
		expect(refused.message).toContain(text);
	});
});

describe('the body of a text message is exactly that of the specification', () => {
	it('customer ID and text', () => {
		const made = message('sendText', { customerId: 42, text: ' Hi\n' });
		expect(made.json).toBe('{"customer_id":"42","text":" Hi\\n"}');
		expect(made.recipient).toBe('42');
		expect(made.labels).toEqual({ customerId: 'Customer ID', text: 'Text' });
	});

	it('goes to its path', () => {
		expect(operation('sendText').path).toBe('/stable/open/customers/send-text-message');
	});
});

describe('the body of an attachment message is exactly that of the specification', () => {
	it.each(['image', 'video', 'document'])('%s', (attachmentType) => {
		const attachmentUrl = 'https://example.com/a?b=c';
		const made = message('sendAttachment', { customerId: '42', attachmentType, attachmentUrl });
		expect(made.json).toBe(
			`{"customer_id":"42","attachment_type":"${attachmentType}","attachment_url":"${attachmentUrl}"}`,
		);
		expect(made.recipient).toBe('42');
	});

	it('audio is for template headers alone', () => {
		const parameters = {
			customerId: '42',
			attachmentType: 'audio',
			attachmentUrl: 'https://example.com/a',
		};
		expect(refusalOf(() => message('sendAttachment', parameters)).fix).toBe(
			'Use one of document, image, video',
		);
	});

	it('goes to its path', () => {
		expect(operation('sendAttachment').path).toBe('/stable/open/customers/send-attachment-message');
	});
});

describe('each parameter is read once per item', () => {
	it.each<[string, IDataObject]>([
		['sendTemplate', template],
		['sendTemplate', { ...template, specifyAttributes: 'json', attributesJson: '{}' }],
		['sendText', { customerId: '42', text: 'Hi' }],
		[
			'sendAttachment',
			{ customerId: '42', attachmentType: 'image', attachmentUrl: 'https://a.example' },
		],
	])('%s', (name, parameters) => {
		const { read } = message(name, parameters);
		expect(new Set(read).size).toBe(read.length);
	});
});

describe('no other operation is known', () => {
	it.each(['', 'sendtext', 'constructor', '__proto__', undefined, null, 0, ['sendText']])(
		'%j',
		(name) => {
			expect(operationNamed(name)).toBeUndefined();
		},
	);
});

describe('what the user sees', () => {
	const names = (name: string) =>
		operationProperties
			.filter(({ displayOptions }) => displayOptions?.show?.operation?.includes(name))
			.map((property) => property.name);

	it('the operations, the template first', () => {
		const [chosen] = operationProperties;
		expect(chosen).toMatchObject({ name: 'operation', default: 'sendTemplate' });
		expect(chosen.options?.map((option) => 'value' in option && option.value).sort()).toEqual([
			'sendAttachment',
			'sendTemplate',
			'sendText',
		]);
	});

	it.each<[string, string[]]>([
		[
			'sendTemplate',
			[
				'templateId',
				'channelId',
				'customerPhone',
				'specifyAttributes',
				'attributes',
				'attributesJson',
				'headerMedia',
			],
		],
		['sendText', ['customerId', 'text']],
		['sendAttachment', ['customerId', 'attachmentType', 'attachmentUrl']],
	])('the fields of %s, for no other operation', (name, fields) => {
		expect(names(name)).toEqual(fields);
		const shownFor = operationProperties
			.slice(1)
			.map(({ displayOptions }) => displayOptions?.show?.operation);
		for (const operations of shownFor) expect(operations).toHaveLength(1);
	});

	it.each([
		['attributes', 'fields'],
		['attributesJson', 'json'],
	])('%s only when attributes are specified as %s', (name, way) => {
		const property = operationProperties.find((candidate) => candidate.name === name);
		expect(property?.displayOptions?.show).toEqual({
			operation: ['sendTemplate'],
			specifyAttributes: [way],
		});
	});

	it.each<[string, unknown]>([
		['templateId', ''],
		['channelId', ''],
		['customerPhone', ''],
		['specifyAttributes', 'fields'],
		['attributes', {}],
		['attributesJson', '{}'],
		['headerMedia', {}],
		['customerId', ''],
		['text', ''],
		['attachmentType', 'document'],
		['attachmentUrl', ''],
	])('%s starts as %j', (name, value) => {
		const properties = operationProperties.filter((candidate) => candidate.name === name);
		expect(properties.length).toBeGreaterThan(0);
		for (const property of properties) expect(property.default).toEqual(value);
	});

	it('attributes are a sortable list, header media is one', () => {
		const find = (name: string) => operationProperties.find((property) => property.name === name);
		expect(find('attributes')?.typeOptions).toMatchObject({ multipleValues: true, sortable: true });
		expect(find('headerMedia')?.typeOptions?.multipleValues).toBeUndefined();
		expect(find('headerMedia')?.options).toMatchObject([
			{ name: 'media', values: [{ name: 'type' }, { name: 'url' }] },
		]);
		expect(find('attributes')?.options).toMatchObject([
			{ name: 'attribute', values: [{ name: 'value' }] },
		]);
	});

	it('the options and their defaults', () => {
		expect(optionsProperty.name).toBe('options');
		const defaults = (optionsProperty.options ?? []).map((option) => [
			option.name,
			'default' in option ? option.default : undefined,
		]);
		expect(Object.fromEntries(defaults)).toEqual({
			attributeLineBreaks: 'keep',
			defaultCountry: '',
			maxConcurrency: 100,
			messagesPerSecond: 0,
			rateLimitWait: 60,
			timeout: 30000,
		});
	});

	it('the safeguards and their defaults, each described with an example', () => {
		expect(safeguardsProperty.name).toBe('safeguards');
		const safeguards = (safeguardsProperty.options ?? []) as INodeProperties[];
		expect(safeguards.map(({ name, default: value }) => [name, value])).toEqual([
			['allowedHours', {}],
			['doNotContact', ''],
			['dryRun', false],
			['maxMessages', 0],
			['onUncertainDelivery', 'doNotResend'],
			['repeatedRecipients', 'sendAll'],
			['sendOnceKey', ''],
			['stopAfterFailures', 25],
			['testRecipient', ''],
		]);
		for (const { description } of safeguards) expect(description).toMatch(/e\.g\. \S/);
	});

	/** What n8n's editor makes of an expression in the description of a node with these parameters. */
	function evaluated(expression: string, parameters: INodeParameters): unknown {
		const { description } = new OutboundMessaging();
		const type = { description: { ...description, properties: [] } } as unknown as INodeType;
		const node = { id: '1', name: 'n', type: 't', typeVersion: 1, position: [0, 0], parameters };
		const workflow = new Workflow({
			nodes: [node as INode],
			connections: {},
			active: false,
			nodeTypes: { getByNameAndVersion: () => type } as unknown as INodeTypes,
		});
		workflow.nodes.n.parameters = parameters;
		return workflow.expression.getSimpleParameterValue(node as INode, expression, 'internal', {});
	}

	it.each<[INodeParameters | undefined, string, string[]]>([
		[undefined, 'Send text', []],
		[{ maxMessages: 5, dryRun: false, testRecipient: '' }, 'Send text', []],
		[{ dryRun: true }, 'Send text (dry run)', ["'Dry Run' is on"]],
		[{ dryRun: 'true' }, 'Send text (dry run)', ["'Dry Run' is on"]],
		[{ dryRun: '={{ $json.test }}' }, 'Send text', ["'Dry Run' is an expression"]],
		[{ testRecipient: '99' }, 'Send text (test run)', ["'Test Recipient' is set"]],
		[{ testRecipient: '={{ $json.me }}' }, 'Send text (test run)', ["'Test Recipient' is set"]],
		[
			{ dryRun: true, testRecipient: '99' },
			'Send text (dry run)',
			["'Dry Run' is on", "'Test Recipient' is set"],
		],
	])('with the safeguards %j the subtitle is %j, with the hints %j', (safeguards, words, hints) => {
		const { description } = new OutboundMessaging();
		const parameters = { operation: 'sendText', ...(safeguards && { safeguards }) };
		expect(evaluated(description.subtitle!, parameters)).toBe(words);
		const shown = description.hints!.filter(
			({ displayCondition }) => evaluated(displayCondition!, parameters) === true,
		);
		expect(shown.map(({ message }) => message.slice(0, message.search(/[:;]/)))).toEqual(hints);
	});

	it('the node and the credential', () => {
		const { description } = new OutboundMessaging();
		expect(description).toMatchObject({
			displayName: 'Outbound Messaging',
			name: 'outboundMessaging',
			version: 1,
			usableAsTool: true,
			credentials: [{ name: 'outboundMessagingApi', required: true }],
		});
		const credential = new OutboundMessagingApi();
		expect(credential).toMatchObject({
			displayName: 'Outbound Messaging API',
			name: 'outboundMessagingApi',
			properties: [
				{ name: 'baseUrl', required: true },
				{ name: 'apiKeyHeader', default: 'X-Service-Api-Key' },
				{ name: 'apiKey', typeOptions: { password: true } },
			],
		});
		expect(credential.properties).toHaveLength(3);
	});
});

describe('words of every property', () => {
	/** All properties with where they stand, those in collections too. */
	function all(properties: INodeProperties[], above = ''): Array<[string, INodeProperties]> {
		return properties.flatMap((property) => {
			const path = above + property.name;
			const inner = (property.options ?? []).flatMap((option) => {
				if ('values' in option) return all(option.values, `${path}.${option.name}.`);
				return 'type' in option ? all([option as INodeProperties], `${path}.`) : [];
			});
			return [[path, property] as [string, INodeProperties], ...inner];
		});
	}
	const properties = [
		...all(new OutboundMessaging().description.properties),
		...all(new OutboundMessagingApi().properties),
	];

	it('all of them are found', () => expect(properties.length).toBeGreaterThan(24));

	const containers = new Set(['operation']);
	it.each(properties.filter(([path]) => !containers.has(path)))(
		'%s is described',
		(_, property) => {
			expect(property.description?.length).toBeGreaterThan(15);
			expect(property.description).toMatch(/^[A-Z]/);
		},
	);

	const written = new Set(['collection', 'fixedCollection']);
	it.each(properties.filter(([, { placeholder, type }]) => placeholder && !written.has(type)))(
		'%s: its placeholder is an example',
		(_, { placeholder }) => expect(placeholder).toMatch(/^e\.g\. \S/),
	);

	it.each(properties.filter(([, { type }]) => type === 'boolean'))(
		'%s says Whether',
		(_, property) => {
			expect(property.description).toMatch(/^Whether /);
		},
	);

	it.each(properties.filter(([, { type }]) => type === 'options'))(
		'%s: its default is in its list',
		(_, { options, default: value }) => {
			expect(options?.map((option) => 'value' in option && option.value)).toContain(value);
		},
	);

	it('every operation has an action and a description', () => {
		for (const name of ['sendTemplate', 'sendText', 'sendAttachment']) {
			const { option } = operation(name);
			expect(option.action).toMatch(/^Send (?!an? )/);
			expect(option.description).toMatch(/^Send an? /);
		}
	});
});
