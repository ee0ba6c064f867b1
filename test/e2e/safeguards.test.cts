/** Each safeguard in a real n8n, also together with others. Who got a message is counted at the service. */
import { graph, items, manualTrigger, node, outboundMessaging } from '../n8n/workflow.cts';
import { NODE, textOf, useN8n } from './help.cts';

const used = useN8n();

const customersOf = (...numbers: number[]) =>
	numbers.map((number, index) => ({ customer: String(number), text: `text ${index}` }));
const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const sorted = (recipients: string[]) => recipients.toSorted((one, other) => +one - +other);

const CONTINUE = { settings: { onError: 'continueRegularOutput' } };
const sent = expect.objectContaining({ extra: expect.anything() });
const skipped = (reason: string) => expect.objectContaining({ skipped: true, reason });
const dry = (id: string) => ({ dryRun: true, request: { body: { customer_id: id } } });
const toPhones = {
	operation: 'sendTemplate',
	templateId: 'offer',
	channelId: '5001',
	customerPhone: '={{ $json.phone }}',
	options: { defaultCountry: 'DE' },
};

test.each<[string, object, object[], string[], unknown[]]>([
	[
		'Do Not Contact: numbers in any spelling, from an expression',
		{
			...toPhones,
			safeguards: { doNotContact: "={{ ['0151 23456789', '0044 7700 900461'] }}" },
		},
		['+49 151 23456789', '+12025550143', '(0151) 2345-6789', '+447700900461'].map((phone) => ({
			phone,
		})),
		['+12025550143'],
		[skipped('doNotContact'), sent, skipped('doNotContact'), skipped('doNotContact')],
	],
	[
		'Repeated Recipients: Send First',
		textOf({}, { repeatedRecipients: 'sendFirst' }),
		customersOf(1, 2, 1, 2, 3),
		['1', '2', '3'],
		[sent, sent, skipped('repeatedRecipient'), skipped('repeatedRecipient'), sent],
	],
	[
		'Test Recipient: three messages, all of them to the tester',
		textOf({}, { testRecipient: '99', sendOnceKey: '={{ $json.text }}' }),
		customersOf(1, 2, 3, 4, 5),
		['99', '99', '99'],
		[sent, sent, sent, skipped('testRun'), skipped('testRun')],
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
	expect(sorted(used.recipients())).toEqual(recipients);
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

test('Max Messages: in a loop with batches of 5, it stops after 10', async () => {
	const parameters = textOf({}, { maxMessages: 10 });
	const definition = graph(
		'Loop',
		[
			manualTrigger(),
			items(customersOf(...range(23))),
			node('Loop', 'n8n-nodes-base.splitInBatches', 3, { batchSize: 5, options: {} }),
			outboundMessaging({ credentialId: used.credentialId, parameters }),
		],
		[
			['Start', 'Items'],
			['Items', 'Loop'],
			['Loop', NODE, { output: 1 }],
			[NODE, 'Loop'],
		],
	);
	const { id } = await used.client.createWorkflow(definition);
	const execution = await used.client.run(id);
	expect(execution.status).toBe('error');
	expect(execution.error.message).toContain("'Max Messages' is 10");
	expect(sorted(used.recipients())).toEqual(range(10).map(String));
});

test('Stop After Failures: a dead template costs no more than the limit', async () => {
	used.sandbox.faults.set([{ what: 'status', status: 400 }]);
	const parameters = textOf({}, { stopAfterFailures: 5 });
	const list = customersOf(...range(20));
	const execution = await used.send({ parameters, list, ...CONTINUE });
	expect(used.requests()).toHaveLength(5);
	expect(execution.items(NODE)).toHaveLength(20);
});

test('Send Once Key and On Uncertain Delivery: Resend sends only what is uncertain', async () => {
	used.sandbox.faults.set([{ what: 'cutAfter', when: { recipient: '2', nth: 1 } }]);
	const definition = (onUncertainDelivery: string) => ({
		parameters: textOf({}, { sendOnceKey: '={{ $json.text }}', onUncertainDelivery }),
		list: customersOf(1, 2),
		...CONTINUE,
	});
	const workflowId = await used.save(definition('doNotResend'));
	await used.client.run(workflowId);
	const again = await used.client.run(workflowId);
	expect(again.items(NODE)).toMatchObject([
		skipped('alreadySent'),
		{ details: { delivery: 'uncertain' } },
	]);
	// The same node: it keeps the keys by its ID.
	const { nodes } = await used.client.workflow(workflowId);
	const { parameters } = definition('resend');
	const resending = nodes.map((each) => (each.name === NODE ? { ...each, parameters } : each));
	await used.client.updateWorkflow(workflowId, { nodes: resending });
	await used.client.run(workflowId);
	expect(used.recipients().toSorted()).toEqual(['1', '2', '2']);
});
