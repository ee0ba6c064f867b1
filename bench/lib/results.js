/** Questions to the collected runs. Failed runs are never part of a number. */
const { spread } = require('./stats');

/**
 * @typedef {object} Results
 * @property {object} setting machine, versions, date
 * @property {object} idle readings of an n8n that has nothing to do
 * @property {import('./matrix').Case[]} cases
 * @property {(object & { caseId: string, contestant: string, round: number })[]} runs
 */

/** @param {Results} results */
function ask({ cases, runs }) {
	const good = runs.filter(({ problem }) => !problem);
	const runsOf = (caseId, contestant) =>
		good.filter((run) => run.caseId === caseId && run.contestant === contestant);

	return {
		caseOf: (id) => cases.find((each) => each.id === id),
		runsOf,
		problems: runs.filter(({ problem }) => problem),
		/** Median, least and most of what was measured; undefined where there is nothing. */
		of: (caseId, contestant, what) => spread(runsOf(caseId, contestant).map((run) => run[what])),
		/** How many times as fast as another, by the runs of the same round. */
		faster(caseId, contestant, other) {
			const others = new Map(runsOf(caseId, other).map((run) => [run.round, run]));
			return spread(
				runsOf(caseId, contestant)
					.filter(({ round }) => others.has(round))
					.map(({ round, ms }) => others.get(round).ms / ms),
			);
		},
	};
}

module.exports = { ask };
