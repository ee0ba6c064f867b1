/** The stand-in of the messaging service, as seen from the benchmark. */
const https = require('node:https');
const http = require('node:http');
const path = require('node:path');
const { start } = require('../../scripts/lib/child.cts');

const START_TIMEOUT_MS = 30_000;

/**
 * @param {{ key: string, cert: string }} [tls]
 */
async function startService(tls) {
	const child = await start(process.execPath, [
		path.join(__dirname, 'sandbox-process.js'),
		JSON.stringify({ tls }),
	]);
	const [, ready] = await child.waitForOutput(/^READY (.*)$/m, START_TIMEOUT_MS);
	const { url, headerName, apiKey } = JSON.parse(ready);
	const agent = new (tls ? https : http).Agent({ keepAlive: true, ca: tls?.cert });
	const call = caller(url, agent);

	return {
		url,
		headerName,
		apiKey,
		/** Forgets what came before, and answers this late from now on. */
		async prepare(latency) {
			await call('DELETE', '/_sandbox/ledger');
			await call('PUT', '/_sandbox/faults', latency > 0 ? [{ what: 'latency', ms: latency }] : []);
		},
		summary: () => call('GET', '/_sandbox/summary'),
		entries: async () => (await call('GET', '/_sandbox/ledger')).entries,
		async stop() {
			agent.destroy();
			await child.stop();
		},
	};
}

const caller = (url, agent) => (method, address, body) =>
	new Promise((resolve, reject) => {
		const { request } = url.startsWith('https:') ? https : http;
		const content = body && JSON.stringify(body);
		const headers = content ? { 'content-type': 'application/json' } : {};
		request(url + address, { method, agent, headers }, (response) => {
			let text = '';
			response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
			response.once('end', () => {
				if (response.statusCode < 300) return resolve(text ? JSON.parse(text) : undefined);
				reject(new Error(`${method} ${address}: ${response.statusCode} ${text}`));
			});
		})
			.once('error', reject)
			.end(content);
	});

module.exports = { startService };
