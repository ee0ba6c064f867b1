'use strict';

const fastify = require('fastify');
const { Ledger } = require('./ledger');
const { Faults } = require('./faults');
const { Feed } = require('./feed');
const { Pauses } = require('./pauses');
const { ajvOptions } = require('./validation');
const { problem } = require('./answers');
const { endpoints } = require('./endpoints');
const { control } = require('./control');
const { page } = require('./page');

const BODY_LIMIT = 2 * 1024 * 1024;

/**
 * @typedef {object} SandboxOptions
 * @property {number} [port] 0 takes any free port
 * @property {string} [host]
 * @property {string} [headerName]
 * @property {string} [apiKey]
 * @property {string} [basePath] for base URLs with a path, such as `/gateway`
 * @property {{ key: string, cert: string }} [tls]
 * @property {number} [latency] ms before every answer to a request with a good key
 * @property {number} [ledgerLimit] entries kept; the oldest are forgotten first
 * @property {boolean} [keepBodies] false keeps the ledger of a benchmark small
 *
 * @typedef {object} Sandbox
 * @property {string} url the base URL of the service, with the base path
 * @property {string} inboxUrl
 * @property {string} host
 * @property {number} port
 * @property {string} headerName
 * @property {string} apiKey
 * @property {Ledger} ledger
 * @property {Faults} faults
 * @property {() => Promise<void>} stop ends open requests too
 */

/**
 * Starts a stand-in of the messaging service: the specification, a ledger, faults, an inbox.
 *
 * @param {SandboxOptions} [options]
 * @returns {Promise<Sandbox>}
 */
async function startSandbox(options = {}) {
	const { port = 0, host = '127.0.0.1', tls, latency = 0, ledgerLimit, keepBodies } = options;
	const headerName = options.headerName ?? 'X-Service-Api-Key';
	const apiKey = options.apiKey ?? 'sandbox-key-not-a-secret';
	const basePath = trimPath(options.basePath ?? '');

	const ledger = new Ledger({ limit: ledgerLimit, keepBodies });
	const pauses = new Pauses();
	const faults = new Faults(() => feed.touch());
	const feed = new Feed(() => ({
		counters: ledger.summary(),
		faults: faults.names(),
		basePath,
		headerName,
	}));
	const clearLedger = () => {
		ledger.clear();
		feed.clear();
	};
	const parts = { apiKey, headerName, latency, ledger, faults, feed, pauses, clearLedger };

	const app = fastify({
		logger: false,
		bodyLimit: BODY_LIMIT,
		forceCloseConnections: true,
		ajv: ajvOptions,
		...(tls ? { https: tls } : {}),
	});
	// A text body is not JSON, even when it looks like it.
	app.removeContentTypeParser('text/plain');
	app.setNotFoundHandler((_, reply) =>
		reply.code(404).send(problem('not_found', 'There is nothing at this address')),
	);
	app.register(endpoints, { ...parts, prefix: basePath });
	app.register(control, parts);
	app.register(page);
	await app.listen({ port, host });

	const address = app.server.address();
	const origin = `${tls ? 'https' : 'http'}://${bracketed(host)}:${address.port}`;
	let stopping;
	return {
		url: origin + basePath,
		inboxUrl: `${origin}/`,
		host,
		port: address.port,
		headerName,
		apiKey,
		ledger,
		faults,
		stop: () => (stopping ??= stop()),
	};

	async function stop() {
		pauses.clear();
		feed.stop();
		await app.close();
	}
}

/** `gateway/` and `/gateway` are both `/gateway`. */
function trimPath(path) {
	const inner = path.replace(/^\/+|\/+$/g, '');
	return inner && `/${inner}`;
}

function bracketed(host) {
	return host.includes(':') ? `[${host}]` : host;
}

module.exports = { startSandbox };
