import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { OutboundMessaging } from '../../../nodes/OutboundMessaging/OutboundMessaging.node';
import { OutboundMessagingApi } from '../../../credentials/OutboundMessagingApi.credentials';
import { operations } from '../../../nodes/OutboundMessaging/operations';
import { options } from '../../../nodes/OutboundMessaging/operations/options';
import { PHONE } from '../../../nodes/OutboundMessaging/operations/recipientFields';
import { groupEntries } from '../../../nodes/OutboundMessaging/parameters/field';
import { found } from '../../found';

/** All fields, those in collections and groups, too. */
function fieldsOf(properties: INodeProperties[]): INodeProperties[] {
	const inner = ({ options = [] }: INodeProperties) =>
		options.flatMap((option) => {
			if ('values' in option) return fieldsOf(option.values);
			return 'type' in option ? fieldsOf([option as INodeProperties]) : [];
		});
	return found(properties.flatMap((property) => [property, ...inner(property)]));
}

// The names that workflows store are compared with a page, in test/docs/parametersAsJson.test.cts.
describe('what the user sees', () => {
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

	it("n8n's editor gets nothing of a field that only the node has to know", () => {
		const { properties } = new OutboundMessaging().description;
		const keys = new Set(fieldsOf(properties).flatMap((field) => Object.keys(field)));
		const everywhere = ['default', 'description', 'displayName', 'displayOptions', 'name', 'type'];
		const some = ['noDataExpression', 'options', 'placeholder', 'required', 'typeOptions'];
		expect([...keys].sort()).toEqual([...everywhere, ...some].sort());
	});

	it.each([
		['defaultCountry', PHONE.name],
		['templateText', 'templateId'],
		['attributeLineBreaks', 'attributes'],
	] as const)('%s is offered by the operations with the field %s', (option, name) => {
		const having = operations.filter(({ fields }) => name in fields);
		const values = having.map((each) => each.option.value);
		const offering = options[option].displayOptions?.show?.['/operation'] as string[];
		expect(offering.toSorted()).toEqual(values.toSorted());
	});

	it('a group has no entries if an expression makes something else of it', () =>
		expect(['x', null, {}].flatMap((group) => groupEntries(group, 'attribute'))).toEqual([]));

	describe.each<[of: string, INodeProperties[]]>([
		['the node', new OutboundMessaging().description.properties],
		['the credential', new OutboundMessagingApi().properties],
	])('each field of %s', (_, properties) => {
		// n8n explains these two itself.
		const isOwn = ({ name }: INodeProperties) => !['resource', 'operation'].includes(name);
		const fields = found(fieldsOf(properties).filter(isOwn));

		it.each(fields)('$name is described', ({ description }) => {
			expect(description).toMatch(/^[A-Z].{15}/);
		});

		it.each(fields.filter(({ placeholder, type }) => placeholder && !/collection$/i.test(type)))(
			'the placeholder of $name is an example',
			({ placeholder }) => expect(placeholder).toMatch(/^e\.g\. \S/),
		);
	});

	/**
	 * What n8n's editor makes of an expression in the description of a node with these parameters.
	 */
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
