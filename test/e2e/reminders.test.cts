/**
 * A week of examples/reminders.json as a practice has it: imported, published, and only its
 * table is touched.
 */
import { poll } from '../../scripts/lib/child.cts';
import { signIn, type Row } from '../n8n/client.cts';
import { useOwnN8n } from './help.cts';
import { inDays, publishList } from './publishedList.cts';
import { settableClock } from './settableClock.cts';

const clock = settableClock();
/** In which zone the server is. */
const env = { GENERIC_TIMEZONE: 'America/New_York', PATH: clock.PATH };
// The numbers that it stops would stop the lists of other tests.
const used = useOwnN8n({ keepLedger: true, env, nodeArgs: clock.nodeArgs });

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

async function rowsByName(): Promise<Record<string, Row>> {
	const rows = await used.client.tableRows('reminders');
	return Object.fromEntries(rows.map((each) => [each.Name, each]));
}

const containing = (text: string) => expect.stringContaining(text) as string;
const NOT_YET = containing('Not yet: ');
const ASK = 'Look in the dashboard, then write sent or again';

const TABLES = ['reminders', 'stopped_numbers', 'old_reminders', 'Renamed'];
beforeEach(async () => {
	used.sandbox.ledger.clear();
	for (const table of TABLES) await used.client.removeTable(table);
});

/** The example, published, and clicked once: with its tables, and without a patient. */
async function start() {
	const list = await publishList(used, 'reminders.json');
	await list.click();
	return list;
}

test(
	'the first click makes the table and shows two texts, ' + 'and no published run sends them',
	async () => {
		const { click, hour } = await publishList(used, 'reminders.json');
		for (let time = 1; time <= 2; time++) {
			const texts = (await click()).items('Remind').map(({ text }) => text);
			expect(texts).toEqual([
				expect.stringMatching(/^Hi Ada, a reminder of your appointment: \w+, \w+ \d+, 9:00\.$/),
				expect.stringMatching(/^Hi Ben, .*, 14:30\.$/),
			]);
		}
		expect(await used.client.tableRows('reminders')).toHaveLength(2);
		expect((await hour()).told).toContain('"reminders" has no appointments');
		expect(used.requests()).toEqual([]);
	},
);

test.each([
	// setting, what is entered, what is told
	['Time zone', 'Berlin', 'write "Time zone" like Europe/Berlin'],
	['Language', 'German', 'write "Language" like de or pt-BR'],
	['Days before', '', 'enter a number as "Days before"'],
	['Until hour', '0', '"Until hour" must be later than "From hour"'],
	['Template ID', ' ', 'fill in "Template ID"'],
])('%s: %j is told at once, and nothing is sent', async (setting, value, told) => {
	const { hour, change } = await start();
	await used.client.addRows('reminders', [row(0)]);
	await change({ [setting]: value });
	for (let time = 1; time <= 2; time++) {
		expect(await hour()).toEqual({ told: containing(told), sent: [] });
	}
});

const removed = (table: string) => async () => await used.client.removeTable(table);
const renamed = (table: string) => async () => await used.client.renameTable(table, 'Renamed');
const column = (table: string, name: string) => async () =>
	await used.client.renameColumn(table, name, 'Mobile');
const withNumbers = async () => {
	const rows = await used.client.tableRows('reminders');
	const numbers = rows.map(() => ({ Phone: 4915123456789 }) as unknown as Row);
	await used.client.importTable('reminders', numbers);
};
const NO_LIST = `There's no table "reminders"`;
const NO_STOPS = `There's no table "stopped_numbers"`;
const NO_PHONE = (table: string) => `"${table}" has no text column "Phone"`;

test.each([
	// what someone does, to which table, what is told
	['deletes', 'reminders', removed('reminders'), NO_LIST],
	['renames', 'reminders', renamed('reminders'), NO_LIST],
	['renames a column of', 'reminders', column('reminders', 'Phone'), NO_PHONE('reminders')],
	['imports a new', 'reminders', withNumbers, `"reminders" has no text column`],
	['deletes', 'stopped_numbers', removed('stopped_numbers'), NO_STOPS],
	['renames', 'stopped_numbers', renamed('stopped_numbers'), NO_STOPS],
	[
		'renames a column of',
		'stopped_numbers',
		column('stopped_numbers', 'Phone'),
		NO_PHONE('stopped_numbers'),
	],
])('someone %s %s: each published run says so, and sends nothing', async (_, __, act, told) => {
	const { hour } = await start();
	await used.client.addRows('reminders', [row(0)]);
	await act();
	for (let time = 1; time <= 2; time++) {
		expect(await hour()).toEqual({ told: containing(told), sent: [] });
	}
});

test('a click makes no table of stopped numbers for a list that had one', async () => {
	const { click, hour } = await start();
	await used.client.addRows('reminders', [row(0)]);
	await used.client.renameTable('stopped_numbers', 'Renamed');
	expect((await click()).error?.message).toContain(NO_STOPS);
	expect(await hour()).toEqual({ told: containing(NO_STOPS), sent: [] });
	await used.client.renameTable('Renamed', 'stopped_numbers');
	expect((await hour()).sent).toEqual([asSent(phoneOf(0))]);
});

test('a table whose name contains that of the list is left alone, and so is the list', async () => {
	const { click, hour } = await start();
	await used.client.addRows('reminders', [row(0)]);
	await used.client.importTable('old_reminders', [row(1)]);
	expect((await click()).items('Remind')).toHaveLength(3);
	expect((await hour()).sent).toEqual([asSent(phoneOf(0))]);
	expect(await used.client.tableRows('old_reminders')).toMatchObject([row(1)]);
});

test(
	'killed while it sends: no one gets a second reminder, though all zones change ' +
		'and a name is corrected',
	async () => {
		const { hour, change } = await start();
		const list = Array.from({ length: 40 }, (_, index) => row(index));
		await used.client.addRows('reminders', list);
		// So long the next run waits for what is in flight.
		const impatient = (json: string) =>
			json.replace('"templateText"', '"timeout":5000,"templateText"');
		await change({}, undefined, impatient);
		const killed = hour([{ what: 'latency', ms: 1000 }], async () => {
			// The first request goes alone, and then many.
			await poll(() => used.accepted().length > 10, { everyMs: 5, what: 'some reminders' });
			await used.n8n.kill();
		});
		await expect(killed).rejects.toThrow();
		await poll(() => used.sandbox.ledger.summary().inFlight === 0, { what: 'the last requests' });
		const reached = used.recipients();

		env.GENERIC_TIMEZONE = 'Asia/Tokyo';
		await used.n8n.start();
		used.client = await signIn(used.n8n.url);
		// Nothing was written down, and she corrects a name.
		expect((await rowsByName()).N0).toMatchObject({ Status: null, Tracking: null });
		await used.client.changeRow('reminders', 'N0', { Name: 'Mr. Zero' });
		const other = { 'Time zone': 'America/Chicago', 'Template ID': 'another_template' };
		await change(other, 'Asia/Tokyo', impatient);
		const next = await hour();
		const after = await rowsByName();
		expect(after['Mr. Zero']).toMatchObject({ Status: 'sent' });
		const uncertain = Object.values(after).filter(({ Status }) => Status === 'uncertain');
		expect(uncertain.length).toBeGreaterThan(0);
		expect(next.told).toContain(ASK);
		expect([...reached, ...next.sent]).toEqual([...new Set([...reached, ...next.sent])]);

		// She looked: of those in doubt, some had arrived.
		for (const { Name, Phone } of uncertain) {
			const Status = reached.includes(asSent(Phone!)) ? 'sent' : 'again';
			await used.client.changeRow('reminders', Name!, { Status });
		}
		await hour();
		expect(used.recipients().toSorted()).toEqual(
			list.map(({ Phone }) => asSent(Phone!)).toSorted(),
		);
	},
);

test('a stop in other words, one number for two, a time moved back: all are told', async () => {
	const { click, hour } = await start();
	await used.client.addRows('reminders', [
		row(0),
		row(1),
		{ ...row(1), Name: 'Sister' },
		{ ...row(2), Status: 'Stopped' },
		{ ...row(2), Name: 'Stopped as N2', Time: '22:00' },
		{ ...row(3), Status: 'done' },
		{ ...row(3), Name: 'Held as N3', Time: '22:00' },
	]);
	expect((await click()).status).toBe('success');

	const first = await hour();
	expect(first.sent.toSorted()).toEqual([phoneOf(0), phoneOf(1)].map(asSent).toSorted());
	expect(first.told).toContain('Held as N3: Not yet: see Status in the other row');
	const second = await hour();
	expect(second).toEqual({ told: containing('Sister: Same number and time as N1'), sent: [] });
	expect(await rowsByName()).toMatchObject({
		'Stopped as N2': { Status: null, Note: 'Opted out: see stopped_numbers' },
		Sister: { Status: 'sent' },
	});

	await used.client.changeRow('reminders', 'N0', { Time: '21:15' });
	const moved = await hour([{ what: 'cutAfter' }]);
	expect(moved.sent).toEqual([asSent(phoneOf(0))]);
	expect(moved.told).toContain(`N0: ${ASK}`);
	expect((await hour()).told).toContain(`N0: ${ASK}`);
	await used.client.changeRow('reminders', 'N0', { Time: LATE, Status: 'sent' });
	expect(await hour()).toEqual({ told: containing('N0: Reminded of this time before'), sent: [] });
});

test('a week, 60 patients, eight countries: one reminder for each appointment', async () => {
	const { hour, change } = await start();
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

	// Monday: the credential is gone, its URL leads nowhere, its key is wrong, and then the
	// service is down.
	await change({}, undefined, (json) => json.replaceAll(used.credentialId, 'deleted'));
	expect(await hour()).toEqual({ told: NOT_YET, sent: [] });
	const nowhere = await used.createCredential({ baseUrl: 'http://127.0.0.1:9' });
	await change({}, undefined, (json) => json.replaceAll(used.credentialId, nowhere));
	expect(await hour()).toEqual({ told: NOT_YET, sent: [] });
	await change({});
	const wrongKey = await hour([{ what: 'status', status: 401 }]);
	expect([wrongKey.sent, wrongKey.told]).toEqual([[], containing('more: Not yet: ')]);
	expect(await rowsByName()).toMatchObject({
		...{ N0: { Status: null, Note: NOT_YET }, N59: { Status: null, Note: NOT_YET } },
		'No country': { Status: 'fix', Note: expect.stringMatching(/^Add the country code/) },
		'Bad date': { Status: 'fix', Note: 'Write Date like 2026-11-25, not 25/11' },
		Passed: { Status: 'missed', Note: 'Nothing was sent in time' },
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

	// Tuesday: she looked, and asks for them once more. One times out after it arrived,
	// one is rejected.
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

	// Thursday: one is moved, one asks again, twice; one number was wrong. Sent stays
	// sent in an outage.
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

describe('in the night in which the clocks change', () => {
	const setClock = async (time?: string) => {
		clock.set(time);
		// A session ends after a week.
		used.client = await signIn(used.n8n.url);
	};
	afterAll(async () => await setClock());

	test.each([
		// how, at noon on the day before, on which day, after each change of hour
		[
			'an hour is left out',
			'2027-03-13T17:00Z',
			'2027-03-14',
			['2027-03-14T06:45Z', '2027-03-14T07:15Z', '2027-03-14T13:30Z'],
		],
		[
			'an hour comes twice',
			'2027-11-06T16:00Z',
			'2027-11-07',
			['2027-11-07T05:45Z', '2027-11-07T06:15Z', '2027-11-07T14:30Z'],
		],
	])('%s: each appointment has one reminder', async (_, noon, Date, later) => {
		await setClock(noon);
		const { hour } = await start();
		const times = ['1:30', '2:30', '3:30', '9:00', '23:30'];
		const list = times.map((Time, index) => row(index, { Date, Time }));
		await used.client.addRows('reminders', list);
		expect((await hour()).sent.toSorted()).toEqual(
			list.map(({ Phone }) => asSent(Phone!)).toSorted(),
		);

		for (const time of later) {
			await setClock(time);
			expect(await hour()).toEqual({ told: '', sent: [] });
		}
		await used.client.addRows('reminders', [row(10, { Date, Time: LATE })]);
		expect((await hour()).sent).toEqual([asSent(phoneOf(10))]);
	});
});
