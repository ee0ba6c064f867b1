/** The raw results of the last runs, so that a report can be written once more. */
const fs = require('node:fs');
const path = require('node:path');
const paths = require('../../scripts/lib/paths.cts');

const FOLDER = path.join(paths.tmp, 'bench');
const WHOLE = path.join(FOLDER, 'results.json');
const PARTIAL = path.join(FOLDER, 'results-partial.json');

/** @param {import('./results').Results} results */
function keep(results, { whole }) {
	fs.mkdirSync(FOLDER, { recursive: true });
	fs.writeFileSync(whole ? WHOLE : PARTIAL, JSON.stringify(results, null, '\t'));
	return results;
}

/** @returns {import('./results').Results} of the last whole run */
function kept() {
	if (!fs.existsSync(WHOLE)) throw new Error('There is no whole run yet: npm run bench');
	return JSON.parse(fs.readFileSync(WHOLE, 'utf8'));
}

module.exports = { keep, kept, FOLDER };
