import type { IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { operationNamed } from '../../../nodes/OutboundMessaging/operations';
import type * as operation from '../../../nodes/OutboundMessaging/operations/operation';
import { OutboundMessaging } from '../../../nodes/OutboundMessaging/OutboundMessaging.node';
import { OutboundMessagingApi } from '../../../credentials/OutboundMessagingApi.credentials';
import { operationList } from '../../../sandbox/specification.cts';
import { PAGE_TEXTS } from '../../../nodes/OutboundMessaging/waitForResponse/question';
import { refusalOf, words } from '../help';

/**
 * What an operation makes of one item: it reads each of its parameters once, and the body is one of the specification.
 */
function message(name: string, parameters: IDataObject, options?: operation.MessageOptions) {
	const read: string[] = [];
	const { path, fields, toMessage } = operationNamed(name, parameters.sendAs)!;
	const checked: operation.Checked = (parameter, check) => {
		// Each thing that a question's message becomes is checked under its name.
		if (parameter !== 'message') expect(read).not.toContain(parameter);
		read.push(parameter);
		expect(Object.keys(fields)).toContain(parameter);
		return check(parameters[parameter]);
	};
	const made = toMessage(checked, options);
	const { validateBody } = operationList.find((each) => each.path === path)!;
	validateBody(made.body);
	expect(validateBody.errors).toBeNull();
	return made;
}

const template = {
	...{ templateId: 'order', channelId: '1024', customerPhone: '+1 555 010-0200' },
	...{ specifyAttributes: 'fields', attributes: {}, headerMedia: {} },
};
const SENT = { template_id: 'order', channel_id: '1024', customer_phone: '+15550100200' };
const fields = (...values: unknown[]) => ({
	attributes: { attribute: values.map((value) => ({ value })) } as IDataObject,
});
const json = (attributesJson: unknown) =>
	({ specifyAttributes: 'json', attributesJson }) as IDataObject;
const URL = 'https://example.com/a';
const header = (type: string, url = URL) => ({ headerMedia: { media: { type, url } } });
type Row = { name: string; parameters: IDataObject; optional: object; made: object };
const ADA = { attributes: { '1': 'Ada' } };

it.each`
	what                                            | parameters                                   | optional
	${'only what is required'}                      | ${{}}                                        | ${{}}
	${'no attributes'}                              | ${fields()}                                  | ${{}}
	${'an empty header media'}                      | ${{ headerMedia: { media: undefined } }}     | ${{}}
	${'attributes'}                                 | ${fields('Ada', 5, true)}                    | ${{ attributes: { '1': 'Ada', '2': '5', '3': 'true' } }}
	${'a JSON object'}                              | ${json('{"2":"Bo","1":"Ada"}')}              | ${{ attributes: { '1': 'Ada', '2': 'Bo' } }}
	${'empty JSON'}                                 | ${json('{}')}                                | ${{}}
	${'JSON, and the hidden fields do not count'}   | ${{ ...fields('x'), ...json(['Ada']) }}      | ${ADA}
	${'fields, and the hidden JSON does not count'} | ${{ ...fields('Ada'), attributesJson: '[' }} | ${ADA}
	${'an image'}                                   | ${header('image')}                           | ${{ attachment: { image: URL } }}
	${'an audio file'}                              | ${header('audio')}                           | ${{ attachment: { audio: URL } }}
	${'a video'}                                    | ${header('video')}                           | ${{ attachment: { video: URL } }}
	${'a document'}                                 | ${header('document')}                        | ${{ attachment: { document: URL } }}
`('the body of a template message has exactly $what', ({ parameters, optional }: Row) => {
	const { body, recipient } = message('sendTemplate', { ...template, ...parameters });
	expect(body).toStrictEqual({ ...SENT, ...optional });
	expect(recipient).toBe('+15550100200');
});

it('line breaks in attributes, the text that they fill, and the country of a national number', () => {
	for (const attributes of [fields('one\ntwo'), json('["one\\ntwo"]')]) {
		const given = { ...template, ...attributes, customerPhone: '0151 23456789' };
		const options = { attributeLineBreaks: 'replace', defaultCountry: 'DE' } as const;
		const made = message('sendTemplate', given, { ...options, templateText: 'Hi {{1}}!' });
		const recipient = '+4915123456789';
		const body = { ...SENT, customer_phone: recipient, attributes: { '1': 'one two' } };
		expect(made).toStrictEqual({ recipient, body, text: 'Hi one two!' });
	}
});

const MISSING = "has no value for {{1}} of 'Template Text'";
it.each<[IDataObject, string, operation.MessageOptions?]>([
	[{ channelId: '' }, 'is empty'],
	[{ attributes: { attribute: [null] } }, 'value 1 is empty: the expression found no value'],
	[header('sticker'), '"sticker" isn\'t a type of media that can be sent here'],
	[fields(), MISSING, { templateText: 'Hi {{1}}!' }],
])('a template message rejects %j: %s', (...[parameters, rejection, options]) => {
	const rejecting = () => message('sendTemplate', { ...template, ...parameters }, options);
	expect(refusalOf(rejecting).title).toBe(rejection);
});

const LINK = 'https://n8n.example.com/webhook-waiting/answer';
const TEXT = { customer_id: '42', text: ' Hi\n' };
const sendText = { customerId: 42, text: ' Hi\n' };
const FILE = { customer_id: '042', attachment_url: URL };
const file = { customerId: '042', attachmentUrl: URL };
const question = { customerId: 42, message: ' Does Friday\n suit you? ', responseType: 'freeText' };
const asked = { message: 'Does Friday\n suit you?', type: 'freeText', texts: PAGE_TEXTS };
const LINKED = { customer_id: '42', text: `Does Friday\n suit you?\n${LINK}` };
const byTemplate = { ...question, ...template, sendAs: 'template' };
const asTemplate = { recipient: '+15550100200', text: undefined, question: asked };
const BOTH = { ...SENT, attributes: { '1': 'Does Friday suit you?', '2': LINK } };
it.each`
	name                | parameters                                              | made
	${'sendText'}       | ${sendText}                                             | ${{ recipient: '42', body: TEXT, text: ' Hi\n' }}
	${'sendAttachment'} | ${{ ...file, attachmentType: 'image' }}                 | ${{ recipient: '042', body: { ...FILE, attachment_type: 'image' } }}
	${'sendAttachment'} | ${{ ...file, attachmentType: 'video' }}                 | ${{ recipient: '042', body: { ...FILE, attachment_type: 'video' } }}
	${'sendAttachment'} | ${{ ...file, attachmentType: 'document' }}              | ${{ recipient: '042', body: { ...FILE, attachment_type: 'document' } }}
	${'sendAndWait'}    | ${question}                                             | ${{ recipient: '42', body: LINKED, text: LINKED.text, length: LINKED.text.length, question: asked }}
	${'sendAndWait'}    | ${{ ...byTemplate, templateContent: 'messageAndLink' }} | ${{ ...asTemplate, body: BOTH }}
	${'sendAndWait'}    | ${{ ...byTemplate, templateContent: 'linkOnly' }}       | ${{ ...asTemplate, body: { ...SENT, attributes: { '1': LINK } } }}
`('$name with $parameters', ({ name, parameters, made }: Row) => {
	expect(message(name, parameters)).toEqual(made);
});

it.each(['', 'sendtext', 'constructor', '__proto__', undefined, null, 0, ['sendText']])(
	'no operation is called %j',
	(name) => expect(operationNamed(name)).toBeUndefined(),
);

/** All properties with where they are and when they're shown; those in collections, too. */
function allOf(properties: INodeProperties[], above = ''): Array<[string, INodeProperties]> {
	return properties.flatMap((property) => {
		const { operation: [operation] = [], ...show } = property.displayOptions?.show ?? {};
		const when = Object.entries(show).map(([name, values]) => `[${name}=${String(values)}]`);
		const list = property.typeOptions?.multipleValues && property.typeOptions.sortable ? '[]' : '';
		const path = `${above}${above === '' ? (operation ?? '') : ''}.${property.name}${list}`;
		const inner = (property.options ?? []).flatMap((option) => {
			if ('values' in option) return allOf(option.values, `${path}.${option.name}`);
			return 'type' in option ? allOf([option as INodeProperties], path) : [];
		});
		return [[`${path}${when.join('')}`, property] as [string, INodeProperties], ...inner];
	});
}

describe('what the user sees', () => {
	it('the names that workflows store, when they are shown, their defaults and ranges', () => {
		const shown = allOf(new OutboundMessaging().description.properties);
		// The default is empty where none is written.
		const stored = shown.map(([path, { type, typeOptions, default: preset }]) => {
			const { minValue, maxValue, numberPrecision: decimals } = typeOptions ?? {};
			const range = type === 'number' ? `(${minValue}…${maxValue},${decimals}_decimals)` : '';
			return (
				path + (preset === '' ? '' : `:${JSON.stringify(preset).replaceAll(' ', '_')}`) + range
			);
		});
		expect(stored.sort()).toEqual(
			words(`.resource:"message" .operation[resource=message]:"sendTemplate"
			.options:{} .options.attributeLineBreaks[/operation=sendTemplate]:"reject"
			.options.defaultCountry[/operation=sendTemplate,sendAndWait]
			.options.templateText[/operation=sendTemplate,sendAndWait] .options.includeInputFields[/operation=sendTemplate,sendText,sendAttachment]:false
			.options.maxConcurrency:100(1…1000,0_decimals) .options.messagesPerSecond:0(0…1000,2_decimals) .options.rateLimitWait:60(0…86400,2_decimals) .options.timeout:30000(1…3600000,0_decimals)
			.options.limitWaitTime[/operation=sendAndWait]:{"values":{"limitType":"afterTimeInterval","resumeAmount":45,"resumeUnit":"minutes"}}
			.options.limitWaitTime.values.limitType:"afterTimeInterval"
			.options.limitWaitTime.values.resumeAmount[limitType=afterTimeInterval]:1(0…10000,2_decimals)
			.options.limitWaitTime.values.resumeUnit[limitType=afterTimeInterval]:"hours"
			.options.limitWaitTime.values.maxDateAndTime[limitType=atSpecifiedTime]
			.options.responsePage[/operation=sendAndWait]:${JSON.stringify({ texts: PAGE_TEXTS }).replaceAll(' ', '_')}
			.options.responsePage.texts.title .options.responsePage.texts.description .options.responsePage.texts.buttonLabel:"Send"
			.options.responsePage.texts.deadlineMessage:"Answer_by:" .options.responsePage.texts.completionMessage:"Thank_you._Your_answer:"
			.options.responsePage.texts.invalidMessage:"That_wasn't_an_answer_to_this_question._Answer_again."
			.options.responsePage.texts.closedMessage:"This_question_isn't_open_any_more." .options.responsePage.texts.language:"en"
			.safeguards:{} .safeguards.allowedHours:{"window":{"from":"08:00","until":"20:00"}}
			.safeguards.allowedHours.window.from:"08:00" .safeguards.allowedHours.window.until:"20:00"
			.safeguards.allowedHours.window.days:[] .safeguards.allowedHours.window.timezone
			.safeguards.doNotContact .safeguards.dryRun:"always" .safeguards.maxMessages:100(0…1000000,0_decimals)
			.safeguards.onUncertainDelivery:"doNotResend" .safeguards.repeatedRecipients:"sendFirst"
			.safeguards.sendOnceKey .safeguards.stopAfterFailures:25(0…1000000,0_decimals) .safeguards.testRecipient
			sendTemplate.templateId sendTemplate.channelId sendTemplate.customerPhone
			sendTemplate.specifyAttributes:"fields" sendTemplate.attributesJson[specifyAttributes=json]:"{}"
			sendTemplate.attributes[][specifyAttributes=fields]:{} sendTemplate.attributes[].attribute.value
			sendTemplate.headerMedia:{} sendTemplate.headerMedia.media.type:"image" sendTemplate.headerMedia.media.url
			sendText.customerId sendText.text
			sendAttachment.customerId sendAttachment.attachmentType:"document" sendAttachment.attachmentUrl
			sendAndWait.sendAs:"text" sendAndWait.customerId[sendAs=text] sendAndWait.message
			sendAndWait.templateId[sendAs=template] sendAndWait.channelId[sendAs=template]
			sendAndWait.customerPhone[sendAs=template] sendAndWait.templateContent[sendAs=template]:"messageAndLink"
			sendAndWait.responseType:"approval" sendAndWait.approvalOptions[responseType=approval]:{}
			sendAndWait.approvalOptions.values.approvalType:"single"
			sendAndWait.approvalOptions.values.approveLabel:"Approve"
			sendAndWait.approvalOptions.values.disapproveLabel[approvalType=double]:"Decline"
			sendAndWait.specifyChoices[responseType=choice]:"fields" sendAndWait.choicesJson[responseType=choice][specifyChoices=json]:"[]"
			sendAndWait.choices[][responseType=choice][specifyChoices=fields]:{} sendAndWait.choices[].choice.label`).sort(),
		);
	});

	it('fields with nothing in them that only the node has to know', () => {
		const { properties } = new OutboundMessaging().description;
		const keys = new Set(allOf(properties).flatMap(([, property]) => Object.keys(property)));
		const everywhere = ['default', 'description', 'displayName', 'displayOptions', 'name', 'type'];
		const some = ['noDataExpression', 'options', 'placeholder', 'required', 'typeOptions'];
		expect([...keys].sort()).toEqual([...everywhere, ...some].sort());
	});

	it('every property is described, and its placeholder is an example', () => {
		const properties = [new OutboundMessaging().description, new OutboundMessagingApi()].flatMap(
			(each) => allOf(each.properties),
		);
		const bad = properties.filter(([path, { description: text = '', placeholder, type }]) => {
			const isExample = /collection$/i.test(type) || /^e\.g\. \S/.test(placeholder ?? 'e.g. x');
			return !/^\.(resource|operation)/.test(path) && !(/^[A-Z].{15}/.test(text) && isExample);
		});
		expect(bad).toEqual([]);
	});

	/** What n8n's editor makes of an expression in the description of a node with these parameters. */
	function evaluated(expression: string, parameters: INodeParameters): unknown {
		const type = { description: { ...new OutboundMessaging().description, properties: [] } };
		const nodeTypes = { getByNameAndVersion: () => type } as never;
		const node = { id: '1', name: 'n', type: 't', typeVersion: 1 };
		const nodes = [{ ...node, position: [0, 0] as [number, number], parameters }];
		const workflow = new Workflow({ nodes, connections: {}, active: false, nodeTypes });
		workflow.nodes.n.parameters = parameters;
		return workflow.expression.getSimpleParameterValue(nodes[0], expression, 'internal', {});
	}

	const DRY = "'Dry Run' is on";
	const TEST = "'Test Recipient' is set";
	it.each<[INodeParameters | undefined, string, string[]]>([
		[undefined, 'Send text', []],
		[{ maxMessages: 5, dryRun: false, testRecipient: '' }, 'Send text', []],
		[{ dryRun: 'always' }, 'Dry run: Send text', [DRY]],
		[{ dryRun: true }, 'Dry run: Send text', [DRY]],
		[{ dryRun: 'true' }, 'Dry run: Send text', [DRY]],
		[
			{ dryRun: 'manualExecutions' },
			'Dry run (manual): Send text',
			["'Dry Run' is set to When Executed Manually"],
		],
		[{ dryRun: '={{ $json.test }}' }, 'Send text', ["'Dry Run' is an expression"]],
		[{ testRecipient: '99' }, 'Test run: Send text', [TEST]],
		[{ testRecipient: '={{ $json.me }}' }, 'Test run: Send text', [TEST]],
		[{ dryRun: true, testRecipient: '99' }, 'Dry run: Send text', [DRY, TEST]],
	])('with the safeguards %j the subtitle is %j, with the hints %j', (safeguards, words, hints) => {
		const { description } = new OutboundMessaging();
		const parameters = { operation: 'sendText', ...(safeguards && { safeguards }) };
		expect(evaluated(description.subtitle!, parameters)).toBe(words);
		const shown = description.hints!.filter(
			({ displayCondition }) => evaluated(displayCondition!, parameters) === true,
		);
		expect(shown.map(({ message }) => message.slice(0, message.search(/[:;]/)))).toEqual(hints);
	});
});
