/**
 * `releaseCheck.cts <tag>`: whether what is checked out is that version. The release workflow asks
 * before it packs.
 */
import fs from 'node:fs';
import path from 'node:path';
import * as paths from './lib/paths.cts';
import { author, version } from '../package.json';

const [, , tag] = process.argv;
const read = (file: string) => fs.readFileSync(path.join(paths.root, file), 'utf8');
const { version: locked } = JSON.parse(read('package-lock.json')) as { version: string };

/** What keeps this version from being published. */
const PROBLEMS: Array<[isThere: boolean, problem: string]> = [
	[tag !== version, `The tag is "${tag}", but package.json has version ${version}.`],
	[locked !== version, `package-lock.json has version ${locked}: run npm install.`],
	[
		!read('CHANGELOG.md').includes(`\n## [${version}]`),
		`CHANGELOG.md has no heading for ${version}: move the unreleased entries under it.`,
	],
	[
		/isn't on npm yet|Until the package is on npm/.test(
			read('README.md') + read('docs/installation.md'),
		),
		"README.md and docs/installation.md say that the package isn't on npm: take that out.",
	],
	[
		/[@.]example(\.\w+)?$/.test(author.email),
		`The author's email address is ${author.email}, which no one reads: enter the ` +
			"owner's in package.json.",
	],
];
for (const [isThere, problem] of PROBLEMS) {
	if (!isThere) continue;
	console.error(problem);
	process.exitCode = 1;
}
