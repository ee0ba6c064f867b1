/**
 * n8n's verification scan of one folder, in a process of its own: the scanner is an ES module, and its rules
 * want to be loaded by Node itself.
 *
 *   node --import tsx scan.mts source|package <folder>
 */
interface Scanner {
	analyzePackage(folder: string, patterns: string[]): Promise<Verdict>;
	SOURCE_FILE_PATTERNS: string[];
}

export interface Verdict {
	passed: boolean;
	message?: string;
	details?: string;
}

export type Leg = 'source' | 'package';

// Named by a variable, because it has no types.
const module = '@n8n/scan-community-package/scanner/scanner.mjs';
const { analyzePackage, SOURCE_FILE_PATTERNS } = (await import(module)) as Scanner;

/** What the scanner looks at in the repository, and in the tarball that npm serves. */
const LEGS = { source: SOURCE_FILE_PATTERNS, package: ['**/*.js', 'package.json'] };

const [leg, folder] = process.argv.slice(2);
const { passed, message, details } = await analyzePackage(folder, LEGS[leg as Leg]);
console.log(JSON.stringify({ passed, message, details }));
