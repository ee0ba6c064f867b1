/** What `npm run demo` installs. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { sqliteDriver } from '../../scripts/lib/setup.cts';

test('in a folder with a space or umlaut, the driver is compiled elsewhere', async () => {
	const home = fs.mkdtempSync(path.join(os.tmpdir(), 'Meine Übungen '));
	const compiledIn: string[] = [];
	const compile = async (_: string[], { cwd }: { cwd: string }) => {
		compiledIn.push(cwd);
		const folder = path.join(cwd, 'node_modules/sqlite3/build/Release');
		fs.mkdirSync(folder, { recursive: true });
		fs.writeFileSync(path.join(folder, 'node_sqlite3.node'), 'a driver');
		return await Promise.resolve();
	};
	const kept = path.join(home, '.tmp');
	const driver = await sqliteDriver('5.1.7', kept, compile);
	expect(fs.readFileSync(driver, 'utf8')).toBe('a driver');
	expect(path.dirname(driver)).toBe(kept);
	// It's kept, so the next time nothing is compiled.
	expect(await sqliteDriver('5.1.7', kept, compile)).toBe(driver);
	expect(compiledIn).toEqual([expect.not.stringContaining(' ')]);
	expect(fs.existsSync(compiledIn[0])).toBe(false);
	fs.rmSync(home, { recursive: true });
});
