/** Boots a real n8n with the node installed as a community package. */
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { start, poll } = require('../../scripts/lib/child');
const paths = require('../../scripts/lib/paths');
const { freePort } = require('../../scripts/lib/ports');
const { n8nNode } = require('../../scripts/lib/setup');
const { installPackage, packNode } = require('./package-under-test');

const BOOT_TIMEOUT_MS = 180_000;

/**
 * @typedef {object} Options
 * @property {string} [home] kept afterwards; without it a temporary one that `stop()` removes
 * @property {number} [port] preferred port of editor and REST, or of the health check of a worker
 * @property {'start' | 'webhook' | 'worker'} [command] which of n8n's processes; the latter two are for queue mode
 * @property {NodeJS.ProcessEnv} [env] on top of what keeps n8n quiet and to itself
 * @property {string | false} [package] tarball of a node package; this project's own by default
 *
 * @param {Options} [options]
 */
async function startN8n({
	home,
	port: preferredPort,
	command = 'start',
	env,
	package: tarball,
} = {}) {
	const packed = tarball ?? (await packNode());
	const folder = home ?? temporaryHome();
	const port = await freePort(preferredPort);
	const url = `http://127.0.0.1:${port}`;
	let child;

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
			child = await start(n8nNode(), [path.join(paths.n8n, 'node_modules/n8n/bin/n8n'), command], {
				cwd: folder,
				env: { ...(await environment(folder, port)), ...env },
			});
			try {
				await poll(() => (command === 'start' ? answers(url) : isReady(url)), {
					child,
					timeoutMs: BOOT_TIMEOUT_MS,
					what: 'n8n to answer',
				});
			} catch (error) {
				await child.stop(0);
				throw error;
			}
		},
		/** An orderly end and a new start. */
		async restart() {
			await child.stop();
			await instance.start();
		},
		/** A crash: ends n8n without a chance to say good-bye. */
		async kill(signal = 'SIGKILL') {
			child.kill(signal);
			await child.exited;
		},
		async stop() {
			await child.stop();
			if (!home) remove(folder);
		},
	};
	try {
		if (packed) await installPackage(packed, folder);
		await instance.start();
	} catch (error) {
		if (!home) remove(folder);
		throw error;
	}
	return instance;
}

/** Gone with this process at the latest, whatever happens in between. */
function temporaryHome() {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'n8n-home-'));
	process.once('exit', () => remove(folder));
	return folder;
}

const remove = (folder) => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

/** `/healthz` answers early; the settings only once the database and all nodes are loaded. */
async function answers(url) {
	try {
		const answers = await Promise.all([fetch(`${url}/healthz`), fetch(`${url}/rest/settings`)]);
		const [, settings] = answers;
		return answers.every(({ ok }) => ok) && Boolean((await settings.json()).data);
	} catch {
		return false;
	}
}

/** The processes of queue mode know themselves when they are ready. */
async function isReady(url) {
	try {
		return (await fetch(`${url}/healthz/readiness`)).ok;
	} catch {
		return false;
	}
}

/** Settings of another n8n, of npm or of the test runner must not reach this one. */
const FOREIGN =
	/^(N8N_|DB_|EXECUTIONS_|QUEUE_|CREDENTIALS_|WEBHOOK_|NODE_|npm_|JEST_|https?_proxy$)/i;

async function environment(home, port) {
	const own = Object.entries(process.env).filter(([name]) => !FOREIGN.test(name));
	return {
		...Object.fromEntries(own),
		// The task runner looks for `node` there.
		PATH: [path.dirname(n8nNode()), process.env.PATH].join(path.delimiter),
		NODE_ENV: 'production',
		N8N_USER_FOLDER: home,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_PORT: String(port),
		// Where a worker, and only a worker, tells of itself.
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		QUEUE_HEALTH_CHECK_PORT: String(port),
		N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
		N8N_RUNNERS_BROKER_PORT: String(await freePort()),
		N8N_SECURE_COOKIE: 'false',
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

/** Older releases lack some modules, and refuse to start when told about one they do not know. */
const hasModule = (name) =>
	fs.existsSync(path.join(paths.n8n, 'node_modules/n8n/dist/modules', name));

module.exports = { startN8n };
