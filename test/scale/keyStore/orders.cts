import type { Claim } from '../../../nodes/OutboundMessaging/delivery/keyStore.ts';

/** What a process is told to do. */
export interface Order {
	keys: string[];
	maxConcurrency: number;
	waitMs: number;
	/** Sent by the process to itself, once, in the middle of a change that it makes under the lock. */
	signal?: NodeJS.Signals;
}

/** What it tells. */
export type Report =
	| { what: 'ready' | 'stopping' | 'done' }
	| { what: Claim | 'asking' | 'marked'; key: string }
	| { what: 'failed'; key: string; error: string };
