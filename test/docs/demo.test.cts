/** The folder that the demo keeps: whoever else works on this machine finds no way into its n8n. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openHome } from '../../scripts/lib/demoHome.cts';
import { newOwner } from '../n8n/client.cts';

const parent = fs.mkdtempSync(path.join(os.tmpdir(), 'demo-home-'));
afterAll(() => fs.rmSync(parent, { recursive: true }));

const folder = path.join(parent, 'demo');
const ownerFile = path.join(folder, 'owner.json');
const open = () => openHome(folder, newOwner);
const mode = (file: string) => (fs.statSync(file).mode & 0o777).toString(8);

test('is closed to everyone else, with another password for every new n8n', async () => {
	const first = await open();
	const second = await open();
	expect([mode(folder), mode(ownerFile)]).toEqual(['700', '600']);
	expect(second.owner.password).not.toBe(first.owner.password);
	expect(second.owner.password.length).toBeGreaterThanOrEqual(16);

	second.markReady('http://127.0.0.1:1');
	expect((await open()).owner).toEqual(second.owner);
});

test('of an earlier version, with the password that everyone knew, is set up again', async () => {
	const old = await open();
	old.markReady('http://127.0.0.1:1');
	fs.rmSync(ownerFile);
	const database = path.join(folder, 'database.sqlite');
	fs.writeFileSync(database, '');
	expect((await open()).owner).not.toEqual(old.owner);
	expect(fs.existsSync(database)).toBe(false);
});
