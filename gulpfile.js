/**
 * Assembles dist: one bundle for the node, one for the credential, the codex, the output schemas
 * and the icons. Nothing else gets in: `n8n-node build` would copy every picture of the project and
 * leave a build-info file.
 */
const { spawn } = require('node:child_process');
const { realpathSync } = require('node:fs');
const { readFile, rm, writeFile } = require('node:fs/promises');
const { build } = require('esbuild');
const { dest, parallel, series, src, watch } = require('gulp');
const { n8n } = require('./package.json');

/** Runs a tool as a task; it fails when the tool ends badly. */
const tool = (name, ...args) => {
	const script = realpathSync(`node_modules/.bin/${name}`);
	const run = () => spawn(process.execPath, [script, ...args], { stdio: 'inherit' });
	return Object.assign(run, { displayName: [name, ...args.slice(0, 2)].join(' ') });
};

const clean = () => rm('dist', { recursive: true, force: true });

const checkTypes = tool('tsc');

const sourceOf = (file) => file.replace(/^dist\//, '').replace(/\.js$/, '.ts');

/**
 * Libraries are bundled, since n8n installs a community node without dependencies. Not minified:
 * n8n's reviewers read it.
 */
async function bundle() {
	const { metafile } = await build({
		entryPoints: [...n8n.nodes, ...n8n.credentials].map(sourceOf),
		outbase: '.',
		outdir: 'dist',
		bundle: true,
		external: ['n8n-workflow'],
		platform: 'node',
		target: 'node20',
		format: 'cjs',
		charset: 'utf8',
		metafile: true,
		logLevel: 'warning',
	});
	await writeNotices(Object.keys(metafile.inputs));
}

/** Where libphonenumber-js has its data from. */
const GOOGLE = `libphonenumber, the data in libphonenumber-js (Apache-2.0)

Copyright (C) Google Inc. Licensed under the Apache License, Version 2.0: \
https://www.apache.org/licenses/LICENSE-2.0
`;

/** Names each bundled library with its license, for whoever gets the package. */
async function writeNotices(inputs) {
	const libraries = new Set(
		inputs.flatMap((file) => /.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []),
	);
	const sections = await Promise.all(
		[...libraries].sort().map(async (folder) => {
			const { name, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
			const text = await readFile(`${folder}/LICENSE`, 'utf8');
			return `${name} (${license})\n\n${text.trim()}\n`;
		}),
	);
	const introduction = 'The files in dist contain code of these libraries:\n';
	await writeFile(
		'dist/THIRD_PARTY_NOTICES',
		[introduction, ...sections, GOOGLE].join('\n---\n\n'),
	);
}

/** What n8n reads besides code: the codex, the output schemas and the icons. */
const copy = () =>
	src(['nodes/**/*.json', 'icons/*.svg'], { base: '.', encoding: false }).pipe(dest('dist'));

const assemble = parallel(bundle, copy);

const TOOLS = ['-c', 'eslint.tools.config.mjs'];
const SPELLING = ['--config', '.vscode/cspell.json', '--no-progress', '--no-summary'];

/** All that reads code. */
exports.lint = parallel(
	tool('n8n-node', 'lint'),
	tool('eslint', ...TOOLS, '.'),
	tool('tsc', '-p', 'tsconfig.tools.json'),
	tool('prettier', '--check', '.'),
	tool('cspell', ...SPELLING),
);
exports.fix = series(
	tool('n8n-node', 'lint', '--fix'),
	tool('eslint', ...TOOLS, '--fix', '.'),
	tool('prettier', '--write', '--log-level=warn', '.'),
);

const TYPES = 'sandbox/wireFormat.cts';
const writeDocs = async () => {
	process.env.WRITE_DOCS = 'true';
};
/** What is generated: types of the wire format, and what tests write in place of comparing it. */
exports.docs = series(
	tool(
		'openapi-typescript',
		...['sandbox/openapi.yaml', '-o', TYPES, '--root-types', '--root-types-no-schema-prefix'],
	),
	tool('prettier', '--write', TYPES),
	writeDocs,
	tool(
		'jest',
		'--selectProjects',
		'docs',
		'--testPathPatterns',
		'layout|parametersAsJson|reference|statuses',
	),
);

exports.build = series(clean, parallel(checkTypes, assemble));
/** `npm run dev`: each saved change, without a look at its types, to where an n8n loads it. */
exports.reload = () => {
	const install = () => src('dist/**', { encoding: false }).pipe(dest(process.env.OUTBOUND_DIST));
	watch(['nodes/**', 'credentials/**', 'icons/**'], series(assemble, install));
};
exports.default = exports.build;
