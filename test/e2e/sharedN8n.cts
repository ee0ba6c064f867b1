/** One n8n for all test files that don't need one of their own: jest starts it before the first file. */
import { newOwner, signIn, type Owner } from '../n8n/client.cts';
import { startN8n, type Instance } from '../n8n/instance.cts';

const VARIABLE = 'OUTBOUND_SHARED_N8N';

export interface SharedN8n {
	url: string;
	owner: Owner;
}

/** What a worker of jest knows of it. */
export const sharedN8n = () => JSON.parse(process.env[VARIABLE]!) as SharedN8n;

let n8n: Instance;

export default async function start() {
	n8n = await startN8n();
	const shared: SharedN8n = { url: n8n.url, owner: newOwner() };
	await signIn(shared.url, shared.owner);
	process.env[VARIABLE] = JSON.stringify(shared);
}

export const stop = async () => await n8n.stop();
