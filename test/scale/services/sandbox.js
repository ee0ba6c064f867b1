/** The stand-in of the service in a process of its own, so that its work is not the work of the judge. */
const { start } = require('../../../scripts/lib/child.cts');
const { freePort } = require('../../../scripts/lib/ports.cts');
const paths = require('../../../scripts/lib/paths.cts');
const readings = require('../../../sandbox/ledgerQueries.cts');

async function startSandboxProcess() {
	const port = await freePort();
	const child = await start(
		process.execPath,
		['scripts/start.js', 'scripts/sandbox.cts', '--port', String(port)],
		{
			cwd: paths.root,
		},
	);
	const introduced = async (label) =>
		(await child.waitForOutput(new RegExp(`${label} +(\\S+)`), 60_000))[1];
	const apiKey = await introduced('API key');
	const headerName = await introduced('Header');
	const url = await introduced('Base URL');

	const control = async (path, method = 'GET', body) => {
		const response = await fetch(`${url}/_sandbox/${path}`, {
			method,
			...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
		});
		if (!response.ok) throw new Error(`Sandbox, ${path}: ${await response.text()}`);
		return response.status === 204 ? undefined : await response.json();
	};

	return {
		url,
		apiKey,
		headerName,
		summary: async () => await control('summary'),
		/** A clean sheet: an empty ledger and these faults, none by default. */
		async reset(faults = []) {
			await control('ledger', 'DELETE');
			await control('faults', 'PUT', faults);
		},
		faults: async () => await control('faults'),
		/** Everything the service took since, read to the last page. */
		async ledger() {
			const entries = [];
			for (let more = true; more; ) {
				const page = await control(`ledger?after=${entries.at(-1)?.seq ?? 0}&limit=20000`);
				entries.push(...page.entries);
				({ more } = page);
			}
			return { entries, deliveries: readings.deliveriesByRecipient(entries) };
		},
		stop: async () => await child.stop(),
	};
}

module.exports = { startSandboxProcess };
