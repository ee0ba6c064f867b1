/**
 * n8n's verification scan of one folder, in a process of its own: the scanner is an ES module, and its rules
 * want to be loaded by Node itself.
 *
 *   node scan.mjs source|package <folder>
 */
import {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';

/** What the scanner looks at in the repository, and in the tarball that npm serves. */
const LEGS = { source: SOURCE_FILE_PATTERNS, package: ['**/*.js', 'package.json'] };

const [leg, folder] = process.argv.slice(2);
const { passed, message, details } = await analyzePackage(folder, LEGS[leg]);
console.log(JSON.stringify({ passed, message, details }));
