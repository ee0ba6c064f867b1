/** What this project has set itself, and whether it is reached. */
import { max, min } from 'simple-statistics';
import { ask, type Results } from './results.cts';
import { RIVALS, type RivalName } from './rivals.cts';
import { SAFEGUARDS, titleOf, type Goals } from './scenarios.cts';

/** Above what n8n does to itself when the bare floor runs in it. */
const MOST_PAUSE_MS = 60;
/** Time of a run with a safeguard, against one without. */
const MOST_SAFEGUARD_COST = 1.05;
/** From the least to the most, over all sizes. */
const MOST_GROWTH = 1.15;

export interface Verdict {
	goal: string;
	target: string;
	measured: string;
	isMet: boolean;
}

/** One verdict for each goal that these results say something about. */
export function judge(results: Results): Verdict[] {
	return [...speed(results), ...pause(results), ...safeguards(results), ...growth(results)];
}

function speed(results: Results): Verdict[] {
	const about = ask(results);
	return results.scenarios.flatMap((scenario) =>
		Object.entries(scenario.goals ?? {}).flatMap(([name, least]) => {
			const [value, unit] =
				name === 'limit'
					? [share(results, scenario), 'of the limit']
					: [about.faster(scenario, name as RivalName)?.median, '×'];
			if (value === undefined) return [];
			return {
				goal: `${titleOf(scenario)}: ${labelOf(name as keyof Goals)}`,
				target: `≥ ${least} ${unit}`,
				measured: `${value.toFixed(2)} ${unit}`,
				isMet: value >= least,
			};
		}),
	);
}

const labelOf = (name: keyof Goals) => (name === 'limit' ? 'share' : RIVALS[name].label);

/** Messages per second, of what messages in flight and latency allow. */
export function share(results: Results, scenario: Results['scenarios'][number]) {
	const { latency, inFlight } = scenario;
	if (latency === 0) return undefined;
	const perSecond = ask(results).of(scenario, 'ours', 'perSecond')?.median;
	return perSecond && perSecond / ((inFlight / latency) * 1000);
}

function pause(results: Results): Verdict[] {
	const about = ask(results);
	const [worst] = results.scenarios
		.flatMap((scenario) => {
			const [ours, floor] = (['ours', 'floor'] as const).map((rival) =>
				about.of(scenario, rival, 'pauseMs'),
			);
			return ours && floor ? { scenario, ms: ours.max - floor.max } : [];
		})
		.sort((left, right) => right.ms - left.ms);
	if (!worst) return [];
	return [
		{
			goal: `Longest pause of n8n, above that of the bare floor: ${titleOf(worst.scenario)}`,
			target: `≤ ${MOST_PAUSE_MS} ms`,
			measured: `${Math.round(worst.ms)} ms`,
			isMet: worst.ms <= MOST_PAUSE_MS,
		},
	];
}

function safeguards(results: Results): Verdict[] {
	const about = ask(results);
	return results.scenarios
		.filter(({ kind }) => kind === 'safeguards')
		.flatMap((scenario) =>
			SAFEGUARDS.flatMap((rival) => {
				const cost = about.faster(scenario, rival)?.median;
				if (cost === undefined) return [];
				return {
					goal: `${titleOf(scenario)}: time ${RIVALS[rival].label}`,
					target: `≤ ${MOST_SAFEGUARD_COST} ×`,
					measured: `${cost.toFixed(2)} ×`,
					isMet: cost <= MOST_SAFEGUARD_COST,
				};
			}),
		);
}

function growth(results: Results): Verdict[] {
	const about = ask(results);
	const scenarios = results.scenarios.filter(({ kind }) => kind === 'memory');
	return (['ms', 'memoryMb'] as const).flatMap((what) => {
		const perItem = scenarios.flatMap((scenario) => {
			const value = about.of(scenario, 'ours', what)?.median;
			return value === undefined ? [] : value / scenario.size;
		});
		if (perItem.length < 2) return [];
		const ratio = max(perItem) / min(perItem);
		const sizes = scenarios.map(({ size }) => size.toLocaleString('en')).join(', ');
		return {
			goal: `${what === 'ms' ? 'Time' : 'Memory'} per item at ${sizes} items: most to least`,
			target: `≤ ${MOST_GROWTH} ×`,
			measured: `${ratio.toFixed(2)} ×`,
			isMet: ratio <= MOST_GROWTH,
		};
	});
}
