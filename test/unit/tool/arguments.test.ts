import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { RunRejected } from '../../../nodes/OutboundMessaging/common/failure';
import * as tool from '../../../nodes/OutboundMessaging/tool/arguments';
import type { Caller } from '../../../nodes/OutboundMessaging/n8n/internals';

/** By what the tool is run; n8n's engine by default. */
type Run = { caller?: Caller; items?: number; name?: string };

/** @returns what the agent reads about an expression that isn't safe */
function rejectionOf(raw: unknown, { caller, items = 1, name = 'customerId' }: Run = {}) {
	const parameters: IDataObject = { operation: 'sendText', [name]: raw as string };
	const context = {
		getNodeParameter: (asked: string) => parameters[asked] ?? null,
		getWorkflowDataProxy: () => ({ $input: { all: () => new Array(items).fill({}) } }),
	} as unknown as IExecuteFunctions;
	try {
		tool.requireSafeRecipient(context, caller);
		return undefined;
	} catch (error) {
		return (error as RunRejected).failure;
	}
}

const LABELS = { customerId: 'Customer ID', 'safeguards.sendOnceKey': 'Send Once Key' };

test.each([
	"={{ $('Feed').item.json.id }}",
	"={{ $('A \\'quoted\\' (name)').item.json.id }}",
	"={{ $('Feed')?.item?.json.id }}",
	"={{ $('Feed').itemMatching(0).json.id }}",
	'={{ $(name).item.json.id }}',
	"={{ $fromAI('id') || $input.item.json.id }}",
	'={{ $input.item.json.id }}',
	'={{ $input.all()[0].json.id }}',
	'={{ $data.id }}',
	'={{ $jsonp.id }}',
	"={{ $jmespath($json, 'id') }}",
	"={{ $('Feed')/**/.item.json.id }}",
	"={{ $('Feed')['first']().json.id }}",
	"={{ $items('Feed')[$itemIndex].json.id }}",
	'={{ $fromAIs }}',
	"={{ $('Feed').all()[$itemIndex].json.id }}",
	'={{ $node["Feed"].json.id }}',
	'={{ `${$input.item.json.id}` }}',
	'={{ $("Feed").item.json.id }}',
	"={{ $('Feed')['item'].json.id }}",
	"={{ $('Feed').pairedItem().json.id }}",
	"={{ $input['item'].json.id }}",
	'={{ $input.first().json.id }}',
	"={{ $('Feed')['it' + 'em'].json.id }}",
	"=+49{{ $('Feed')  .item.json.id }}",
])('%s can be another item than the one of the call', (raw) => {
	for (const [name, label] of Object.entries(LABELS)) {
		for (const caller of [undefined, 'agent', 'mcp'] as const) {
			const { title, description } = rejectionOf(raw, { name, caller }) ?? {};
			const words = `'${label}' is an expression that can give another customer`;
			expect(title).toContain(words);
			expect(description).toContain('$fromAI()');
		}
	}
});

test.each([
	...['$input.item', 4711],
	"={{ $fromAI('id') }}",
	"={{ $('Feed').first().json.item }}",
	"={{ $('A \\'quoted\\' ($json)').last().json.id }}",
	"={{ $('Feed').all()[0].json.id }}-{{ $now.toISODate() }}-{{ $vars.shop }}-{{ $execution.id }}",
])('%s is the same in every call', (raw) => {
	expect(rejectionOf(raw)).toBeUndefined();
	expect(rejectionOf("={{ $('Feed').item.json.text }}", { name: 'text' })).toBeUndefined();
});

test.each<[Run, boolean]>([
	// n8n's engine: whatever the model passes lies over it.
	[{}, false],
	[{ caller: 'mcp', items: 2 }, true],
	[{ caller: 'agent' }, true],
	[{ caller: 'agent', items: 2 }, false],
])('$json in a call by %j is safe: %s', (run, isSafe) => {
	for (const raw of ['={{ $json.id }}', "={{ $json['id'] }}", '={{ Object.values($json)[0] }}']) {
		expect(rejectionOf(raw, run) === undefined).toBe(isSafe);
	}
});

test('the arguments of a parameter', () => {
	const two = "={{ $fromAI('a', 'An a') }} and {{ $fromai(\"b\") }}{{ $fromAI('a') }}";
	expect(tool.argumentNames(two)).toEqual(['a', 'b']);
	expect(tool.argumentNames({ list: [null, 5, '={{ $fromAI(`c`) }}'] })).toEqual(['c']);
	expect(tool.argumentNames('={{ $json.a }}')).toEqual([]);
});
