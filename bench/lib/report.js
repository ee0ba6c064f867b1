/** Writes what was measured: a page, its charts, and the section of the README. */
const fs = require('node:fs');
const path = require('node:path');
const paths = require('../../scripts/lib/paths.cts');
const { charts } = require('./headline');
const { FOLDER } = require('./keep');
const { page, section } = require('./page');

const MARKS = /(<!-- performance -->)[\s\S]*?(<!-- \/performance -->)/;

/**
 * @param {import('./results').Results} results
 * @param {{ whole: boolean, write: boolean }} flags what is not whole stays out of the documentation
 * @returns {Promise<string[]>} the files that were written
 */
async function writeReport(results, { whole, write }) {
	if (!write) return [];
	const folder = whole ? path.join(paths.root, 'docs') : FOLDER;
	const files = Object.entries(charts(results)).map(([name, content]) =>
		save(path.join(folder, 'images', name), content),
	);
	files.push(save(path.join(folder, 'performance.md'), await tidy(page(results))));
	const readme = path.join(whole ? paths.root : FOLDER, 'README.md');
	if (!whole) save(readme, '<!-- performance -->\n<!-- /performance -->\n');
	if (fs.existsSync(readme) && MARKS.test(fs.readFileSync(readme, 'utf8'))) {
		const before = fs.readFileSync(readme, 'utf8');
		const inserted = `\n\n${section(results, whole ? 'docs/' : '')}\n\n`;
		const after = before.replace(MARKS, (_, open, close) => open + inserted + close);
		files.push(save(readme, await tidy(after)));
	}
	return files;
}

function save(file, content) {
	fs.mkdirSync(path.dirname(file), { recursive: true });
	fs.writeFileSync(file, content);
	return path.relative('', file);
}

/** As the formatter of this project would have it. */
async function tidy(markdown) {
	const prettier = require('prettier');
	const file = path.join(paths.root, 'README.md');
	const config = await prettier.resolveConfig(file);
	return await prettier.format(markdown, { ...config, parser: 'markdown' });
}

module.exports = { writeReport };
