/**
 * One n8n for all test files that don't need one of their own: jest starts it
 * before the first file.
 */
import { ensureN8n } from '../../scripts/lib/setup.cts';
import { signIn, type Session } from '../n8n/client.cts';
import { startN8n, type Instance } from '../n8n/instance.cts';

const VARIABLE = 'OUTBOUND_SHARED_N8N';

/** Where the internet would find it. */
export const PUBLIC_URL = 'https://n8n.example.com';

/** What a worker of jest knows of it. */
export const sharedN8n = () => JSON.parse(process.env[VARIABLE]!) as Session;

let n8n: Instance;

export default async function start() {
	await ensureN8n();
	n8n = await startN8n({ env: { WEBHOOK_URL: PUBLIC_URL } });
	const { url, browserId, cookie } = await signIn(n8n.url);
	process.env[VARIABLE] = JSON.stringify({ url, browserId, cookie } satisfies Session);
}

export const stop = async () => await n8n.stop();
