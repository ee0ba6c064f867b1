/** The safeguards that depend on what n8n makes of their values, or keeps. All rules are in test/engine and test/unit. */
import { node } from '../n8n/workflow.cts';
import { NODE, textOf, useN8n } from './help.cts';

const used = useN8n();

const customersOf = (...numbers: number[]) =>
	numbers.map((number, index) => ({ customer: String(number), text: `text ${index}` }));
const sent = { extra: { success: true } };
const skipped = (reason: string) => ({ skipped: true, reason });
const dry = (id: string) => ({ dryRun: true, request: { body: { customer_id: id } } });

test.each<[string, object, object[], string[], object[]]>([
	[
		'Do Not Contact: numbers in any spelling, from an expression',
		{
			operation: 'sendTemplate',
			templateId: 'offer',
			channelId: '5001',
			customerPhone: '={{ $json.phone }}',
			options: { defaultCountry: 'DE' },
			safeguards: { doNotContact: "={{ ['0151 23456789', '0044 7700 900461'] }}" },
		},
		['+49 151 23456789', '+12025550143', '(0151) 2345-6789', '+447700900461'].map((phone) => ({
			phone,
		})),
		['+12025550143'],
		[skipped('doNotContact'), sent, skipped('doNotContact'), skipped('doNotContact')],
	],
	[
		'Test Recipient: three messages, all of them to the tester',
		textOf({}, { testRecipient: '99', sendOnceKey: '={{ $json.text }}' }),
		customersOf(1, 2, 3, 4),
		['99', '99', '99'],
		[sent, sent, sent, skipped('testRun')],
	],
	[
		'Dry Run: shows what the others leave, and sends nothing',
		textOf({}, { dryRun: true, repeatedRecipients: 'sendFirst', doNotContact: '3' }),
		customersOf(1, 2, 1, 3),
		[],
		[dry('1'), dry('2'), skipped('repeatedRecipient'), skipped('doNotContact')],
	],
])('%s', async (_, parameters, list, recipients, ended) => {
	const execution = await used.send({ parameters, list });
	expect(used.recipients()).toEqual(recipients);
	expect(execution.items(NODE)).toMatchObject(ended);
});

test('Allowed Hours: outside them an item fails and says when they begin', async () => {
	const today = new Date().getUTCDay();
	const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
	const list = customersOf(1, 2).map((customer, index) => ({
		...customer,
		day: days[(today + index * 3) % 7],
	}));
	const window = { from: '00:00', until: '24:00', days: '={{ [$json.day] }}', timezone: 'UTC' };
	const execution = await used.send({
		parameters: textOf({}, { allowedHours: { window } }),
		list,
		settings: { onError: 'continueErrorOutput' },
		failed: node('Failed', 'n8n-nodes-base.noOp', 1),
	});
	expect(used.recipients()).toEqual(['1']);
	expect(execution.items('Failed')).toMatchObject([
		{
			customer: '2',
			error: expect.stringContaining('begin again on') as string,
			details: { delivery: 'notAttempted', code: 'outsideAllowedHours' },
		},
	]);
});

test('Send Once Key and On Uncertain Delivery: Resend sends only what is uncertain', async () => {
	used.sandbox.faults.set([{ what: 'cutAfter', when: { recipient: '2', nth: 1 } }]);
	const parametersOf = (onUncertainDelivery: string) =>
		textOf({}, { sendOnceKey: '={{ $json.text }}', onUncertainDelivery });
	const workflowId = await used.save({
		parameters: parametersOf('doNotResend'),
		list: customersOf(1, 2),
		settings: { onError: 'continueRegularOutput' },
	});
	await used.client.run(workflowId);
	const again = await used.client.run(workflowId);
	expect(again.items(NODE)).toMatchObject([
		skipped('alreadySent'),
		{ details: { delivery: 'uncertain' } },
	]);
	// The same node: it keeps the keys by its ID.
	const { nodes } = await used.client.workflow(workflowId);
	const parameters = parametersOf('resend');
	const resending = nodes.map((each) => (each.name === NODE ? { ...each, parameters } : each));
	await used.client.updateWorkflow(workflowId, { nodes: resending });
	await used.client.run(workflowId);
	expect(used.recipients().toSorted()).toEqual(['1', '2', '2']);
});
