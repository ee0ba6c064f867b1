/**
 * The folder in which the demo keeps its n8n between starts. No one else on this machine
 * may look into it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { newOwner, type Owner } from '../../test/n8n/client.cts';
import { run } from './child.cts';
import { n8nNode, readJson } from './setup.cts';

const readyFile = (folder: string) => path.join(folder, 'ready.json');

/** Opens the folder, or starts afresh if its first start was interrupted. */
export async function openHome(folder: string) {
	const other = await runningDemo(folder);
	// Two n8n on one database would damage it.
	if (other)
		throw new Error(`it is already up at ${other.url} (process ${other.pid}). End that one first.`);
	const ownerFile = path.join(folder, 'owner.json');
	if (!fs.existsSync(readyFile(folder)) || !fs.existsSync(ownerFile)) {
		fs.rmSync(folder, { recursive: true, force: true });
		fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
		fs.writeFileSync(ownerFile, JSON.stringify(newOwner()), { mode: 0o600 });
	}
	return {
		owner: readJson<Owner>(ownerFile),
		/** Says where the demo is up, and that its first start came to its end. */
		markReady(url: string) {
			fs.writeFileSync(readyFile(folder), JSON.stringify({ pid: process.pid, url }));
		},
	};
}

/** The demo that is up in this folder, if there is one. */
export async function runningDemo(folder: string) {
	if (!fs.existsSync(readyFile(folder))) return undefined;
	const ready = readJson<{ pid: number; url: string }>(readyFile(folder));
	try {
		process.kill(ready.pid, 0);
		await fetch(`${ready.url}/healthz`);
		return ready;
	} catch {
		return undefined;
	}
}

/** Other nodes, such as n8n's Remove Duplicates, keep theirs. */
const FORGET_KEYS = `DELETE FROM processed_data WHERE context IN (
	SELECT 'n:' || (node.value ->> 'id') FROM workflow_entity, json_each(nodes) AS node
	WHERE node.value ->> 'type' LIKE '%.outboundMessaging%')`;

/**
 * This start's mock service has received nothing: with earlier send-once keys, n8n would skip
 * messages that no inbox shows.
 */
export async function forgetSent(folder: string): Promise<void> {
	const database = path.join(folder, '.n8n/database.sqlite');
	if (!fs.existsSync(database)) return;
	const script = `new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec(process.argv[2])`;
	await run(n8nNode(), ['--eval', script, database, FORGET_KEYS]);
}
