/**
 * The n8n releases that `npm run test:compat` runs the end-to-end tests on: the oldest one that the
 * README names, the one that all other tests run on, and some between and after them.
 *
 * Their own dependencies are ranges, and some of them have since moved on to versions that no
 * longer fit: the overrides bring back what fits.
 */
import pinned from '../n8n/package.json';

export interface Release {
	n8n: string;
	/** Version of Node.js it runs on here. */
	node: string;
	overrides: Record<string, string | object>;
}

const COMMON = {
	// Not on the registry in the version asked for.
	xlsx: '0.18.5',
	linkedom: '0.18.12',
	'msgpackr-extract': '3.0.4',
};

/** Newer ones need a newer @langchain/core. */
const OLD_LANGCHAIN = { ...COMMON, '@langchain/langgraph-checkpoint': '1.0.0' };

const { node, n8n } = pinned.dependencies;
const { overrides } = pinned;

/** A release of today, whichever it is. */
export const recent = (version: string): Release => ({
	n8n: version,
	node,
	overrides: { ...COMMON, ...overrides },
});

export const releases: Release[] = [
	{ n8n: '1.123.81', node: '22.23.3', overrides: OLD_LANGCHAIN },
	{ n8n: '2.0.3', node, overrides: OLD_LANGCHAIN },
	// The first one with human review that can be installed.
	{ n8n: '2.6.4', node, overrides: OLD_LANGCHAIN },
	recent('2.36.8'),
	recent(n8n),
	recent('2.41.1'),
];
