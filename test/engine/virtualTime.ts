/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import type * as n8nWorkflow from 'n8n-workflow';

import type { Engine } from './engine';

/** How long nothing must have happened before time leaps, in real milliseconds. */
const QUIET_MS = 1;
/** Time passes after this, whatever is still on its way, in real milliseconds. */
const STUCK_MS = 2000;
/** Faults that leave a request without a response. */
const SILENT = ['hang', 'slowBody'];

/** When each test begins: outside any hours, on a Monday. */
const NIGHT = '2026-11-23T03:00:00Z';

const realNow = performance.now.bind(performance);
const realDate = Date.now.bind(Date);
let aheadMs = 0;
let wallAheadMs = 0;
let lastEvent = 0;

const now = () => realNow() + aheadMs;

export const time = {
	/** False for a test that stops a run halfway: its waits have to take as long as they say. */
	isVirtual: true,
	/** Requests on their way, those excepted that the service doesn't answer. */
	onTheirWay: 0,
	leap(milliseconds: number): void {
		aheadMs += milliseconds;
	},
	/** Sets the current time. */
	setDate(date: string | number): void {
		wallAheadMs = new Date(date).getTime() - realDate() - aheadMs;
	},
};

const mayLeap = () =>
	time.isVirtual && realNow() - lastEvent > (time.onTheirWay > 0 ? STUCK_MS : QUIET_MS);

/**
 * Waits in virtual time: as soon as nothing else happens, the clock leaps to the end of the wait.
 */
async function virtualSleep(milliseconds: number): Promise<void> {
	const until = now() + milliseconds;
	do {
		await new Promise((resolve) => setTimeout(resolve, Math.min(milliseconds, QUIET_MS)));
	} while (now() < until && !mayLeap());
	aheadMs = Math.max(aheadMs, until - realNow());
}

/** For `jest.mock('n8n-workflow', …)`: what the node and n8n wait with takes no time. */
export function withVirtualSleep(): typeof n8nWorkflow {
	return { ...jest.requireActual<typeof n8nWorkflow>('n8n-workflow'), sleep: virtualSleep };
}

function count(requests: number): void {
	time.onTheirWay = Math.max(0, time.onTheirWay + requests);
	lastEvent = realNow();
}

/** No time leaps meanwhile. */
export async function inRealTime<T>(work: Promise<T>): Promise<T> {
	count(1);
	return await work.finally(() => count(-1));
}

const undone: Array<() => void> = [];

/** Not `jest.spyOn`, which remembers each of the million calls. */
function replace<T, K extends keyof T>(object: T, name: K, make: (original: T[K]) => T[K]): void {
	const original = object[name];
	object[name] = make(original);
	undone.push(() => (object[name] = original));
}

/**
 * Lets all clocks show virtual time, in which a minute of waiting passes in milliseconds. It pauses
 * while a request is on its way, so that a busy machine makes no response late.
 */
export function startVirtualTime({ credentials, ledger, sandbox }: Engine): void {
	time.isVirtual = true;
	time.setDate(NIGHT);
	replace(performance, 'now', () => now);
	replace(Date, 'now', () => () => realDate() + aheadMs + wallAheadMs);
	replace(credentials, 'authenticate', (authenticate) => async (...request) => {
		if (String(request[2].url).startsWith(sandbox.url)) count(1);
		return await authenticate.apply(credentials, request);
	});
	replace(ledger, 'faulted', (faulted) => (entry, name) => {
		if (SILENT.includes(name)) count(-1);
		faulted.call(ledger, entry, name);
	});
	replace(ledger, 'close', (close) => (entry, status) => {
		count(SILENT.includes(entry.fault ?? '') ? 0 : -1);
		close.call(ledger, entry, status);
	});
}

export function stopVirtualTime(): void {
	for (const undo of undone.splice(0)) undo();
}
