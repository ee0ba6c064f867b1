/** The command line. */
const { parseArgs } = require('node:util');
const { CONTESTANTS } = require('./contestants');
const { SPECIALS, WORKS } = require('./matrix');

const people = Object.keys(CONTESTANTS);
const kinds = [...WORKS, ...SPECIALS];

const HELP = `Usage: npm run bench -- [options]

  --quick              small sizes, one round: under 3 minutes
  --only <names>       separated by commas, contestants (${people.join(', ')})
                       and kinds of work (${kinds.join(', ')})
  --rounds <number>    how often everything is measured                 3
  --sizes <numbers>    items, e.g. 100,1000
  --latencies <ms>     of the service, e.g. 0,50,200
  --no-write           leave docs and README alone
  --report             nothing is measured: write the last whole run once more
  --profile            no race: where the time of "ours" and "floor" (or of --only) goes, function by function
  --help               this text

A whole run (no --quick, --only, --sizes, --latencies) writes docs/performance.md, the charts beside it, and the
marked section of README.md. Any other run writes the same below .tmp/bench/ instead.`;

const DEFAULT_ROUNDS = 3;

/** @param {string[]} args */
function readFlags(args) {
	const { values } = parseArgs({
		args,
		options: {
			quick: { type: 'boolean', default: false },
			only: { type: 'string' },
			rounds: { type: 'string' },
			sizes: { type: 'string' },
			latencies: { type: 'string' },
			'no-write': { type: 'boolean', default: false },
			report: { type: 'boolean', default: false },
			profile: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	const { quick, report, profile, help } = values;
	const only = list(values.only);
	const unknown = only?.filter((name) => ![...people, ...kinds].includes(name)) ?? [];
	if (unknown.length) throw new Error(`--only does not know "${unknown.join('", "')}"\n\n${HELP}`);
	const sizes = numbers('--sizes', values.sizes, 1);
	const latencies = numbers('--latencies', values.latencies, 0);
	return {
		...{ quick, report, profile, help, only, sizes, latencies },
		rounds: numbers('--rounds', values.rounds, 1)?.[0] ?? (quick ? 1 : DEFAULT_ROUNDS),
		whole: !quick && !only && !sizes && !latencies,
		write: !values['no-write'],
	};
}

const list = (text) => text?.split(',').filter(Boolean);

const numbers = (name, text, least) =>
	list(text)?.map((part) => {
		const number = Number(part);
		if (Number.isInteger(number) && number >= least) return number;
		throw new Error(`${name} wants whole numbers from ${least} on, not "${part}"`);
	});

module.exports = { readFlags, HELP };
