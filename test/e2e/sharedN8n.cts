/** One n8n for all test files that don't need one of their own: jest starts it before the first file. */
import { signIn, type Session } from '../n8n/client.cts';
import { startN8n, type Instance } from '../n8n/instance.cts';

const VARIABLE = 'OUTBOUND_SHARED_N8N';

export type SharedN8n = Session;

/** What a worker of jest knows of it. */
export const sharedN8n = () => JSON.parse(process.env[VARIABLE]!) as SharedN8n;

let n8n: Instance;

export default async function start() {
	n8n = await startN8n();
	const { url, browserId, cookie } = await signIn(n8n.url);
	const shared: SharedN8n = { url, browserId, cookie };
	process.env[VARIABLE] = JSON.stringify(shared);
}

export const stop = async () => await n8n.stop();
