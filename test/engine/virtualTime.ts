/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import type * as n8nWorkflow from 'n8n-workflow';

import type { Engine } from './engine';

/** How long nothing must have happened before time leaps, in real milliseconds. */
const QUIET_MS = 1;
/** Time passes after this, whatever is still on its way, in real milliseconds. */
const STUCK_MS = 2000;
/** Faults that leave a request without a response. */
const SILENT = ['hang', 'slowBody'];

const realNow = performance.now.bind(performance);
const realDate = Date.now.bind(Date);
let aheadMs = 0;
let wallAheadMs = 0;
let lastEvent = 0;
/** Requests on their way, those excepted that the service doesn't answer. */
let onTheirWay = 0;

const now = () => realNow() + aheadMs;

/** What a test stops in the middle has to take its time. */
export const time = { isVirtual: true };

function mayLeap(): boolean {
	if (!time.isVirtual) return false;
	const quietMs = realNow() - lastEvent;
	return quietMs > (onTheirWay > 0 ? STUCK_MS : QUIET_MS);
}

/** Waits in virtual time: as soon as nothing else happens, the clock leaps to the end of the wait. */
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

/** Sets the clock on the wall, in milliseconds since 1970. */
export function setWallClock(instant: number): void {
	wallAheadMs = instant - realDate() - aheadMs;
}

function count(requests: number): void {
	onTheirWay = Math.max(0, onTheirWay + requests);
	lastEvent = realNow();
}

/** No time leaps meanwhile. */
export async function inRealTime(work: Promise<void>): Promise<void> {
	count(1);
	await work;
	count(-1);
}

/** A test ends without what it has left on its way. */
export function nothingOnItsWay(): void {
	onTheirWay = 0;
}

/**
 * Lets all clocks show virtual time, in which a minute of waiting passes in milliseconds. It pauses while a request is on
 * its way, so that a busy machine makes no response late.
 */
export function startVirtualTime({ credentials, ledger }: Engine): void {
	jest.spyOn(performance, 'now').mockImplementation(now);
	jest.spyOn(Date, 'now').mockImplementation(() => realDate() + aheadMs + wallAheadMs);
	const authenticate = credentials.authenticate.bind(credentials);
	jest.spyOn(credentials, 'authenticate').mockImplementation(async (...request) => {
		count(1);
		return await authenticate(...request);
	});
	const faulted = ledger.faulted.bind(ledger);
	jest.spyOn(ledger, 'faulted').mockImplementation((entry, name) => {
		if (SILENT.includes(name)) count(-1);
		faulted(entry, name);
	});
	const close = ledger.close.bind(ledger);
	jest.spyOn(ledger, 'close').mockImplementation((entry, status) => {
		count(SILENT.includes(entry.fault ?? '') ? 0 : -1);
		close(entry, status);
	});
}
