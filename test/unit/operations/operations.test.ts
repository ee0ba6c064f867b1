import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { OutboundMessaging } from '../../../nodes/OutboundMessaging/OutboundMessaging.node';
import { OutboundMessagingApi } from '../../../credentials/OutboundMessagingApi.credentials';
import { groupEntries } from '../../../nodes/OutboundMessaging/fields/field';
import { PAGE_TEXTS } from '../../../nodes/OutboundMessaging/waitForResponse/question';
import { words } from '../help';

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
			const start = preset === '' ? '' : `:${JSON.stringify(preset).replaceAll(' ', '_')}`;
			return path + start + range;
		});
		expect(stored.sort()).toEqual(
			words(`.resource:"message" .operation[resource=message]:"sendTemplate"
			.options:{} .options.attributeLineBreaks[/operation=sendTemplate]:"reject" .options.defaultCountry[/operation=sendTemplate,sendAndWait]
			.options.templateText[/operation=sendTemplate,sendAndWait] .options.includeInputFields:false
			.options.maxConcurrency:100(1…1000,0_decimals) .options.messagesPerSecond:0(0…1000,2_decimals) .options.rateLimitWait:60(0…86400,2_decimals)
			.options.timeout:30000(1…3600000,0_decimals)
			.options.limitWaitTime[/operation=sendAndWait]:{"values":{"limitType":"afterTimeInterval","resumeAmount":45,"resumeUnit":"minutes"}}
			.options.limitWaitTime.values.limitType:"afterTimeInterval"
			.options.limitWaitTime.values.resumeAmount[limitType=afterTimeInterval]:0(0…10000,2_decimals)
			.options.limitWaitTime.values.resumeUnit[limitType=afterTimeInterval]:"hours" .options.limitWaitTime.values.maxDateAndTime[limitType=atSpecifiedTime]
			.options.responsePage[/operation=sendAndWait]:${JSON.stringify({ texts: PAGE_TEXTS }).replaceAll(' ', '_')} .options.responsePage.texts.title
			.options.responsePage.texts.description .options.responsePage.texts.buttonLabel:"Send" .options.responsePage.texts.deadlineMessage:"Answer_by:"
			.options.responsePage.texts.completionMessage:"Thank_you._Your_answer:"
			.options.responsePage.texts.invalidMessage:"That_wasn't_an_answer_to_this_question._Answer_again."
			.options.responsePage.texts.closedMessage:"This_question_isn't_open_any_more." .options.responsePage.texts.language:"en"
			.safeguards:{} .safeguards.allowedHours:{"window":{"from":"08:00","until":"20:00"}} .safeguards.allowedHours.window.from
			.safeguards.allowedHours.window.until .safeguards.allowedHours.window.days:[] .safeguards.allowedHours.window.timezone
			.safeguards.doNotContact .safeguards.dryRun:"always" .safeguards.maxMessages:100(0…1000000,0_decimals) .safeguards.onUncertainDelivery:"doNotResend"
			.safeguards.repeatedRecipients:"sendFirst" .safeguards.sendOnceKey .safeguards.stopAfterFailures:25(0…1000000,0_decimals) .safeguards.testRecipient
			sendTemplate.templateId sendTemplate.channelId sendTemplate.customerPhone sendTemplate.specifyAttributes:"fields"
			sendTemplate.attributesJson[specifyAttributes=json]:"{}" sendTemplate.attributes[][specifyAttributes=fields]:{}
			sendTemplate.attributes[].attribute.value sendTemplate.headerMedia:{} sendTemplate.headerMedia.media.type:"image" sendTemplate.headerMedia.media.url
			sendText.customerId sendText.text sendAttachment.customerId sendAttachment.attachmentType:"document" sendAttachment.attachmentUrl
			sendAndWait.sendAs:"text" sendAndWait.customerId[sendAs=text] sendAndWait.message sendAndWait.templateId[sendAs=template]
			sendAndWait.channelId[sendAs=template] sendAndWait.customerPhone[sendAs=template] sendAndWait.templateContent[sendAs=template]:"messageAndLink"
			sendAndWait.responseType:"approval" sendAndWait.approvalOptions[responseType=approval]:{} sendAndWait.approvalOptions.values.approvalType:"single"
			sendAndWait.approvalOptions.values.approveLabel:"Approve" sendAndWait.approvalOptions.values.disapproveLabel[approvalType=double]:"Decline"
			sendAndWait.specifyChoices[responseType=choice]:"fields" sendAndWait.choicesJson[responseType=choice][specifyChoices=json]:"[]"
			sendAndWait.choices[][responseType=choice][specifyChoices=fields]:{} sendAndWait.choices[].choice.label`).sort(),
		);
	});

	it('how n8n lists the node', () => {
		const { description, methods } = new OutboundMessaging();
		const [name, displayName] = ['outboundMessagingApi', 'Outbound Messaging'];
		const file = 'file:../../icons/outboundMessaging';
		expect(description).toMatchObject({
			...{ displayName, name: 'outboundMessaging', version: 1, defaults: { name: displayName } },
			...{ inputs: ['main'], outputs: ['main'], group: ['output'], usableAsTool: true },
			icon: { light: `${file}.svg`, dark: `${file}.dark.svg` },
			description: expect.stringMatching(/^Send .* messages and attachments to real customers$/),
			credentials: [{ name, required: true, testedBy: 'outboundMessagingApiTest' }],
		});
		expect(Object.keys(methods.credentialTest)).toEqual(['outboundMessagingApiTest']);
	});

	it('fields with nothing in them that only the node has to know', () => {
		const { properties } = new OutboundMessaging().description;
		const keys = new Set(allOf(properties).flatMap(([, property]) => Object.keys(property)));
		const everywhere = ['default', 'description', 'displayName', 'displayOptions', 'name', 'type'];
		const some = ['noDataExpression', 'options', 'placeholder', 'required', 'typeOptions'];
		expect([...keys].sort()).toEqual([...everywhere, ...some].sort());
	});

	it('a group has no entries if an expression makes something else of it', () =>
		expect(['x', null, {}].flatMap((group) => groupEntries(group, 'attribute'))).toEqual([]));

	it('every property is described, and its placeholder is an example', () => {
		const described = [new OutboundMessaging().description, new OutboundMessagingApi()];
		const properties = described.flatMap((each) => allOf(each.properties));
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
	const MANUAL = "'Dry Run' is set to When Executed Manually";
	const TEST = "'Test Recipient' is set";
	it.each<[INodeParameters | undefined, string, string[]]>([
		[undefined, 'Send text', []],
		[{ maxMessages: 5, dryRun: false, testRecipient: '' }, 'Send text', []],
		[{ dryRun: 'always' }, 'Dry run: Send text', [DRY]],
		[{ dryRun: true }, 'Dry run: Send text', [DRY]],
		[{ dryRun: 'true' }, 'Dry run: Send text', [DRY]],
		[{ dryRun: 'manualExecutions' }, 'Dry run (manual): Send text', [MANUAL]],
		[{ dryRun: '={{ $json.test }}' }, 'Send text', ["'Dry Run' is an expression"]],
		[{ testRecipient: '99' }, 'Test run: Send text', [TEST]],
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
