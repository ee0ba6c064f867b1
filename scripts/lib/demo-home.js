/** The folder in which the demo keeps its n8n between starts. Nobody else on this machine may look into it. */
const fs = require('node:fs');
const path = require('node:path');

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

/**
 * Opens the folder, or starts afresh if its first start was interrupted.
 *
 * @template Owner
 * @param {string} folder
 * @param {() => Owner} newOwner
 * @returns {Promise<{ folder: string, owner: Owner, ownerFile: string, isNew: boolean, markReady: (url: string) => void }>}
 */
async function openHome(folder, newOwner) {
	const ownerFile = path.join(folder, 'owner.json');
	/** Says where the demo is up, and that its first start came to its end. */
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
		markReady(url) {
			fs.writeFileSync(readyFile, JSON.stringify({ pid: process.pid, url }));
		},
	};
}

/** Two n8n on one database would damage it. */
async function refuseSecond({ pid, url }) {
	try {
		process.kill(pid, 0);
		await fetch(`${url}/healthz`);
	} catch {
		return;
	}
	throw new Error(`it is already up at ${url} (process ${pid}). End that one first.`);
}

const readJson = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));

module.exports = { openHome };
