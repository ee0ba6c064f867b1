/**
 * How often what is sent: any list, fault and number of tries is in anyWorkflow.test.ts, each fault
 * in a real n8n in test/e2e.
 */
import type { IDataObject } from 'n8n-workflow';

import type { Execution } from './engine';
import { useEngine } from './engine';
import { failing } from './nodeTypes';
import { CONTINUE, customer, customers, cuts, FAILED, looped } from './workflows';
import * as flows from './workflows';

const engine = useEngine({ latency: 2 });

const COUNT = 7;

const KEY = { sendOnceKey: '={{ $json.customer }}' };
/** Left by a node that was deleted. */
const GONE = { Gone: { main: [[flows.to({ name: flows.NODE })]] } };
const each = (deliveries: number) => new Array<number>(COUNT).fill(deliveries);
/** One customer gets two equal messages. */
const ITEMS = [...customers(COUNT), ...customers(COUNT).slice(-1)];
const ALL = each(1).with(-1, 2);
const rejected = (which: number) => flows.rejects({ recipient: customer(which) });

/** A run that fails at a customer; then the service works again. */
async function failedAt(which: number): Promise<Execution> {
	engine.faults(rejected(which));
	const failed = await engine.send(flows.ONE_BY_ONE, ITEMS);
	expect(failed.status).toBe('error');
	engine.faults();
	return failed;
}

const ERRORS = ['Quota low', '', 0, null, false, { code: 0 }];
it.each(ERRORS)('Retry On Fail sends a record with the field error %j once', async (error) => {
	const body = { id: 'm', function_name: 'f', status: 's', error } as unknown as IDataObject;
	engine.faults({ what: 'status', status: 200, accepted: true, body });
	for (const onError of flows.MODES) {
		engine.ledger.clear();
		const options = { includeInputFields: true };
		const execution = await engine.send({ tries: 3, onError, options }, customers(3));
		expect(engine.timesDelivered(3)).toEqual([1, 1, 1]);
		const output = [...execution.json(), ...execution.json(0, FAILED)];
		expect(output).toMatchObject(customers(3).map((input) => ({ ...body, input })));
	}
});

describe('Retry from the list of executions', () => {
	it('with another operation: all of it is sent, and what the first one sent is kept', async () => {
		const failed = await failedAt(6);
		engine.faults(rejected(5));
		const attachmentUrl = 'https://example.com/a.pdf';
		const parameters = { operation: 'sendAttachment', attachmentType: 'document', attachmentUrl };
		const other = await failed.retry(flows.toSend({ parameters, ...flows.ONE_BY_ONE }));
		expect(engine.timesDelivered(COUNT)).toEqual([2, 2, 2, 2, 2, 1, 0]);
		engine.faults();
		expect((await other.retry(flows.toSend())).status).toBe('success');
		expect(engine.timesDelivered(COUNT)).toEqual([2, 2, 2, 2, 2, 1, 2]);
	});

	it("a second step's error advises a retry: a new execution sends the first again", async () => {
		const customerId = "={{ $('Start').item.json.customer }}";
		const parameters = { customerId, text: 'Hi' };
		const spec = { ...flows.ONE_BY_ONE, parameters, safeguards: { sendOnceKey: customerId } };
		const first = flows.sending({ ...spec, name: 'First' });
		const flow = (more = {}) =>
			flows.workflow([flows.START, first, flows.sending({ ...spec, ...more })], GONE);
		engine.faults(flows.rejects({ nth: COUNT + 3 }));
		const stopped = await engine.run(flow(), customers(COUNT));
		expect(stopped.words).toMatch(/set 'On Error' to 'Continue', choose 'Retry with/);
		engine.faults(rejected(5));
		const said = JSON.stringify((await stopped.retry(flow(CONTINUE))).json());
		expect(said).toContain('The next execution that has this row sends it');
		expect(engine.timesDelivered(COUNT)).toEqual(each(2).with(5, 1));
	});

	it('a loop that stopped at an uncertain message sends the rest as its error says', async () => {
		engine.faults(cuts({ recipient: customer(2) }));
		const stopped = await engine.run(looped({}, 1), ITEMS);
		expect(stopped.words).toContain("set 'On Error' to 'Continue', choose 'Retry with");
		const again = await stopped.retry();
		expect([stopped.status, again.status]).toEqual(['error', 'error']);
		expect(engine.timesDelivered(COUNT)).toEqual([1, 1, 1, 0, 0, 0, 0]);
		expect((await again.retry(looped(CONTINUE, 1))).status).toBe('success');
		expect(engine.timesDelivered(COUNT)).toEqual(ALL);
	});

	it.each<[string, IDataObject, IDataObject]>([
		['left out', {}, {}],
		['added', {}, KEY],
		['changed', KEY, { sendOnceKey: '={{ $json.text }}' }],
		['removed', KEY, {}],
	])('clicked twice, a send-once key is %s in between: sent once', async (_, first, second) => {
		const failed = await failedAt(2);
		engine.faults(rejected(5));
		const again = async (safeguards: IDataObject) =>
			await failed.retry(flows.toSend({ safeguards, ...flows.ONE_BY_ONE }));
		expect((await again(first)).status).toBe('error');
		expect(engine.timesDelivered(COUNT)).toEqual([1, 1, 1, 1, 1, 0, 0]);
		engine.faults();
		const last = await again(second);
		expect(last.status).toBe('success');
		expect(engine.timesDelivered(COUNT)).toEqual('sendOnceKey' in second ? each(1) : ALL);
		const key = 'sendOnceKey' in second ? { sendOnceKey: expect.anything() as string } : {};
		const skipped = { skipped: true, reason: 'alreadySent', recipient: customer(3), ...key };
		expect(last.json()[3]).toStrictEqual(skipped);
	});

	it.each<[IDataObject, string[], number]>([
		[{ maxMessages: 5 }, ['first'], 5],
		[{ repeatedRecipients: 'sendFirst' }, ['first', 'second'], 8],
	])('clicked again and again, with keys, all keep to %j', async (limit, kinds, count) => {
		const of = (kind: string) => customers(8).map((item) => ({ ...item, kind }));
		const sendOnceKey = '={{ $json.customer }} {{ $json.kind }}';
		const spec = { ...flows.ONE_BY_ONE, safeguards: { ...limit, sendOnceKey } };
		engine.faults(flows.rejects({ nth: 3 }));
		const failed = await engine.send(spec, kinds.flatMap(of));
		engine.faults();
		for (let click = 0; click < 3; click++) await failed.retry(flows.toSend(spec));
		expect(engine.accepted().sort()).toEqual(customers(count).map((row) => row.customer));
	});

	it.each(['original', 'saved', 'loop'])('twice after a sheet failed: %s', async (which) => {
		const spec = { ...CONTINUE, tries: 2 };
		const flow = flows.afterSheet(which === 'loop' ? looped(spec, 2) : flows.toSend(spec));
		// The sheet's last row, and then its first one, has an error after its last try.
		engine.faults(rejected(1));
		const again = (text: string) => customers(COUNT).map((item) => ({ ...item, text }));
		failing.times = 2;
		const [first, bad, ...others] = again('Hi');
		const failed = await engine.run(flow, [first, first, ...others, first, bad]);
		const other = await engine.run(flow, again('Bye'));
		expect([failed.status, other.status]).toEqual(['error', 'error']);
		const retry = async (execution: Execution) => {
			await execution.retry(which === 'original' ? undefined : flow);
			return engine.timesDelivered(COUNT);
		};
		const once = each(1).with(0, 3).with(1, 0);
		expect(await retry(failed)).toEqual(once);
		// The rows of the sheet have moved.
		expect(await retry(failed)).toEqual(once);
		expect(await retry(other)).toEqual(each(2).with(0, 4).with(1, 0));
	});
});
