/** What the tests of this folder give, click and expect: judged by what the sandbox received. */
import type { IDataObject, INodeParameters, IWorkflowBase } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

// First: it lets time be virtual for the node that the others load.
import type { Execution } from '../engine/engine';
import { useEngine } from '../engine/engine';
import { steps } from '../engine/nodeTypes';
import type { Sending } from '../engine/workflows';
import * as flows from '../engine/workflows';
import { customer, customers, NODE, rejects } from '../engine/workflows';
import type { FaultRule } from '../../sandbox/index.cts';

export const engine = useEngine({ latency: 2 });

/** In a row's error if another click of Retry has sent its customer something else. */
export const ANOTHER_RETRY = /another retry/i;

/* Rows and texts */

/** One customer with one text for each of these. */
export const toOneCustomer = (...texts: string[]): IDataObject[] =>
	texts.map((text) => ({ customer: customer(0), text }));

export const says = (text: string): INodeParameters => ({ text });

/** Texts that change by themselves, from one try to the next. */
export const CHANGING: Array<[what: string, parameters: INodeParameters]> = [
	['the time', says("={{ $json.text }} at {{ $now.toFormat('HH:mm:ss.SSS') }}")],
	["the execution's ID", says('={{ $json.text }} in {{ $execution.id }}')],
	['a random coupon', says('={{ $json.text }}: {{ Math.random() }}')],
	[
		'a signed URL',
		{
			operation: 'sendAttachment',
			attachmentType: 'document',
			attachmentUrl: '=https://example.com/bill.pdf?signature={{ Math.random() }}',
		},
	],
];
export const EXECUTION_ID = CHANGING[1][1];

/* Clicks on Retry */

type Click = () => Promise<Execution>;

export type ClickTwice = (click: Click) => Promise<Execution[]>;

/** How someone clicks Retry twice on one failed execution. */
export const CLICKS: Array<[how: string, click: ClickTwice]> = [
	['one after the other', async (click) => [await click(), await click()]],
	['both at once', async (click) => await Promise.all([click(), click()])],
];
export const oneAfterTheOther = CLICKS[0][1];

/** With the currently saved workflow if that's given, or else with the original one. */
export const clickRetry = async (failed: Execution, saved?: Sending | IWorkflowBase) =>
	await failed.retry(saved && ('nodes' in saved ? saved : flows.toSend(saved)));

/** A step, one message at a time, fails for what the service does, which then works again. */
export async function stoppedBy(rule: FaultRule, spec: Sending = {}, rows = customers(5)) {
	engine.faults(rule);
	const failed = await engine.send({ ...flows.ONE_BY_ONE, ...spec }, rows);
	engine.faults();
	expect(failed.status).toBe('error');
	return failed;
}

/** … since it rejects this customer's messages. */
export const stoppedAt = async (which: number, spec?: Sending, rows?: IDataObject[]) =>
	await stoppedBy(rejects({ recipient: customer(which) }), spec, rows);

/* Other steps */

type Does = (rows: IDataObject[]) => IDataObject[];

/** @param does what the node of the type `test.step` with that name does with its rows */
export const setStep = (name: string, does: Does): void => void steps.set(name, does);

/** @param does what the step does with its rows, e.g. reads others */
export function addStep(flow: IWorkflowBase, after: string, does: Does, output = 0) {
	const step = flows.node(`Step after ${after}`, 'test.step');
	setStep(step.name, does);
	const outputs = flow.connections[after].main;
	const connections = {
		...flow.connections,
		[after]: { main: outputs.with(output, [flows.to(step)]) },
		[step.name]: { main: [outputs[output]] },
	};
	return { ...flow, nodes: [...flow.nodes, step], connections };
}

/** @param reads what a sheet in front gives, each time; `undefined` if it can't be read */
export function withSheet(flow: IWorkflowBase, ...reads: Array<IDataObject[] | undefined>) {
	return addStep(flow, flows.START.name, () => {
		const rows = reads.shift();
		if (rows === undefined) throw new UserError('The sheet is locked');
		return rows;
	});
}

/** The node hasn't run yet. @param reads what the sheet gives after its first read, which fails */
export async function stoppedAtSheet(flow: IWorkflowBase, ...reads: IDataObject[][]) {
	const behindSheet = withSheet(flow, undefined, ...reads);
	const failed = await engine.run(behindSheet, [{}]);
	expect(failed.status).toBe('error');
	return failed;
}

/* What the customers received, and what the output says */

/** The texts that customers have, oldest first. */
export const textsOf = (which: number): string[] =>
	engine.ledger
		.accepted()
		.filter(({ recipient }) => recipient === customer(which))
		.map(({ body }) => String(body.text ?? body.attachment_url));

/** How many messages each of the first customers has. */
export const received = (count = 5): number[] => engine.timesDelivered(count);

export const once = (count = 5): number[] => new Array<number>(count).fill(1);

/** How one row ended: accepted, skipped with its reason, or with the words of its error. */
function toldOf({ skipped, reason, error, details }: IDataObject): string {
	if (skipped === true) return `skipped: ${String(reason)}`;
	if (error === undefined) return 'accepted';
	return `failed: ${String(error)} ${String((details as IDataObject | undefined)?.fix)}`;
}

export const SENT_BEFORE = 'skipped: alreadySent';
export const failedWith = ({ source }: RegExp) =>
	expect.stringMatching(new RegExp(`^failed: .*${source}`, 'is')) as string;
export const SENT_BY_OTHER = failedWith(ANOTHER_RETRY);

/** What the output says of each row. */
export const told = (execution: Execution, name = NODE): string[] =>
	execution.json(0, name).map(toldOf);

/** Each row was accepted, was sent before, or failed because another retry sent something else. */
export function expectNoneDropped(executions: Execution[], rows: number, name = NODE): void {
	const { source } = ANOTHER_RETRY;
	const allowed = new RegExp(`^accepted$|^${SENT_BEFORE}$|^failed: .*${source}`, 'is');
	const each = new Array<unknown>(rows).fill(expect.stringMatching(allowed));
	for (const execution of executions) expect(told(execution, name)).toEqual(each);
}
