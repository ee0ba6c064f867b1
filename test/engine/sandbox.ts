/* eslint-disable @typescript-eslint/no-require-imports */
import type { IDataObject } from 'n8n-workflow';

/** One request that reached the service, as its ledger wrote it down. */
export interface Entry {
	seq: number;
	at: number;
	endedAt: number | null;
	operation: string;
	recipient: string | null;
	body: IDataObject;
	status: number | null;
	accepted: boolean;
	fault: string | null;
	keyOk: boolean;
}

export interface Rule extends IDataObject {
	what: string;
	when?: IDataObject;
}

export interface Sandbox {
	url: string;
	port: number;
	headerName: string;
	apiKey: string;
	ledger: {
		entries(): Entry[];
		accepted(): Entry[];
		deliveriesByRecipient(): Map<string, number>;
		duplicates(): unknown[];
		starts(): number[];
		maxInFlight: number;
		maxInFlightOf(recipient: string): number;
		summary(): { received: number; accepted: number; inFlight: number };
		clear(): void;
	};
	faults: { set(rules: Rule[]): void; clear(): void; list(): Array<Rule & { hits: number }> };
	stop(): Promise<void>;
}

export interface SandboxOptions {
	port?: number;
	latency?: number;
	apiKey?: string;
	basePath?: string;
}

type Start = (options?: SandboxOptions) => Promise<Sandbox>;

export const { startSandbox } = require('../../sandbox') as { startSandbox: Start };
