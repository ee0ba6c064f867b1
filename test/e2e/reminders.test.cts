/** A week of examples/reminders.json as a practice has it: imported, published, and only its table is touched. */
import { randomUUID } from 'node:crypto';
import { poll } from '../../scripts/lib/child.cts';
import type { FaultRule } from '../../sandbox/index.cts';
import type { Row } from '../n8n/client.cts';
import { exampleOf } from '../n8n/example.cts';
import type { NodeDefinition } from '../n8n/workflow.cts';
import { useOwnN8n } from './help.cts';

// The numbers that it stops would stop the lists of other tests.
const used = useOwnN8n({ keepLedger: true });

const ZONE = 'America/New_York';
/** The date in so many days, where the practice is. */
const inDays = (days: number) =>
	new Date(Date.now() + days * 86_400_000).toLocaleDateString('sv', { timeZone: ZONE });
const TOMORROW = inDays(1);
const LATE = '23:30';

/** Where numbers of eight countries begin; three digits are left. */
const COUNTRIES = [
	...['+1 (202) 555-0', '0044 7700 900', '+61 491 570 ', '+33 6 39 98 0'],
	...['+49 1512 3456 ', '+91 98765 43', '+55 11 96123-4', '+39 333 123 4'],
];
const phoneOf = (index: number) => COUNTRIES[index % 8] + String(100 + index);
const asSent = (phone: string) => phone.replace(/^00/, '+').replace(/[^+\d]/g, '');

/** A row that is due. */
const row = (index: number, more: Row = {}): Row => ({
	...{ Name: `N${index}`, Phone: phoneOf(index), Date: TOMORROW, Time: LATE },
	...more,
});

interface Settings {
	[name: string]: string;
}

/** Imports the example, chooses a credential and settings, and publishes it with a button for "an hour has passed". */
async function publish(settings: Settings = {}, timezone = ZONE) {
	const own = { outboundMessagingApi: { id: used.credentialId, name: 'Mine' } };
	const example = exampleOf('reminders.json', own);
	const path = randomUUID();
	const hour: NodeDefinition = {
		...{ id: randomUUID(), name: 'An hour has passed', type: 'n8n-nodes-base.webhook' },
		...{
			typeVersion: 2,
			position: [0, 200],
			parameters: { path, httpMethod: 'POST', options: {} },
		},
	};
	const definition = (chosen: Settings, zone: string) => {
		const json = JSON.stringify({
			...example,
			nodes: [...example.nodes, { ...hour, webhookId: path }],
			connections: { ...example.connections, [hour.name]: example.connections['Every hour'] },
			settings: { ...example.settings, timezone: zone },
		});
		const values = Object.entries({ 'From hour': '0', 'Until hour': '24', ...chosen });
		return JSON.parse(
			values.reduce(
				(text, [name, value]) =>
					text.replace(new RegExp(`("name":"${name}","value":")[^"]*`), `$1${value}`),
				json,
			),
		) as object;
	};
	const { id } = await used.client.createWorkflow(definition(settings, timezone));
	await used.client.activate(id);
	let runs = 0;
	return {
		id,
		/** Chooses other settings, and publishes again. */
		async change(chosen: Settings, zone: string) {
			await used.client.updateWorkflow(id, definition(chosen, zone));
			await used.client.activate(id);
		},
		/** One published run. @returns who is told what, and who got a message */
		async hour(rules: FaultRule[] = [], meanwhile?: () => Promise<unknown>) {
			used.sandbox.faults.set(rules);
			const before = used.accepted().length;
			await used.callWebhook(path, {});
			runs++;
			await meanwhile?.();
			const newest = async () => {
				const executions = await used.client.executions(id);
				return executions.length >= runs && executions[0];
			};
			const { id: execution } = await poll(newest, { what: 'the execution' });
			const { error } = await used.client.waitForExecution(execution);
			return { told: error?.message ?? '', sent: used.recipients().slice(before) };
		},
	};
}

async function rowsByName(): Promise<Record<string, Row>> {
	const rows = await used.client.tableRows('reminders');
	return Object.fromEntries(rows.map((each) => [each.Name, each]));
}

const containing = (text: string) => expect.stringContaining(text) as string;
const NOT_YET = containing('Not yet: ');
const ASK = 'Look in the dashboard, then write sent or again';

beforeEach(async () => {
	used.sandbox.ledger.clear();
	await used.client.removeTable('reminders');
	await used.client.removeTable('stopped_numbers');
});

test('the first click makes the table and shows two texts; published, it needs appointments and a time zone', async () => {
	const { id, hour, change } = await publish();
	expect((await hour()).told).toContain('"reminders" has no appointments');
	const clicked = await used.client.run(id, { trigger: 'Every hour' });
	expect(clicked.items('Remind').map(({ text }) => text)).toEqual([
		expect.stringMatching(/^Hi Ada, a reminder of your appointment: \w+, \w+ \d+, 9:00\.$/),
		expect.stringMatching(/^Hi Ben, .*, 14:30\.$/),
	]);
	// The examples alone are no list.
	expect((await hour()).told).toContain('"reminders" has no appointments');
	expect(await used.client.tableRows('reminders')).toHaveLength(2);

	await used.client.addRows('reminders', [row(0)]);
	await change({ 'Time zone': 'Berlin' }, ZONE);
	expect((await hour()).told).toContain('write "Time zone" like Europe/Berlin');
	await change({ 'Days before': '' }, ZONE);
	expect((await hour()).told).toContain('enter a number as "Days before"');
	expect(used.requests()).toEqual([]);
});

test('a week with 60 patients of eight countries: each gets one reminder for each appointment', async () => {
	const { hour, change } = await publish();
	await hour();
	const list = Array.from({ length: 60 }, (_, index) => row(index));
	await used.client.addRows('reminders', [
		...list,
		{ ...row(60), Name: 'No country', Phone: '555-0187' },
		{ ...row(61), Name: 'Bad date', Date: '25/11' },
		{ ...row(62), Name: 'Passed', Date: inDays(-1) },
		{ ...row(63), Name: 'Unknown word', Status: 'done' },
		{ ...row(64), Name: 'Too early', Date: inDays(9) },
		{ ...row(5), Name: 'Same number, stopped', Status: 'Stop', Phone: asSent(phoneOf(5)) },
	]);

	// Monday: the key is wrong, and then the service is down.
	const wrongKey = await hour([{ what: 'status', status: 401 }]);
	expect([wrongKey.sent, wrongKey.told]).toEqual([[], containing('more: see Note in the table')]);
	expect(await rowsByName()).toMatchObject({
		...{ N0: { Status: null, Note: NOT_YET }, N59: { Status: null, Note: NOT_YET } },
		'No country': { Status: 'fix', Note: expect.stringMatching(/^Add the country code/) },
		'Bad date': { Status: 'fix', Note: 'Write 2026-11-25 as Date, 9:00 as Time' },
		Passed: { Status: 'missed', Note: 'No reminder was sent in time' },
		'Unknown word': { Status: 'done', Note: 'Write sent, again, stop, or nothing' },
		'Too early': { Status: null, Note: null },
	});
	const down = await hour([{ what: 'status', status: 503 }]);
	expect(down.sent).toEqual([]);
	const uncertain = Object.values(await rowsByName()).filter(
		({ Status }) => Status === 'uncertain',
	);
	expect(uncertain.length).toBeGreaterThan(0);
	expect(uncertain.map(({ Note }) => Note)).toEqual(uncertain.map(() => ASK));

	// Tuesday: she looked, and asks for them once more. One times out after it arrived, one is rejected.
	for (const { Name } of uncertain) {
		await used.client.changeRow('reminders', Name!, { Status: 'again' });
	}
	const [lost, refused] = list.filter(({ Name }) => !uncertain.some((each) => each.Name === Name));
	const tuesday = await hour([
		{ what: 'cutAfter', when: { recipient: asSent(lost.Phone!) } },
		{ what: 'status', status: 400, when: { recipient: asSent(refused.Phone!) } },
	]);
	// N5 has opted out.
	expect(tuesday.sent).toHaveLength(58);
	expect(tuesday.told).toContain(`${lost.Name}: ${ASK}`);
	expect(tuesday.told).not.toContain('Passed');
	expect(await rowsByName()).toMatchObject({
		N5: { Status: null, Note: 'Opted out: see stopped_numbers' },
		[refused.Name!]: { Status: 'fix', Note: containing('Correct what the service rejected') },
		[lost.Name!]: { Status: 'uncertain' },
		N59: { Status: 'sent', Note: null },
	});
	expect((await hour()).sent).toEqual([asSent(refused.Phone!)]);

	// Wednesday: all zones change, and names are tidied. The stopped row is deleted.
	await used.client.changeRow('reminders', lost.Name!, { Status: 'sent' });
	await used.client.changeRow('reminders', 'N7', { Name: 'Mr. Seven' });
	await used.client.deleteRow('reminders', 'Same number, stopped');
	await used.client.deleteRow('reminders', 'N8');
	await change({ 'Time zone': 'America/Chicago' }, 'Asia/Tokyo');
	expect((await hour()).sent).toEqual([]);

	// Thursday: one is moved, one asks again, twice; one number was wrong. Sent stays sent in an outage.
	await used.client.changeRow('reminders', 'N10', { Time: '22:15' });
	await used.client.changeRow('reminders', 'N11', { Status: 'again' });
	await used.client.changeRow('reminders', 'N12', { Phone: '+49 1512 3456 999' });
	await hour([{ what: 'status', status: 401 }]);
	expect(await rowsByName()).toMatchObject({
		N10: { Status: 'sent', Note: NOT_YET },
		N11: { Status: 'again', Note: NOT_YET },
	});
	const thursday = [phoneOf(10), phoneOf(11), '+49 1512 3456 999'].map(asSent);
	expect((await hour()).sent.toSorted()).toEqual(thursday.toSorted());
	expect((await hour()).sent).toEqual([]);
	await used.client.changeRow('reminders', 'N11', { Status: 'again', Name: 'N11' });
	expect((await hour()).sent).toEqual([asSent(phoneOf(11))]);
	expect((await hour()).sent).toEqual([]);

	// Friday: someone opts out while a run is sending.
	await used.client.changeRow('reminders', 'N13', { Time: '22:15' });
	await used.client.changeRow('reminders', 'N14', { Time: '22:15' });
	const before = used.requests().length;
	const friday = await hour([{ what: 'latency', ms: 3000 }], async () => {
		await poll(() => used.requests().length > before, { what: 'the run to send' });
		await used.client.changeRow('reminders', 'N13', { Status: 'stop' });
	});
	expect(friday.sent).toHaveLength(2);
	expect(await rowsByName()).toMatchObject({ N13: { Status: 'stop' }, N14: { Status: 'sent' } });
	await used.client.changeRow('reminders', 'N13', { Time: '21:15' });
	expect((await hour()).sent).toEqual([]);

	// Saturday: a stop that can't be read holds everyone back, and is told until someone corrects it.
	await used.client.addRows('reminders', [{ ...row(70), Status: 'stop', Phone: '12' }, row(71)]);
	for (let time = 1; time <= 2; time++) {
		const held = await hour();
		expect([held.sent, held.told]).toEqual([[], containing('N71: Not yet')]);
	}
}, 600_000);
