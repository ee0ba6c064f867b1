/* eslint-disable @n8n/community-nodes/no-restricted-globals -- a test reads its settings
	from the environment */
/** What the node keeps for its retries makes the stored execution only a little larger. */
import { stringify } from 'flatted';
import type { IDataObject } from 'n8n-workflow';

import { engine } from './help';
import type { Execution } from '../engine/engine';
import { CONTINUE, customer, NODE, rejects, toSend } from '../engine/workflows';

/** `.ci/run` has 10,000: what each row adds is the same. */
const COUNT = Number(process.env.STORED_ROWS ?? 2000);
/** Of what n8n stores of the execution. */
const LIMIT = 0.05;
/** For each message that a retry has to know, besides its record. */
const MAX_CHARACTERS = 170;

/** Rows as a CRM has them. */
const rows = Array.from({ length: COUNT }, (_, index): IDataObject => {
	const name = `Customer ${index}`;
	return {
		id: `a0c8e1f2-${index}`,
		customer: customer(index),
		name,
		email: `customer.${index}@example.com`,
		company: `Company ${index % 400}`,
		street: `${index} Main Street`,
		city: 'Springfield',
		order: `order ${index}`,
		total: index * 1.5,
		createdAt: new Date(1_760_000_000_000 + index * 60_000).toISOString(),
		text: `Hello ${name}, your order ${index} is on its way, and will be there on Friday.`,
	};
});

const sizeOf = (data: unknown) => stringify(data).length;

/** How many characters the node's context adds to what n8n stores of an execution. */
function sizeOfContext({ run: { data } }: Execution): number {
	const { contextData = {} } = data.executionData!;
	const others = Object.entries(contextData).filter(([name]) => name !== `node:${NODE}`);
	const executionData = { ...data.executionData, contextData: Object.fromEntries(others) };
	return sizeOf(data) - sizeOf({ ...data, executionData });
}
const partOf = (execution: Execution) => sizeOfContext(execution) / sizeOf(execution.run.data);

jest.setTimeout(600_000);

it('after the last row stopped the step, and a Retry sent the rest', async () => {
	engine.faults(rejects({ recipient: customer(COUNT - 1) }));
	const failed = await engine.run(toSend(), rows);
	expect(failed.status).toBe('error');
	engine.faults();
	const again = await failed.retry();
	expect([again.status, engine.accepted().length]).toEqual(['success', COUNT]);

	expect(partOf(again)).toBeLessThanOrEqual(LIMIT);
	// Until then, each accepted message is kept with its record, which the output needs.
	const besidesRecords = sizeOfContext(failed) - sizeOf(again.json());
	expect(besidesRecords / COUNT).toBeLessThanOrEqual(MAX_CHARACTERS);
});

it('after each 50th row was uncertain, and the others were accepted', async () => {
	engine.faults({ what: 'status', status: 500, when: { every: 50 } });
	const spec = { ...CONTINUE, safeguards: { stopAfterFailures: 0 } };
	const execution = await engine.run(toSend(spec), rows.slice(0, 1000));
	expect(execution.deliveries().filter((each) => each === 'uncertain')).toHaveLength(20);
	expect(partOf(execution)).toBeLessThanOrEqual(LIMIT);
});
