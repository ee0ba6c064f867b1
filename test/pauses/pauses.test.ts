/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports */
/** How long the node keeps n8n's event loop to itself at a time, with the largest lists: everything else in n8n waits. */
import { readFileSync } from 'node:fs';
import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';

import type { IDataObject, IExecuteFunctions, INodeType, IWorkflowBase } from 'n8n-workflow';

import { useEngine } from '../engine/engine';
import { nodeTypes, OUTBOUND_MESSAGING } from '../engine/nodeTypes';
import * as flows from '../engine/workflows';

const realNow = performance.now.bind(performance);
const engine = useEngine();
const { customer, customers, ERROR_OUTPUT, looped, NODE, rejects, TEMPLATE } = flows;
jest.retryTimes(2);
const LARGE = 20_000;

/** Between two turns of the event loop. */
type Stretch = Record<'from' | 'to' | 'cpuMs', number>;

let stretches: Stretch[] = [];
let collections: PerformanceEntry[] = [];
const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
const type = nodeTypes.getByNameAndVersion(OUTBOUND_MESSAGING) as Required<INodeType>;
const { execute } = type;

/** Time of this thread on a processor where the system tells it: other programs of a busy machine don't count then. */
function cpuMs(): number {
	try {
		return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e6;
	} catch {
		return realNow();
	}
}

/** A fixed amount of work: about 50 ms on a quiet machine, longer on a busy one. The node may take half of that. */
function yardstickMs(): number {
	const before = cpuMs();
	Float64Array.from({ length: 160_000 }, (_, index) => Math.sin(index)).sort();
	return cpuMs() - before;
}

beforeEach(() => {
	[stretches, collections] = [[], []];
	observer.observe({ entryTypes: ['gc'] });
	jest.spyOn(type, 'execute').mockImplementation(async function (this: IExecuteFunctions) {
		let last = { from: realNow(), cpu: cpuMs() };
		const look = () => {
			const now = { from: realNow(), cpu: cpuMs() };
			stretches.push({ from: last.from, to: now.from, cpuMs: now.cpu - last.cpu });
			last = now;
		};
		const looking = setInterval(look, 1);
		try {
			return await execute.call(this);
		} finally {
			clearInterval(looking);
			look();
		}
	});
});
afterEach(() => observer.disconnect());

/** The longest stretch in yardsticks, without garbage collection, which clears up after the whole test. */
async function longest(): Promise<number> {
	await new Promise((resolve) => setTimeout(resolve, 10));
	const own = stretches.map(({ from, to, cpuMs }) => {
		const within = collections.filter(({ startTime }) => startTime >= from && startTime <= to);
		return within.reduce((left, { duration }) => left - duration, cpuMs);
	});
	return Math.max(...own) / yardstickMs();
}

/** So many national numbers, which are the slowest to read. */
const numbers = (count: number) =>
	Array.from({ length: count }, (_, index) => `0151 ${23_000_000 + index}`);

const invalid = (): IDataObject[] => customers(LARGE).map(({ text }) => ({ customer: 'x', text }));
const germany = { options: { defaultCountry: 'DE' }, parameters: TEMPLATE };
const night = { window: { from: '08:00', until: '08:01', timezone: '={{ $json.zone }}' } };
const inZones = () =>
	customers(LARGE).map((item, index) => ({ ...item, zone: ['UTC', 'Asia/Tokyo'][index % 2] }));

it.each`
	what                                                                   | flow                                                                                    | items
	${'10,000 national numbers on Do Not Contact, in each turn of a loop'} | ${looped({ ...germany, safeguards: { doNotContact: numbers(10_000).join('\n') } }, 1)}  | ${() => [{ phone: '+4930123456' }, { phone: '+4930123457' }]}
	${'failed items'}                                                      | ${flows.toSend(ERROR_OUTPUT)}                                                           | ${invalid}
	${'items outside their hours'}                                         | ${flows.toSend({ ...ERROR_OUTPUT, safeguards: { allowedHours: night } })}               | ${inZones}
	${'a dry run with keys'}                                               | ${flows.toSend({ safeguards: { dryRun: true, sendOnceKey: '={{ $json.customer }}' } })} | ${() => customers(LARGE)}
`('$what', async ({ flow, items }: { flow: IWorkflowBase; items(): IDataObject[] }) => {
	await engine.run(flow, items());
	expect(await longest()).toBeLessThan(1);
});

it('a retry of messages that were all accepted', async () => {
	engine.faults(rejects());
	const failed = await engine.send({}, customers(1));
	const { executionData } = failed.run.data;
	const url = `${engine.sandbox.url}/stable/open/customers/send-text-message`;
	const run = customers(LARGE).map((_, index) => {
		const recipient = customer(index);
		return {
			[`${recipient} ${url}`]: { recipient, url, content: 'other', record: { function_name: 'f' } },
		};
	});
	Object.assign(executionData!.contextData[`node:${NODE}`], { runs: { 0: { ...run } } });
	executionData!.nodeExecutionStack[0].data.main = [customers(LARGE).map((json) => ({ json }))];
	stretches = [];
	const retried = await failed.retry();
	expect(retried.deliveries()).toEqual(new Array(LARGE).fill('accepted'));
	expect(await longest()).toBeLessThan(1);
});
