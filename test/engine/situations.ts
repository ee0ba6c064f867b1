/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** What leads to each error of errors.test.ts. */
import type { IDataObject, INodeParameters, IWorkflowBase } from 'n8n-workflow';

import type { Execution } from './engine';
import { useEngine } from './engine';
import { RateLimiter } from '../../nodes/OutboundMessaging/delivery/rateLimiter';
import * as responses from '../../nodes/OutboundMessaging/service/classifyResponse';
import type { Sending } from './workflows';
import { time } from './virtualTime';
import { CONTINUE, customers, looped, NODE, ONE_BY_ONE, rejects } from './workflows';
import * as flows from './workflows';
import type { FaultRule } from '../../sandbox/index.cts';

export const engine = useEngine();

type Run = (flow: IWorkflowBase, items: IDataObject[]) => Promise<Execution>;

export interface Given extends Sending {
	items?: IDataObject[];
	credential?: IDataObject;
	rules?: FaultRule[];
	/** The index in the error; -1 for an error of the whole run. */
	item?: number;
	/** Anything before the run. */
	before?(flow: IWorkflowBase): unknown;
	/** In place of a plain run. */
	run?: Run;
}

export async function run(given: Given): Promise<Execution> {
	const { rules = [], items = customers(2) } = given;
	engine.reset();
	engine.useCredential(given.credential);
	engine.faults(...rules);
	const flow = flows.toSend(given);
	await given.before?.(flow);
	return given.run ? await given.run(flow, items) : await engine.run(flow, items);
}

/* Items, settings and credentials */

export const text = (item: IDataObject, parameters: INodeParameters = {}): Given => {
	return { items: [{ customer: '1000', text: 'Hi', ...item }], parameters };
};
export const template = (parameters: INodeParameters, options: IDataObject = {}): Given => {
	const items = [{ phone: '+15550100200' }];
	return { items, parameters: { ...flows.TEMPLATE, ...parameters }, options };
};
export const hours = (window: IDataObject): Given => {
	return { safeguards: { allowedHours: { window: { from: '08:00', until: '20:00', ...window } } } };
};
/** Two messages to one customer. */
export const SAME = [...customers(1), ...customers(1)];
export const AGAIN = SAME.map((item) => ({ ...item, details: { delivery: 'uncertain' } }));
const decrypt =
	(how: (...args: Array<{ itemIndex?: number } | undefined>) => Promise<IDataObject>) => () =>
		jest.spyOn(engine.credentials, 'getDecrypted').mockImplementation(how as never);
/** It differs, and this n8n doesn't say how it's stored. */
export const changeCredential = decrypt(async (...[, , , , , raw, of]) => {
	if (raw) throw new Error('Not in this release');
	return { ...engine.credentials.data, account: String(of?.itemIndex) };
});
export const NO_CREDENTIAL = 'Credential with ID "1" does not exist';
export const loseCredential = decrypt(async () => await Promise.reject(new Error(NO_CREDENTIAL)));

/* The service, the network, n8n */

export const answer = (rule: FaultRule, more: Given = {}): Given => {
	return { items: customers(1), rules: [rule], ...more };
};
export const status = (code: number): Given =>
	answer({ what: 'status', status: code, body: { error: 'No' } });

/* Stopped, canceled, tried again */

/** The second of two items, one by one. */
export const SECOND = { ...CONTINUE, ...ONE_BY_ONE, items: customers(2), item: 1 };
/** Two messages are accepted, the third one is rejected. */
export const PARTLY: Given = { ...ONE_BY_ONE, items: customers(4), rules: [rejects({ nth: 3 })] };

/** Canceled while a message is in flight. */
export const canceled: Run = async (flow, items) => {
	const running = engine.start(flow, items);
	const isWaiting = () => engine.ledger.entries().some(({ fault }) => fault === 'hang');
	while (!isWaiting()) await new Promise(setImmediate);
	running.cancel();
	return await running.ended;
};
export const ranTwice: Run = async (flow, items) => {
	await engine.run(flow, items);
	return await engine.run(flow, items);
};
/** One item at a time, through a loop. */
export const inLoop = (spec: Sending): Run => {
	return async (_, items) => await engine.run(looped(spec, 1), items);
};
const retriedAfter = (happens: (failed: Execution) => unknown, spec?: Sending): Run => {
	return async (flow, items) => {
		const failed = await engine.run(flow, items);
		await happens(failed);
		return await failed.retry(spec && flows.toSend(spec));
	};
};
export const partlyThen = (spec: Sending, more: Given = {}): Given => {
	return { ...PARTLY, ...more, run: retriedAfter(() => {}, spec) };
};
export const retried = retriedAfter(() => {});
export const retriedTwice = retriedAfter(async (failed) => await failed.retry());
/** A fault of the node's own, while the second message waits for its turn. */
export function failWait(): void {
	const { acquire } = RateLimiter.prototype;
	const waits = jest.spyOn(RateLimiter.prototype, 'acquire').mockImplementationOnce(acquire);
	waits.mockRejectedValueOnce(new Error('out of memory'));
}
/** A fault of the node's own, while it reads the response. */
export const failResponse = () =>
	void jest.spyOn(responses, 'classifyResponse').mockImplementationOnce(() => {
		throw new Error('out of memory');
	});

/** Another step has sent to the same customers. */
export const behindSender: Run = async ({ nodes: [start, own] }, items) =>
	await engine.run(flows.workflow([start, flows.sending({ name: 'Before' }), own]), items);
const addCall = ({ nodes }: IWorkflowBase) =>
	nodes.push(flows.node('Call', 'n8n-nodes-base.executeWorkflow'));
export const nextToCall: Given = { safeguards: { maxMessages: -1 }, before: addCall };
export const called = () => void (engine.sources = ['trigger', 'trigger']);
const ASK = { operation: 'sendAndWait', message: '?' };
export const several: Given = { parameters: ASK, before: called };

/* Send-once keys, and the store that keeps them */

export const KEY = { sendOnceKey: '={{ $json.customer }}' };
export const forgetWorkflow = (flow: IWorkflowBase) => (flow.id = '');
type Around = typeof engine.deduplication.around;
const around = (around: Around) => () => void (engine.deduplication.around = around);
/** The database is gone. */
const breakStore = (name: string, of = '') =>
	around(async (call, work) => {
		const isOf = call.scope === 'node' && call.entries.some((entry) => entry.includes(of));
		if (call.name !== name || !isOf) return await work();
		throw new Error('SQLITE_BUSY: database is locked');
	});
export const retriedWithoutStore = retriedAfter(breakStore('checkProcessedAndRecord'));
const noAccepted = breakStore('checkProcessedAndRecord', 'accepted ');
export const retriedWithoutAccepted = retriedAfter(noAccepted, { safeguards: KEY });
export const breakRemoval = breakStore('removeProcessed');
/** Another process holds the lock, from a certain look at it on. */
export function holdLock(from: number, look = async (count: number) => count): void {
	let looks = 0;
	around(async ({ name }, work) => {
		return name === 'getProcessedDataCount' && ++looks >= from ? await look(looks) : await work();
	})();
}
/** This process is busy before it claims its key, or after that. */
const beBusy = (beforeMs: number, afterMs: number) =>
	around(async ({ scope, entries }, work) => {
		const isClaim = scope === 'node' && entries.length === 2 && entries[0].endsWith(' 1000');
		if (isClaim) time.leap(beforeMs);
		const result = await work();
		if (isClaim) time.leap(afterMs);
		return result;
	});
/** For longer than a key may be held, and shorter than the lock. */
export const holdTooLong = beBusy(0, 42_000);
/** For so long that others may take the lock over. */
export const loseLock = beBusy(50_000, 0);

const keep = async (entries: string[], scope: 'node' | 'workflow') => {
	const context = { workflow: { id: 'workflow' }, node: { id: `id of ${NODE}` } } as never;
	const { store } = engine.deduplication;
	await store.checkProcessedAndRecord(entries, scope, context, { mode: 'entries' });
};
export const occupyLock = async () => await keep(['of a Remove Duplicates node'], 'workflow');
/** As soon as it's free for the first time. */
export const occupyFreeLock = around(async ({ name }, work) => {
	const result = await work();
	if (name === 'clearAllProcessedItems') await occupyLock();
	return result;
});
/** Enough that two new keys push out four. */
const keys = Array.from({ length: 84_006 }, (_, index) => `key ${index}`);
export const fillStore = async () => await keep(keys, 'node');

export const never = async () => await new Promise<never>(() => {});
