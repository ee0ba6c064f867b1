/** Boots a real n8n with the node installed as a community package. */
import fs from 'node:fs';
import path from 'node:path';
import { start, poll } from '../../scripts/lib/child.cts';
import * as paths from '../../scripts/lib/paths.cts';
import { freePort } from '../../scripts/lib/ports.cts';
import { n8nNode } from '../../scripts/lib/setup.cts';
import { temporaryFolder } from '../../scripts/lib/temporaryFolder.cts';
import { installPackage, packNode } from './package-under-test.cts';

export interface InstanceOptions {
	/** Kept afterwards; without it a temporary one that `stop()` removes. */
	home?: string;
	/** Preferred port of editor and REST, or of the health check of a worker. */
	port?: number;
	/** Which of n8n's processes; the latter two are for queue mode. */
	command?: 'start' | 'webhook' | 'worker';
	/** For Node itself. */
	nodeArgs?: string[];
	/** On top of what keeps n8n quiet and to itself. */
	env?: NodeJS.ProcessEnv;
	/** Tarball of the node, or none; packed now by default. */
	package?: string | false;
}

export type Instance = Awaited<ReturnType<typeof startN8n>>;

export async function startN8n({
	home,
	port: preferredPort,
	command = 'start',
	nodeArgs = [],
	env,
	package: tarball,
}: InstanceOptions = {}) {
	const packed = tarball ?? (await packNode());
	/** Gone with this process at the latest, whatever happens in between. */
	const temporary = home === undefined ? temporaryFolder('n8n-home-') : undefined;
	const folder = home ?? temporary!.folder;
	const port = await freePort(preferredPort);
	const url = `http://127.0.0.1:${port}`;
	let child: Awaited<ReturnType<typeof start>>;

	const instance = {
		url,
		home: folder,
		get pid() {
			return child.pid;
		},
		/** Everything n8n logged since its last start. */
		output: () => child.output(),
		/** Starts again on the same home and port, after `kill()`. */
		async start() {
			const n8n = path.join(paths.n8n, 'node_modules/n8n/bin/n8n');
			child = await start(n8nNode(), [...nodeArgs, n8n, command], {
				cwd: folder,
				env: { ...(await environment(folder, port)), ...env },
			});
			try {
				await poll(() => isReady(url, command, child.output()), { child, what: 'n8n to answer' });
			} catch (error) {
				await child.stop(0);
				throw error;
			}
		},
		/** Ends n8n: without a chance to shut down, unless it gets another signal. */
		async kill(signal: NodeJS.Signals = 'SIGKILL') {
			child.kill(signal);
			await child.exited;
		},
		async stop() {
			await child.stop();
			temporary?.remove();
		},
	};
	if (packed) await installPackage(packed, folder);
	await instance.start();
	return instance;
}

/**
 * What n8n prints when it has also looked through the executions of its last run; the processes of
 * queue mode tell by themselves.
 */
const STARTED = 'Editor is now accessible';

/**
 * n8n answers a while before it has started. Until then it goes through all executions without an
 * end in its log, waiting ones as well, and stores them again: what happens to one of them
 * meanwhile is overwritten.
 */
async function isReady(url: string, command: string, output: string) {
	if (command === 'start') return output.includes(STARTED);
	const response = await fetch(`${url}/healthz/readiness`).catch(() => undefined);
	// Before, n8n says that it starts, in a text.
	return response?.ok && typeof (await response.json().catch(() => '')) === 'object';
}

/** Settings of another n8n, of npm or of the test runner must not reach this one. */
const FOREIGN =
	/^(N8N_|DB_|EXECUTIONS_|QUEUE_|CREDENTIALS_|WEBHOOK_|NODE_|npm_|JEST_|https?_proxy$)/i;

async function environment(home: string, port: number): Promise<NodeJS.ProcessEnv> {
	return {
		...Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name))),
		// The task runner looks for `node` there.
		PATH: [path.dirname(n8nNode()), process.env.PATH].join(path.delimiter),
		NODE_ENV: 'production',
		N8N_USER_FOLDER: home,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_PORT: String(port),
		// Where a worker, and only a worker, says what it is.
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		QUEUE_HEALTH_CHECK_PORT: String(port),
		N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
		N8N_RUNNERS_BROKER_PORT: String(await freePort()),
		N8N_SECURE_COOKIE: 'false',
		// What n8n 2 has by default: on one connection, n8n 1 mixes up transactions that run
		// at the same time.
		DB_SQLITE_POOL_SIZE: '3',
		// No dialogs in the editor, and nothing that talks to the outside.
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
		...(hasModule('instance-ai') && { N8N_DISABLED_MODULES: 'instance-ai' }),
	};
}

/** Older releases lack some modules, and don't start when told about one they do not know. */
const hasModule = (name: string) =>
	fs.existsSync(path.join(paths.n8n, 'node_modules/n8n/dist/modules', name));
