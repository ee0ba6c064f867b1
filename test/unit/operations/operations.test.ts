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

/**
 * What an operation makes of one item: it reads each parameter once, calls it what the editor calls it, and the body is
 * one of the specification.
 */
function message(name: string, parameters: IDataObject, options?: MessageOptions) {
	const read: string[] = [];
	const checked: ItemParameters['checked'] = (parameter, label, check) => {
		expect(read).not.toContain(parameter);
		read.push(parameter);
		expect(operationProperties).toContainEqual(
			expect.objectContaining({ name: parameter, displayName: label }),
		);
		return check(parameters[parameter]);
	};
	const { path, toMessage } = operation(name);
	const made = toMessage({ checked }, options);
	const { validateBody } = operationList.find((each) => each.path === path)!;
	validateBody(made.body);
	expect(validateBody.errors).toBeNull();
	return { ...made, json: JSON.stringify(made.body) };
}

const TEMPLATE_IDS = { templateId: '', channelId: '', customerPhone: '' };
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

	const fields = (...values: unknown[]) => ({
		attributes: { attribute: values.map((value) => ({ value })) } as IDataObject,
	});
	const json = (attributesJson: unknown) =>
		({ specifyAttributes: 'json', attributesJson }) as IDataObject;
	const header = (type: string, url = 'https://example.com/a') => ({
		headerMedia: { media: { type, url } },
	});
	const ADA = { attributes: { '1': 'Ada' } };

	it.each<[string, IDataObject, IDataObject]>([
		['only what is required', {}, {}],
		['no attributes', fields(), {}],
		['an empty header media', { headerMedia: { media: undefined } }, {}],
		['attributes', fields('Ada', 5, true), { attributes: { '1': 'Ada', '2': '5', '3': 'true' } }],
		['a JSON object', json('{"2":"Bo","1":"Ada"}'), { attributes: { '1': 'Ada', '2': 'Bo' } }],
		['a JSON list', json(['Ada']), ADA],
		['empty JSON', json('{}'), {}],
		['JSON, and the hidden fields do not count', { ...fields('x'), ...json('["Ada"]') }, ADA],
		['fields, and the hidden JSON does not count', { ...fields('Ada'), attributesJson: '[' }, ADA],
		...['image', 'audio', 'video', 'document'].map((type): [string, IDataObject, IDataObject] => [
			`header media: ${type}`,
			header(type),
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
		for (const attributes of [fields('one\ntwo'), json('["one\\ntwo"]')]) {
			expect(message('sendTemplate', { ...national, ...attributes }, options)).toMatchObject({
				recipient: '+4915123456789',
				body: { customer_phone: '+4915123456789', attributes: { '1': 'one two' } },
			});
		}
	});

	const NO_VALUE = 'value 1 is empty: the expression found no value';
	it.each<[IDataObject, string]>([
		[{ templateId: ' ' }, 'is empty'],
		[{ channelId: '' }, 'is empty'],
		[{ customerPhone: '1555' }, '"1555" has no plus sign and country code'],
		[{ attributes: { attribute: [{}] } }, NO_VALUE],
		[{ attributes: { attribute: [null] } }, NO_VALUE],
		[header('image', 'http://10.0.0.1/'), '"http://10.0.0.1/" points to a private network'],
		[header('image', ''), 'is empty'],
		[header('sticker'), '"sticker" isn\'t a type of media that can be sent here'],
		[{ specifyAttributes: 'list' }, 'is "list"'],
	])('rejects %j: %s', (parameters, words) => {
		const rejecting = () => message('sendTemplate', { ...template, ...parameters });
		expect(refusalOf(rejecting).message).toBe(words);
	});
});

describe('the body of a text message is exactly that of the specification', () => {
	it('customer ID and text', () => {
		const made = message('sendText', { customerId: 42, text: ' Hi\n' });
		expect(made.json).toBe('{"customer_id":"42","text":" Hi\\n"}');
		expect(made.recipient).toBe('42');
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
	it('the operations, the template first', () => {
		const [chosen] = operationProperties;
		expect(chosen).toMatchObject({ name: 'operation', default: 'sendTemplate' });
		const values = chosen.options?.map((option) => 'value' in option && option.value);
		expect(values?.sort()).toEqual(['sendAttachment', 'sendTemplate', 'sendText']);
	});

	const attributes = { attributes: {}, attributesJson: '{}', headerMedia: {} };
	it.each<[string, IDataObject]>([
		['sendTemplate', { ...TEMPLATE_IDS, specifyAttributes: 'fields', ...attributes }],
		['sendText', { customerId: '', text: '' }],
		['sendAttachment', { customerId: '', attachmentType: 'document', attachmentUrl: '' }],
	])('the fields of %s and their defaults, for no other operation', (name, fields) => {
		const shown = operationProperties.filter(({ displayOptions }) =>
			displayOptions?.show?.operation?.includes(name),
		);
		expect(shown.map((field) => [field.name, field.default])).toEqual(Object.entries(fields));
		for (const { displayOptions } of shown) expect(displayOptions?.show?.operation).toEqual([name]);
	});

	it.each([
		['attributes', 'fields'],
		['attributesJson', 'json'],
	])('%s only when attributes are specified as %s', (name, way) => {
		const property = operationProperties.find((candidate) => candidate.name === name);
		expect(property?.displayOptions?.show).toHaveProperty('specifyAttributes', [way]);
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

	it.each<[string, INodeProperties, IDataObject]>([
		[
			'options',
			optionsProperty,
			{
				defaultCountry: '',
				attributeLineBreaks: 'keep',
				maxConcurrency: 100,
				messagesPerSecond: 0,
				rateLimitWait: 60,
				timeout: 30000,
			},
		],
		[
			'safeguards',
			safeguardsProperty,
			{
				allowedHours: {},
				doNotContact: '',
				dryRun: false,
				maxMessages: 0,
				onUncertainDelivery: 'doNotResend',
				repeatedRecipients: 'sendAll',
				sendOnceKey: '',
				stopAfterFailures: 25,
				testRecipient: '',
			},
		],
	])('the %s and their defaults', (name, property, defaults) => {
		expect(property.name).toBe(name);
		const options = property.options as INodeProperties[];
		expect(options.map((option) => [option.name, option.default])).toEqual(
			Object.entries(defaults),
		);
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

it('every property is described, and its placeholder is an example', () => {
	/** All properties with where they are, those in collections too. */
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
	expect(properties.length).toBeGreaterThan(24);
	const bad = properties.filter(([path, { description = '', placeholder, type }]) => {
		const isExample = /collection$/i.test(type) || /^e\.g\. \S/.test(placeholder ?? 'e.g. x');
		const hasExample = !/^safeguards\.\w+$/.test(path) || /e\.g\. \S/.test(description);
		return path !== 'operation' && !(/^[A-Z].{15}/.test(description) && isExample && hasExample);
	});
	expect(bad).toEqual([]);
});

it.each(['sendTemplate', 'sendText', 'sendAttachment'])('%s has an action', (name) => {
	const { option } = operation(name);
	expect(option.action).toMatch(/^Send (?!an? )/);
	expect(option.description).toMatch(/^Send an? /);
});
