/**
 * Assembles dist: the compiled code with its declarations, the codex and the icons; nothing else gets in.
 * (`n8n-node build` would copy every picture of the project and leave a build-info file.)
 */
const { execFile } = require('node:child_process');
const { rm } = require('node:fs/promises');
const { promisify } = require('node:util');
const { dest, parallel, series, src } = require('gulp');

const clean = () => rm('dist', { recursive: true, force: true });

const compile = () =>
	promisify(execFile)(process.execPath, [require.resolve('typescript/bin/tsc')]).catch((error) => {
		throw new Error(error.stdout || error.message);
	});

const codex = () => src('nodes/**/*.node.json', { base: '.' }).pipe(dest('dist'));

const icons = () => src('icons/*.svg', { base: '.', encoding: false }).pipe(dest('dist'));

exports.build = series(clean, parallel(compile, codex, icons));
exports.default = exports.build;
