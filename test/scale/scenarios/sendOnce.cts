/** The same webhook delivered twice, to two workers at the same moment: what the Send Once Key makes of it. */
import type { Cluster } from '../cluster.cts';
import { startsOf } from '../executions.cts';
import { size } from '../sizes.cts';

/** The next pair starts when this one is through. */
const APART_MS = 300;
const LEAD_MS = 2_000;

const message = (number: number) => ({
	customerId: String(700_000 + number),
	text: `Order ${number}`,
	key: `order-${number}`,
});

/** Sends pairs until as many as asked for met on two different workers. */
export async function sendOnce({ sandbox, make, workers }: Cluster) {
	const { pairs, wave } = size.sendOnce;
	const workflow = await make.together('Twice at once', {
		options: { maxConcurrency: 1 },
		safeguards: { sendOnceKey: '={{ $json.body.key }}' },
	});
	const call = async (number: number, at: number) =>
		await workflow.call({ ...message(number), at: new Date(at).toISOString() });
	await sandbox.reset();

	const met: number[] = [];
	let called = 0;
	// Two executions may also meet on one worker; these do not count.
	const most = pairs * 4;
	while (met.length < pairs && called < most) {
		const numbers = Array.from({ length: Math.min(wave, most - called) }, () => called++);
		const start = Date.now() + LEAD_MS;
		for (const [index, number] of numbers.entries()) {
			await Promise.all([0, 1].map(async () => await call(number, start + index * APART_MS)));
		}
		const rows = (await workflow.ended(called * 2)).slice(-2 * numbers.length);
		const starts = startsOf(workers);
		const places = rows.map((row) => starts.find(({ id }) => id === row.id)?.worker);
		for (const [index, number] of numbers.entries()) {
			const [left, right] = places.slice(index * 2);
			if (left && right && left !== right) met.push(number);
		}
	}

	const { deliveries } = await sandbox.ledger();
	const of = (number: number) => deliveries.get(message(number).customerId) ?? 0;
	const doubles = met.filter((number) => of(number) > 1).length;
	const lost = met.filter((number) => of(number) === 0).length;

	// Every key comes once more, alone: a claim that got lost in the crowd sends a second message now.
	await sandbox.reset();
	for (let number = 0; number < called; number++) await call(number, 0);
	await workflow.ended(called * 3);
	const { accepted: laterDoubles } = await sandbox.summary();
	return { pairs: met.length, called, doubles, lost, laterDoubles };
}
