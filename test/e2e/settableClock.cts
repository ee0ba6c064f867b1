/** A clock for n8n that a test can set, e.g. to the night in which the clocks change. */
import fs from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../../scripts/lib/temporaryFolder.cts';
import { n8nNode } from '../../scripts/lib/setup.cts';

/** Loaded by each process before anything else. The file has the difference in milliseconds. */
const clock = (file: string) => `
const fs = require('node:fs');
const RealDate = Date;
const realNow = RealDate.now;
RealDate.now = () =>
	realNow() + (fs.existsSync(${file}) ? Number(fs.readFileSync(${file}, 'utf8')) : 0);
globalThis.Date = new Proxy(RealDate, {
	construct: (target, values, newTarget) =>
		Reflect.construct(target, values.length > 0 ? values : [target.now()], newTarget),
});
`;

export function settableClock() {
	const { folder } = temporaryFolder('clock-');
	const [script, file] = ['clock.cjs', 'offset'].map((name) => path.join(folder, name));
	fs.writeFileSync(script, clock(JSON.stringify(file)));
	// n8n starts the process for Code nodes by this name, with few of its own settings.
	const node = path.join(folder, 'node');
	fs.writeFileSync(node, `#!/bin/sh\nexec '${n8nNode()}' --require '${script}' "$@"\n`);
	fs.chmodSync(node, 0o755);
	return {
		nodeArgs: ['--require', script],
		PATH: [folder, process.env.PATH].join(path.delimiter),
		/** @param time ISO 8601; without it, the real time */
		set(time?: string) {
			const difference = time === undefined ? 0 : Date.parse(time) - Date.now();
			fs.writeFileSync(file, String(difference));
		},
	};
}
