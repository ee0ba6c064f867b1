/**
 * `node scripts/start.js scripts/releaseCheck.cts <tag>`: whether what is checked out is the version that the tag promises. The release
 * workflow runs it before it packs: lifecycle scripts such as `prepublishOnly` are off in this project.
 */
import fs from 'node:fs';
import path from 'node:path';
import * as paths from './lib/paths.cts';

const read = (file: string) => fs.readFileSync(path.join(paths.root, file), 'utf8');

/** What keeps this version from being published. */
function findProblems(tag: string | undefined): string[] {
	const { version, author } = JSON.parse(read('package.json')) as {
		version: string;
		author: { email: string };
	};
	const { version: locked } = JSON.parse(read('package-lock.json')) as { version: string };
	const problems: string[] = [];
	if (tag !== version)
		problems.push(`The tag is "${tag}", but package.json has version ${version}.`);
	if (locked !== version)
		problems.push(`package-lock.json has version ${locked}: run npm install.`);
	if (!read('CHANGELOG.md').includes(`\n## [${version}]`)) {
		problems.push(
			`CHANGELOG.md has no heading for ${version}: move the unreleased entries under it.`,
		);
	}
	if (/[@.]example(\.\w+)?$/.test(author.email)) {
		problems.push(
			`The author's email address is ${author.email}, which no one reads: enter the owner's in package.json.`,
		);
	}
	return problems;
}

const problems = findProblems(process.argv[2]);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length ? 1 : 0;
