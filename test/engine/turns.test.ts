/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** n8n's event loop gets turns while the node works on long lists: counted, since time depends on the machine. */
import type { IDataObject, IWorkflowBase } from 'n8n-workflow';

import { useEngine } from './engine';
import * as flows from './workflows';

const engine = useEngine();
const { customers, ERROR_OUTPUT, TEMPLATE } = flows;
const LARGE = 5000;

/** So many looks at the clock are the 8 ms that a stretch of work may take: only looking takes time here. */
const LOOKS = 80;
/** The clock never goes back. */
let looks = 0;

/** So many national numbers, which are the slowest to read. */
const numbers = (count: number) =>
	Array.from({ length: count }, (_, index) => `0151 ${23_000_000 + index}`);

const doNotContact = numbers(5000).join('\n');
const germany = { options: { defaultCountry: 'DE' }, safeguards: { doNotContact } };
const toGermany = flows.looped({ ...germany, parameters: TEMPLATE }, 1);
const window = { from: '08:00', until: '08:01', timezone: '={{ $json.zone }}' };
const night = { allowedHours: { window } };
const dryRun = { dryRun: true, sendOnceKey: '={{ $json.customer }}' };
const two = [{ phone: '+4930123456' }, { phone: '+4930123457' }];
const zones = ['UTC', 'Asia/Tokyo'];
const large = () => customers(LARGE).map((item, index) => ({ ...item, zone: zones[index % 2] }));

it.each<[what: string, pieces: number, IWorkflowBase, IDataObject[]?]>([
	['5,000 national numbers on Do Not Contact, in each turn of a loop', 10_000, toGermany, two],
	['failed items', 4 * LARGE, flows.toSend({ ...ERROR_OUTPUT, parameters: { customerId: 'x' } })],
	['items outside their hours', 4 * LARGE, flows.toSend({ ...ERROR_OUTPUT, safeguards: night })],
	['a dry run with keys', 7 * LARGE, flows.toSend({ safeguards: dryRun })],
])('%s: after each of %d pieces of work', async (_, pieces, flow, items = large()) => {
	const before = looks;
	let turns = 0;
	jest.spyOn(performance, 'now').mockImplementation(() => (8 / LOOKS) * ++looks);
	const { setTimeout: wait } = global;
	jest.spyOn(global, 'setTimeout').mockImplementation(((done: () => void, milliseconds = 0) => {
		if (milliseconds === 0) turns++;
		return wait(done, milliseconds);
	}) as typeof setTimeout);
	await engine.run(flow, items);
	expect(looks - before).toBeGreaterThanOrEqual(pieces);
	// One for each stretch, and a stretch may be a bit longer.
	expect(turns).toBeGreaterThan(pieces / 100);
});
