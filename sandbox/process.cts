/**
 * The sandbox in a process of its own, so that its work isn't the work of the
 * process that measures.
 */
import http from 'node:http';
import https from 'node:https';
import { start } from '../scripts/lib/child.cts';
import { startSandbox, type Entry, type FaultRule, type SandboxOptions } from './index.cts';
import { deliveriesByRecipient, type Summary } from './ledger.cts';

const START_TIMEOUT_MS = 60_000;
/** Entries of the ledger in one response. */
const PAGE = 20_000;

export type SandboxProcess = Awaited<ReturnType<typeof startSandboxProcess>>;

/** @returns where it listens, and calls to its control paths */
export async function startSandboxProcess(options: SandboxOptions = {}) {
	const typescript = ['--require', require.resolve('tsx/cjs')];
	const child = await start(process.execPath, [...typescript, __filename, JSON.stringify(options)]);
	const [, ready] = await child.waitForOutput(/^READY (.*)$/m, START_TIMEOUT_MS);
	const sandbox = JSON.parse(ready) as Record<'url' | 'headerName' | 'apiKey', string>;
	const { tls } = options;
	const agent = new (tls ? https : http).Agent({ keepAlive: true, ca: tls?.cert });

	// fetch() can't be told about a certificate.
	const call = <T,>(method: string, path: string, content?: object) =>
		new Promise<T>((resolve, reject) => {
			const { request } = tls ? https : http;
			const headers = content ? { 'content-type': 'application/json' } : {};
			request(`${sandbox.url}/_sandbox/${path}`, { method, agent, headers }, (response) => {
				let text = '';
				response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
				response.once('end', () => {
					if (response.statusCode! < 300) return resolve((text && JSON.parse(text)) as T);
					reject(new Error(`Sandbox, ${method} ${path}: ${response.statusCode} ${text}`));
				});
			})
				.once('error', reject)
				.end(content && JSON.stringify(content));
		});

	return {
		...sandbox,
		summary: () => call<Summary>('GET', 'summary'),
		faults: () => call<FaultRule[]>('GET', 'faults'),
		/** Other faults from now on; the ledger stays. */
		setFaults: (faults: FaultRule[]) => call<FaultRule[]>('PUT', 'faults', faults),
		/** A clean sheet: an empty ledger and these faults, none by default. */
		async reset(faults: FaultRule[] = []) {
			await call('DELETE', 'ledger');
			await call('PUT', 'faults', faults);
		},
		/** Everything the service took since, read to the last page. */
		async ledger() {
			const entries: Entry[] = [];
			for (let more = true; more; ) {
				const path = `ledger?after=${entries.at(-1)?.seq ?? 0}&limit=${PAGE}`;
				const page = await call<{ entries: Entry[]; more: boolean }>('GET', path);
				entries.push(...page.entries);
				({ more } = page);
			}
			return { entries, deliveries: deliveriesByRecipient(entries) };
		},
		async stop() {
			agent.destroy();
			await child.stop();
		},
	};
}

async function main() {
	const sandbox = await startSandbox(JSON.parse(process.argv[2]) as SandboxOptions);
	const { url, headerName, apiKey } = sandbox;
	console.log(`READY ${JSON.stringify({ url, headerName, apiKey })}`);
	process.once('SIGTERM', () => void sandbox.stop().then(() => process.exit(0)));
}

if (require.main === module) void main();
