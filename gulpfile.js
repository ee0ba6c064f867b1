/**
 * Assembles dist: one bundle for the node, one for the credential, the codex, the output schemas and the icons; nothing
 * else gets in.
 * (`n8n-node build` would copy every picture of the project and leave a build-info file.)
 */
const { execFile, spawn } = require('node:child_process');
const { realpathSync } = require('node:fs');
const { mkdir, readFile, rm, writeFile } = require('node:fs/promises');
const { promisify } = require('node:util');
const { build, transform } = require('esbuild');
const { dest, parallel, series, src, watch } = require('gulp');
const { parse } = require('yaml');
const { n8n } = require('./package.json');

const clean = () => rm('dist', { recursive: true, force: true });

const checkTypes = () =>
	promisify(execFile)(process.execPath, [require.resolve('typescript/bin/tsc')]).catch((error) => {
		throw new Error(error.stdout || error.message);
	});

const sourceOf = (file) => file.replace(/^dist\//, '').replace(/\.js$/, '.ts');

/** Where libphonenumber's data of a country has the patterns for printing numbers. */
const FORMATS = 4;
/** They're left out: the node only reads numbers, and they're a tenth of the package. */
const withoutFormats = {
	name: 'without formats',
	setup: ({ onLoad }) =>
		onLoad({ filter: /libphonenumber-js\/metadata\.max\.json\.js$/ }, async ({ path }) => {
			const metadata = JSON.parse(await readFile(path.replace(/\.js$/, ''), 'utf8'));
			for (const country of Object.values(metadata.countries)) country[FORMATS] = [];
			return { contents: `export default ${JSON.stringify(metadata)}` };
		}),
};

/** The comments of the libraries stay with the libraries. Their code is printed again by the bundler, as readable as ours. */
const withoutComments = {
	name: 'without comments',
	setup: ({ onLoad }) =>
		onLoad({ filter: /[\\/]node_modules[\\/].*\.js$/ }, async ({ path }) => {
			const { code } = await transform(await readFile(path, 'utf8'), {
				minifySyntax: true,
				minifyWhitespace: true,
			});
			return { contents: code };
		}),
};

/** libphonenumber's other build of the same sources: classes as they are, without what older browsers need in their place. */
const withModernClasses = {
	name: 'modern classes',
	setup: ({ onResolve, resolve }) =>
		onResolve({ filter: /\/es6\// }, ({ path, importer, kind, resolveDir }) =>
			resolve(path.replace('/es6/', '/es6-modern/'), { importer, kind, resolveDir }),
		),
};

/** Libraries are bundled, since n8n installs a community node without dependencies. Not minified: n8n's reviewers read it. */
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
		plugins: [withoutFormats, withoutComments, withModernClasses],
		logLevel: 'warning',
	});
	await writeNotices(Object.keys(metafile.inputs));
}

/** Where libphonenumber-js has its data from. */
const GOOGLE = `libphonenumber, the data in libphonenumber-js (Apache-2.0)

Copyright (C) Google Inc. Licensed under the Apache License, Version 2.0: https://www.apache.org/licenses/LICENSE-2.0
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

const codex = () => src('nodes/**/*.node.json', { base: '.' }).pipe(dest('dist'));

/** Where n8n looks for the output schemas of version 1 of the node: by its resource and operation. */
const SCHEMAS = 'dist/nodes/OutboundMessaging/__schema__/v1.0.0/message';

/** What each operation puts out for an accepted message: the editor offers these fields before anything was sent. */
async function outputSchemas() {
	const { paths, components } = parse(await readFile('sandbox/openapi.yaml', 'utf8'));
	const fieldsOf = ({ $ref, type, const: value, properties }) => {
		if ($ref) return fieldsOf(components.schemas[$ref.split('/').pop()]);
		if (type !== 'object') return { type: type ?? typeof value };
		const fields = Object.entries(properties).map(([name, field]) => [name, fieldsOf(field)]);
		return { type, properties: Object.fromEntries(fields) };
	};
	await mkdir(SCHEMAS, { recursive: true });
	for (const { post } of Object.values(paths)) {
		const [, kind] = /^send_(\w+)_message$/.exec(post.operationId);
		const operation = `send${kind[0].toUpperCase()}${kind.slice(1)}`;
		const record = fieldsOf(post.responses['200'].content['application/json'].schema);
		await writeSchema(operation, record);
		if (operation === 'sendText') {
			await writeSchema('sendAndWait', { type: 'object', properties: { data: ANSWER, record } });
		}
	}
}

/** What a person answers, in each of the ways to answer. */
const ANSWER = {
	type: 'object',
	properties: {
		approved: { type: 'boolean' },
		choice: { type: 'string' },
		choiceIndex: { type: 'integer' },
		text: { type: 'string' },
		respondedAt: { type: 'string' },
		timedOut: { type: 'boolean' },
	},
};

async function writeSchema(operation, fields) {
	const schema = JSON.stringify({ ...fields, version: 1 }, null, '\t');
	await writeFile(`${SCHEMAS}/${operation}.json`, `${schema}\n`);
}

const icons = () => src('icons/*.svg', { base: '.', encoding: false }).pipe(dest('dist'));

const assemble = parallel(bundle, codex, outputSchemas, icons);

/** Runs a tool as a task; it fails when the tool ends badly. */
const tool = (name, ...args) => {
	const script = realpathSync(`node_modules/.bin/${name}`);
	const run = () => spawn(process.execPath, [script, ...args], { stdio: 'inherit' });
	return Object.assign(run, { displayName: [name, ...args.slice(0, 2)].join(' ') });
};

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
const writeDocs = async () => void (process.env.WRITE_DOCS = 'true');
/** What is generated: types of the wire format, and what tests write in place of comparing it. */
exports.docs = series(
	tool(
		'openapi-typescript',
		...['sandbox/openapi.yaml', '-o', TYPES, '--root-types', '--root-types-no-schema-prefix'],
	),
	tool('prettier', '--write', TYPES),
	writeDocs,
	tool('jest', '--selectProjects', 'docs', '--testPathPatterns', 'layout|reference'),
);

exports.build = series(clean, parallel(checkTypes, assemble));
/** `npm run dev`: each saved change, without a look at its types, to where an n8n loads it. */
exports.reload = () => {
	const copy = () => src('dist/**', { encoding: false }).pipe(dest(process.env.OUTBOUND_DIST));
	watch(['nodes/**', 'credentials/**', 'icons/**'], series(assemble, copy));
};
exports.default = exports.build;
