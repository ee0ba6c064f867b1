/**
 * The other examples that are run by their tables, and the table of stopped numbers that
 * all of them read.
 */
import { randomUUID } from 'node:crypto';
import { poll } from '../../scripts/lib/child.cts';
import { exampleOf, readList } from '../n8n/example.cts';
import { optedOut, useN8n } from './help.cts';
import { inDays, publishList } from './publishedList.cts';

const used = useN8n();

const containing = (text: string) => expect.stringContaining(text) as string;
const NOT_YET = containing('Not yet: ');
const ASK = 'Look in the dashboard, then write sent or again';
const SENT = { Status: 'sent', Note: null };
const NO_STOPS = containing(`There's no table "stopped_numbers"`);

/** The rows of a table, by their names. */
async function rowsOf(table: string) {
	const rows = await used.client.tableRows(table);
	return Object.fromEntries(rows.map((row) => [row.Name!, row]));
}

beforeEach(async () => {
	for (const table of ['campaign', 'confirmations', 'stopped_numbers']) {
		await used.client.removeTable(table);
	}
});

test(
	'bulk-campaign.json: a click shows the texts of two examples, and counts the ' +
		'rows by their status',
	async () => {
		const { click, hour } = await publishList(used, 'bulk-campaign.json');
		const clicked = await click();
		expect(clicked.items('Send the offer').map(({ text }) => text)).toEqual([
			'Hi Ada, spring is here, and so is your code: SPRING-20.',
			'Hi Ben, spring is here, and so is your code: SPRING-20.',
		]);
		expect(clicked.items('Progress')).toEqual([{ Status: 'example', count_id: 2 }]);
		expect(await hour()).toEqual({ told: containing('"campaign" has no customers'), sent: [] });
	},
);

test(
	'bulk-campaign.json: each row says how it ended, an outage leaves it open, and no one ' +
		'gets the offer twice',
	async () => {
		const { click, hour, change } = await publishList(used, 'bulk-campaign.json');
		await click();
		await used.client.addRows('campaign', readList('campaign.csv'));
		await used.client.addRows('stopped_numbers', [{ Phone: '+1 202 555 0112' }]);
		await change({ 'Customers an hour': '5' });
		expect(await hour([{ what: 'status', status: 401 }])).toEqual({ told: NOT_YET, sent: [] });
		expect(await rowsOf('campaign')).toMatchObject({
			Ada: { Status: null, Note: NOT_YET },
			// It's not yet the turn of the others.
			Fay: { Status: null, Note: null },
		});

		// Those who were tried don't take the place of others.
		await hour([{ what: 'cutAfter', when: { recipient: '+12025550103' } }]);
		await hour([optedOut({ recipient: '+447700900462' })]);
		await hour();
		await hour();
		expect(await rowsOf('campaign')).toMatchObject({
			...{ Ada: SENT, 'Ada B.': SENT, Ben: SENT, Ida: SENT, Kim: SENT },
			Cleo: { Status: 'uncertain', Note: ASK },
			Gus: { Status: 'fix', Note: expect.stringMatching(/^Add the country code/) as string },
			Lea: { Status: null, Note: 'Opted out: see stopped_numbers' },
		});
		expect(used.sandbox.ledger.duplicates()).toEqual([]);

		// Once more, and not again in the next run; a corrected number gets the offer, too.
		await used.client.changeRow('campaign', 'Kim', { Status: 'again' });
		await used.client.changeRow('campaign', 'Gus', { Phone: '+1 202 555 0107' });
		expect((await hour()).sent.toSorted()).toEqual(['+12025550107', '+61491570157']);
		expect((await hour()).sent).toEqual([]);
		await used.client.changeRow('campaign', 'Kim', { Status: 'again' });
		expect((await hour()).sent).toEqual(['+61491570157']);

		// Another campaign, for those who haven't opted out since.
		await used.client.changeRow('campaign', 'Fay', { Status: 'stop' });
		await used.client.changeRow('campaign', 'Dora', { Status: null });
		await used.client.addRows('campaign', [{ Name: 'Fay, too', Phone: '0012025550106' }]);
		await change({ Campaign: 'summer-offer' });
		expect((await hour()).sent).toEqual(['+61491570156']);
		await used.client.deleteRow('campaign', 'Fay');
		expect((await hour()).sent).toEqual([]);
		await used.client.removeTable('stopped_numbers');
		expect(await hour()).toEqual({ told: NO_STOPS, sent: [] });
	},
);

/** Publishes the example of opt-outs. @returns who calls it */
async function publishOptOuts(country = '') {
	const key = randomUUID();
	const credential = await used.client.createCredential({
		name: 'Webhook key',
		type: 'httpHeaderAuth',
		data: { name: 'x-webhook-key', value: key },
	});
	const own = { id: used.credentialId, name: 'Mine' };
	const example = exampleOf('opt-outs.json', {
		outboundMessagingApi: own,
		httpHeaderAuth: credential,
	});
	const json = JSON.stringify(example).replace(
		'"name":"Country","value":""',
		`"name":"Country","value":"${country}"`,
	);
	const id = await used.client.publish(JSON.parse(json) as object);
	return {
		click: async () => await used.client.run(id, { trigger: 'When you click Execute' }),
		optOut: async (phone: string | undefined, header: string = key) =>
			await used.callWebhook('opt-out', { phone }, { 'x-webhook-key': header }),
		end: async () => await used.client.deactivate(id),
	};
}

test(
	'opt-outs.json: a number is stopped once, one that cannot be read is sent back, and without ' +
		'the table the caller hears it',
	async () => {
		const { click, optOut, end } = await publishOptOuts('DE');
		expect((await optOut('+447700900461', 'guessed')).status).toBe(403);
		expect((await optOut('+447700900461')).status).toBe(500);
		await click();
		const noted = (phone: string) => ({ status: 200, body: { optedOut: phone } });
		expect(await optOut('0044 7700 900461')).toEqual(noted('+447700900461'));
		expect(await optOut('+44 7700 900461')).toEqual(noted('+447700900461'));
		expect(await optOut('0151 23456789')).toEqual(noted('+4915123456789'));
		for (const unreadable of ['12', 'none', undefined]) {
			const whatToDo = expect.any(String) as string;
			const body = { optedOut: null, whatToDo };
			expect(await optOut(unreadable)).toEqual({ status: 422, body });
		}
		const stopped = await used.client.tableRows('stopped_numbers');
		expect(stopped.map(({ Phone }) => Phone)).toEqual(['+447700900461', '+4915123456789']);
		expect(used.requests()).toEqual([]);

		// The campaign skips them.
		const campaign = await publishList(used, 'bulk-campaign.json');
		await campaign.click();
		await used.client.addRows('campaign', readList('campaign.csv').slice(3, 5));
		expect((await campaign.hour()).sent).toEqual(['+61491570156']);
		await end();
	},
);

test(
	'confirm-appointments.json: the table has each answer, ' + 'and no one is asked twice',
	async () => {
		const { id, click, hour } = await publishList(used, 'confirm-appointments.json');
		await click();
		expect(await hour()).toEqual({
			told: containing('"confirmations" has no appointments'),
			sent: [],
		});
		const [date, time] = [inDays(1), '23:30'];
		const row = (Name: string, Phone: string, more = {}) => ({
			...{ Name, Phone, Date: date, Time: time },
			...more,
		});
		await used.client.addRows('confirmations', [
			row('Cleo', '+1 (202) 555-0143'),
			row('Dora', '0044 7700 900461'),
			row('Emil', '+61 491 570 156'),
			row('Fay', '555-0187'),
			row('Gus', '+1 202 555 0119', { Status: 'stop' }),
			row('Hana', '+1 202 555 0119'),
			row('Ida', '+1 202 555 0120', { Time: 'noon' }),
		]);
		// Nothing is asked by a click.
		await click();
		const ended = async () => {
			const runs = await used.client.executions(id);
			return runs.every(({ status }) => !['new', 'running'].includes(status));
		};
		await poll(ended, { what: 'all runs to end or to wait' });
		expect(used.requests()).toEqual([]);

		const monday = await hour();
		expect(monday.told).toBe('Ida: Write Time like 9:00, not noon');
		await poll(() => used.links().length === 3, { what: 'three questions' });
		await poll(ended, { what: 'all runs to end or to wait' });
		// Asked, and not again while the answers are open.
		await hour();
		await poll(ended, { what: 'all runs to end or to wait' });
		expect(used.accepted()).toHaveLength(3);
		expect(await rowsOf('confirmations')).toMatchObject({
			Cleo: { ...SENT, Answer: null },
			Fay: { Status: 'fix', Note: expect.stringMatching(/^Add the country code/) as string },
			Hana: { Status: null, Note: 'Opted out: see stopped_numbers' },
			Ida: { Status: 'fix' },
		});

		const answers: Record<string, string> = { Cleo: 'Move', Dora: 'Confirm', Emil: 'Cancel' };
		for (const [index, { body }] of used.accepted().entries()) {
			const message = body.attributes!['1'];
			expect(message).toContain('Without an answer, we keep the appointment for you.');
			const [, name] = /^Hello (\w+)/.exec(message)!;
			const link = used.links()[index];
			const isTaken = async () => (await used.answer(link, answers[name])).ok;
			await poll(isTaken, { what: 'n8n to wait' });
		}
		const about = ` (${date} ${time})`;
		const answered = async () => Object.values(await rowsOf('confirmations'));
		await poll(async () => (await answered()).filter(({ Answer }) => Answer).length === 3, {
			what: 'all answers to be in the table',
		});
		expect(await rowsOf('confirmations')).toMatchObject({
			Cleo: { ...SENT, Answer: `Move${about}` },
			Dora: { ...SENT, Answer: `Confirm${about}` },
			Emil: { ...SENT, Answer: `Cancel${about}` },
		});
		await hour();
		await poll(ended, { what: 'all runs to end' });
		expect(used.accepted()).toHaveLength(3);
	},
);
