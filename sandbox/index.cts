import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { control } from './control.cts';
import { endpoints } from './endpoints.cts';
import { Faults } from './faults.cts';
import { Feed } from './feed.cts';
import { Ledger } from './ledger.cts';
import { page } from './page.cts';
import { rejection } from './rejections.cts';
import { Timers } from './timers.cts';

export type { FaultRule } from './faults.cts';
export type { Entry } from './ledger.cts';

const HOST = '127.0.0.1';
const BODY_LIMIT = 2 * 1024 * 1024;

export interface SandboxOptions {
	/** 0 takes any free port. */
	port?: number;
	headerName?: string;
	apiKey?: string;
	/** For base URLs with a path, such as `/gateway`. */
	basePath?: string;
	tls?: { key: string; cert: string };
	/** Milliseconds before every response to a request with a good key. */
	latency?: number;
	/** False keeps the ledger of a benchmark small. */
	keepBodies?: boolean;
}

export interface Sandbox {
	/** The base URL of the service, with the base path. */
	url: string;
	inboxUrl: string;
	port: number;
	headerName: string;
	apiKey: string;
	ledger: Ledger;
	faults: Faults;
	/** Ends open requests too. */
	stop(): Promise<void>;
}

/** Starts a mock of the messaging service: the specification, a ledger, faults, an inbox. */
export async function startSandbox({
	port: wantedPort = 0,
	headerName = 'X-Service-Api-Key',
	apiKey = 'sandbox-key-not-a-secret',
	basePath: wantedPath = '',
	tls,
	latency = 0,
	keepBodies,
}: SandboxOptions = {}): Promise<Sandbox> {
	const basePath = trimPath(wantedPath);
	const ledger = new Ledger({ keepBodies });
	const timers = new Timers();
	const faults = new Faults(() => feed.touch());
	const feed: Feed = new Feed(() => ({
		counters: ledger.summary(),
		faults: faults.names(),
		basePath,
		headerName,
	}));
	const app = fastify({
		bodyLimit: BODY_LIMIT,
		forceCloseConnections: true,
		...(tls && { https: tls }),
	}) as FastifyInstance;
	// A text body is not JSON, even when it looks like it.
	app.removeContentTypeParser('text/plain');
	app.setNotFoundHandler((_, reply) =>
		reply.code(404).send(rejection('not_found', 'There is nothing at this URL')),
	);
	app.addHook('onRequest', async (request, reply) => {
		if (isOwnName(request.hostname)) return;
		await reply
			.code(421)
			.send(rejection('unknown_host', 'Call the sandbox by a name of this machine'));
	});
	endpoints(app, { basePath, apiKey, headerName, latency, ledger, faults, feed, timers });
	control(app, { ledger, faults, feed });
	page(app);
	await app.listen({ port: wantedPort, host: HOST });

	const { port } = app.server.address() as AddressInfo;
	const origin = `${tls ? 'https' : 'http'}://${HOST}:${port}`;
	let stopping: Promise<void> | undefined;
	return {
		url: origin + basePath,
		inboxUrl: `${origin}/`,
		port,
		headerName,
		apiKey,
		ledger,
		faults,
		stop: () => (stopping ??= stop()),
	};

	async function stop() {
		timers.clear();
		feed.stop();
		await app.close();
	}
}

/**
 * A web page that makes its own name point to this machine (DNS rebinding) would be of the same
 * origin as the sandbox, and could read what it received. Its name gives it away.
 */
function isOwnName(hostname: string): boolean {
	return hostname === HOST || hostname === 'localhost' || hostname.endsWith('.localhost');
}

/** `gateway/` and `/gateway` are both `/gateway`. */
const trimPath = (path: string) => path.replace(/^\/*(.*?)\/*$/, '/$1').replace(/^\/$/, '');
