/** A package registry on the loopback interface that knows nothing but what a test publishes there. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { poll, run, start } from '../../scripts/lib/child.cts';
import { npm } from '../../scripts/lib/npm.cts';
import * as paths from '../../scripts/lib/paths.cts';
import { freePort } from '../../scripts/lib/ports.cts';
import { n8nNode } from '../../scripts/lib/setup.cts';

const SERVER = path.join(paths.n8n, 'node_modules/verdaccio/bin/verdaccio');

/** Nothing is fetched from anywhere else, and everyone may publish. */
const config = (storage: string) => `
storage: ${JSON.stringify(storage)}
uplinks: {}
packages:
  '**':
    access: $all
    publish: $all
web:
  enable: false
log: { type: stdout, format: json, level: warn }
`;

interface Published {
	tarball: string;
	name: string;
	version: string;
	/** Of the unpacked package, before it's published. */
	change?(folder: string): void;
}

export async function startRegistry() {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'registry-'));
	const file = path.join(folder, 'config.yaml');
	fs.writeFileSync(file, config(path.join(folder, 'storage')));
	const host = `127.0.0.1:${await freePort()}`;
	const url = `http://${host}/`;
	// npm asks for a token before it publishes; the server takes any.
	const npmrc = path.join(folder, '.npmrc');
	fs.writeFileSync(npmrc, `registry=${url}\n//${host}/:_authToken=anybody\n`);

	const child = await start(n8nNode(), [SERVER, '--config', file, '--listen', host], {
		cwd: folder,
	});
	const answers = async () => (await fetch(`${url}-/ping`).catch(() => undefined))?.ok;
	await poll(answers, { child, what: 'the registry to answer' });

	return {
		url,
		/** Publishes the contents of a tarball under another name and version. */
		async publish({ tarball, name, version, change }: Published) {
			const unpacked = fs.mkdtempSync(path.join(folder, 'unpacked-'));
			await run('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);
			const manifest = path.join(unpacked, 'package.json');
			const content = JSON.parse(fs.readFileSync(manifest, 'utf8')) as object;
			fs.writeFileSync(manifest, JSON.stringify({ ...content, name, version }));
			change?.(unpacked);
			// The package itself insists on a provenance statement, which only the release workflow can get.
			await npm(['publish', '--ignore-scripts', '--provenance=false', '--userconfig', npmrc], {
				cwd: unpacked,
			});
		},
		async stop() {
			await child.stop();
			fs.rmSync(folder, { recursive: true, force: true });
		},
	};
}
