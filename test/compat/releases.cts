/**
 * The further n8n releases that the node is tested on.
 *
 * Their own dependencies are ranges, and some of them have since moved on to versions that no longer fit:
 * the overrides bring back what fits. `node` is the version of Node.js they run on here.
 */
const COMMON = {
	// Not on the registry in the version asked for.
	xlsx: '0.18.5',
	linkedom: '0.18.12',
	'msgpackr-extract': '3.0.4',
	// Newer ones need a newer @langchain/core.
	'@langchain/langgraph-checkpoint': '1.0.0',
};

const DEGRADED = [
	"a tool that fails ends the AI Agent's run, unless its On Error is set to continue",
	'the marks for n8n itself on errors, such as how long to wait, have no effect',
];

export interface Release {
	n8n: string;
	/** Version of Node.js it runs on here. */
	node: string;
	overrides: Record<string, string>;
	/** What is different there. */
	degraded: string[];
}

export const releases: Release[] = [
	{
		n8n: '1.123.81',
		node: '22.23.3',
		overrides: COMMON,
		degraded: DEGRADED,
	},
	{
		n8n: '2.0.3',
		node: '24.21.0',
		overrides: COMMON,
		degraded: DEGRADED,
	},
];
