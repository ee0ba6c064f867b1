/** The folder in which the demo keeps its n8n between starts. No one else on this machine may look into it. */
import fs from 'node:fs';
import path from 'node:path';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

export interface Home<Owner> {
	folder: string;
	owner: Owner;
	ownerFile: string;
	isNew: boolean;
	/** Says where the demo is up, and that its first start came to its end. */
	markReady(url: string): void;
}

interface Ready {
	pid: number;
	url: string;
}

/** Opens the folder, or starts afresh if its first start was interrupted. */
export async function openHome<Owner>(folder: string, newOwner: () => Owner): Promise<Home<Owner>> {
	const ownerFile = path.join(folder, 'owner.json');
	const readyFile = path.join(folder, 'ready.json');
	const isReady = fs.existsSync(readyFile);
	if (isReady) await refuseSecond(readJson(readyFile));
	const isNew = !isReady || !fs.existsSync(ownerFile);
	if (isNew) {
		fs.rmSync(folder, { recursive: true, force: true });
		fs.mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
		fs.writeFileSync(ownerFile, JSON.stringify(newOwner()), { mode: PRIVATE_FILE });
	}
	return {
		folder,
		owner: readJson(ownerFile),
		ownerFile,
		isNew,
		markReady(url: string) {
			fs.writeFileSync(readyFile, JSON.stringify({ pid: process.pid, url }));
		},
	};
}

/** Two n8n on one database would damage it. */
async function refuseSecond({ pid, url }: Ready): Promise<void> {
	try {
		process.kill(pid, 0);
		await fetch(`${url}/healthz`);
	} catch {
		return;
	}
	throw new Error(`it is already up at ${url} (process ${pid}). End that one first.`);
}

const readJson = <T,>(file: string) => JSON.parse(fs.readFileSync(file, 'utf8')) as T;
