import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { checkToolRecipient, toolArguments } from '../../../nodes/OutboundMessaging/tool/recipient';
import { refusalOf } from '../help';

interface Run {
	/** What runs the tool; n8n's engine by default. */
	caller?: 'agent' | 'mcp';
	/** The arguments that the model passed. */
	passed?: IDataObject;
	items?: number;
}

const check =
	(raw: unknown, { caller, passed = {}, items = 1 }: Run = {}) =>
	() =>
		checkToolRecipient(
			{
				getNode: () => ({ parameters: { customerId: raw, text: "={{ $fromAI('text') }}" } }),
				getWorkflowDataProxy: () => ({ $input: { all: () => new Array(items).fill({}) } }),
				evaluateExpression: (expression: string) => {
					const [, name, none] =
						/\$fromAI\('(.*?)', '', 'string', '(.*?)'\)/.exec(expression) ?? [];
					return passed[name] ?? none;
				},
			} as unknown as IExecuteFunctions,
			{ caller },
			raw,
		);

describe('an expression that is the first item in every call', () => {
	test.each([
		...["={{ $('Feed').item.json.id }}", "={{ $('A \\'quoted\\' (name)').item.json.id }}"],
		...["={{ $('Feed')?.item?.json.id }}", "={{ $('Feed').itemMatching(0).json.id }}"],
		...['={{ $(name).item.json.id }}', '={{ $input.item.json.id }}'],
		...["={{ $fromAI('id') || $input.item.json.id }}", '={{ $input.all()[0].json.id }}'],
		...['={{ $data.id }}', '={{ $json["i" + "d"] }}', '={{ (({ id }) => id)($json) }}'],
		...['={{ Object.values($json)[0] }}', '={{ $json.values()[0] }}'],
		...[
			'={{ $json.values ?.()[0] }}',
			'={{ $json.values/**/()[0] }}',
			"={{ $jmespath($json, 'id') }}",
		],
		...["={{ $('Feed')/**/.item.json.id }}", "={{ $('Feed')['first']().json.id }}"],
		...["={{ $items('Feed')[$itemIndex].json.id }}"],
		...["={{ $('Feed').all()[$itemIndex].json.id }}", '={{ $node["Feed"].json.id }}'],
		...['={{ `${$input.item.json.id}` }}', '={{ $fromAIs }}'],
		...['={{ $("Feed").item.json.id }}', "=+49{{ $('Feed')  .item.json.id }}"],
		...["={{ $('Feed')['item'].json.id }}", "={{ $('Feed').pairedItem().json.id }}"],
		...["={{ $input['item'].json.id }}", '={{ $input.first().json.id }}'],
		...["={{ $('Feed')['it' + 'em'].json.id }}"],
	])('%s is rejected', (raw) => {
		const { message, fix } = refusalOf(check(raw));
		expect(message).toMatch(/^uses "\$.*one customer$/);
		expect(fix).toContain('$fromAI()');
	});

	test.each([
		...['$input.item', 4711, "={{ $fromAI('id') }}", "={{ $('Feed').first().json.item }}"],
		...["={{ $('A \\'quoted\\' ($json)').last().json.id }}"],
		...[
			"={{ $('Feed').all()[0].json.id }}-{{ $now.toISODate() }}-{{ $vars.shop }}-{{ $execution.id }}",
		],
		...['={{ $json.items[0] }}'],
	])('%s is fine', (raw) => {
		expect(check(raw)).not.toThrow();
	});

	test('the check is linear', () => {
		expect(check(`={{ ${'$('.repeat(100_000)} }}`)).toThrow();
		expect(check(`={{ ${'$json '.repeat(100_000)} }}`)).toThrow();
		expect(check(`={{ ${"$('a').first() ".repeat(100_000)} }}`)).not.toThrow();
	});
});

describe('$json', () => {
	test.each(['={{ $json.id }}', "={{ $json['id'] }}", '={{ $json?.id }}'])(
		'%s: an agent that runs its tools itself gives them its first item',
		(raw) => {
			expect(check(raw, { caller: 'agent' })).not.toThrow();
			expect(refusalOf(check(raw, { caller: 'agent', items: 2 })).message).toMatch(
				/^uses \$json, /,
			);
			expect(check(raw, { caller: 'mcp', items: 2 })).not.toThrow();
		},
	);

	test.each([
		['={{ $json.id }}', { id: '666' }],
		["={{ $json['id'] }}", { id: '' }],
		['={{ $json.name + $json.id }}', { id: '666' }],
	])("%s: in n8n's engine, the model's own argument lies over it", (raw, passed) => {
		const { message, fix } = refusalOf(check(raw, { passed }));
		expect(message).toMatch(/^uses \$json\.id, /);
		expect(fix).toBe("Call this tool again without 'id'");
		expect(check(raw, { passed: { text: 'Hello' } })).not.toThrow();
	});

	test.each([
		['={{ $json.text }}', '$json.text'],
		["={{ $json['Customer ID'] }}", '$json["Customer ID"]'],
	])('%s can be changed by the model, or n8n doesn’t say whether it can', (raw, field) => {
		const { message } = refusalOf(check(raw));
		expect(message).toBe(`uses ${field}, which the agent can replace with any value`);
		expect(check(raw, { caller: 'mcp' })).not.toThrow();
	});
});

test('the arguments of a parameter', () => {
	expect(toolArguments("={{ $fromAI('a', 'An a') }} and {{ $fromai(\"b\") }}")).toEqual(['a', 'b']);
	expect(toolArguments({ list: [null, 5, '={{ $fromAI(`c`) }}'] })).toEqual(['c']);
	expect(toolArguments('={{ $json.a }}')).toEqual([]);
});
