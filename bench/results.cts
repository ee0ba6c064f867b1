/** All rivals through all scenarios, interleaved, and questions to the results. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { max, median, min } from 'simple-statistics';
import { duration, log } from '../scripts/lib/log.cts';
import * as paths from '../scripts/lib/paths.cts';
import { n8nNode } from '../scripts/lib/setup.cts';
import { openEnvironment } from './environment.cts';
import { measure, type Measurement } from './measure.cts';
import { RIVALS, type RivalName } from './rivals.cts';
import { idOf, titleOf, type Scenario } from './scenarios.cts';

const WARM_UP_ITEMS = 100;
/** Between two runs, so that what n8n does after a run isn't on the bill of the next. */
const REST_MS = 500;

export interface Run {
	scenario: string;
	rival: RivalName;
	round: number;
	measured?: Measurement;
	/** Why there is no measurement. */
	problem?: string;
}

export interface Results {
	setting: ReturnType<typeof describeSetting> & { rounds: number; minutes: number };
	scenarios: Scenario[];
	runs: Run[];
}

export async function race(scenarios: Scenario[], rounds: number): Promise<Results> {
	const started = Date.now();
	const plan = planOf(scenarios, rounds);
	const environment = await openEnvironment();
	try {
		let client = await environment.signIn();
		const warmUp = (scenario: Scenario, rival: RivalName) =>
			measure(environment, client, { ...scenario, size: WARM_UP_ITEMS, latency: 0 }, rival);
		// The first run of a process is slow for whoever has it.
		log('  Warming up …');
		for (const { scenario, rival } of plan.filter(({ round }) => round === 1)) {
			if (scenario.kind !== 'memory') await warmUp(scenario, rival);
		}

		const runs: Run[] = [];
		const begun = Date.now();
		for (const [index, { scenario, rival, round }] of plan.entries()) {
			const left = ((Date.now() - begun) / index) * (plan.length - index);
			log(
				`  ${index + 1} of ${plan.length}${index > 2 ? `, about ${duration(left)} left` : ''}: ${titleOf(scenario)}, ${RIVALS[rival].label}`,
			);
			if (scenario.kind === 'memory') {
				await environment.n8n.restart();
				client = await environment.signIn();
				await warmUp(scenario, rival);
			}
			await sleep(REST_MS);
			// A run that breaks doesn't end the others.
			const outcome = await measure(environment, client, scenario, rival).then(
				(measured) => ({ measured }),
				({ message }: Error) => ({ problem: message }),
			);
			if ('problem' in outcome) log(`    failed: ${outcome.problem}`);
			runs.push({ scenario: idOf(scenario), rival, round, ...outcome });
		}
		const minutes = (Date.now() - started) / 60_000;
		return { setting: { ...describeSetting(), rounds, minutes }, scenarios, runs };
	} finally {
		await environment.stop();
	}
}

/**
 * Round by round, so that a slow minute of the machine meets everyone; every round in another order. Those that
 * restart n8n come last.
 */
function planOf(scenarios: Scenario[], rounds: number) {
	const isMemory = ({ kind }: Scenario) => kind === 'memory';
	return [scenarios.filter((each) => !isMemory(each)), scenarios.filter(isMemory)].flatMap((some) =>
		Array.from({ length: rounds }, (_, index) => index + 1).flatMap((round) =>
			some
				.filter((scenario) => round <= (scenario.rounds ?? rounds))
				.flatMap((scenario) =>
					inOrder(scenario.rivals, round).map((rival) => ({ scenario, rival, round })),
				),
		),
	);
}

function inOrder<T>(rivals: T[], round: number): T[] {
	const shift = (round >> 1) % rivals.length;
	const shifted = [...rivals.slice(shift), ...rivals.slice(0, shift)];
	return round % 2 ? shifted : shifted.reverse();
}

/** On what the numbers were taken. */
function describeSetting() {
	const [cpu, ...others] = os.cpus();
	const manifest = path.join(paths.n8n, 'node_modules/n8n/package.json');
	return {
		date: new Date().toISOString().slice(0, 10),
		cpu: cpu.model.trim(),
		cores: others.length + 1,
		memoryGb: Math.round(os.totalmem() / 2 ** 30),
		node: execFileSync(n8nNode(), ['--version'], { encoding: 'utf8' }).trim().slice(1),
		n8n: (JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string }).version,
	};
}

export interface Spread {
	median: number;
	min: number;
	max: number;
}

/** @returns undefined when nothing is known */
function spread(values: Array<number | undefined>): Spread | undefined {
	const known = values.filter((value) => value !== undefined);
	if (known.length === 0) return undefined;
	return { median: median(known), min: min(known), max: max(known) };
}

/** Questions to the collected runs. Failed runs are never part of a number. */
export function ask({ runs }: Results) {
	const runsOf = (scenario: Scenario, rival: RivalName) =>
		runs.filter((run) => run.scenario === idOf(scenario) && run.rival === rival);
	return {
		of: (scenario: Scenario, rival: RivalName, what: keyof Measurement) =>
			spread(runsOf(scenario, rival).map(({ measured }) => measured?.[what])),
		/** How many times as fast ours is, by the runs of the same round. */
		faster: (scenario: Scenario, than: RivalName) =>
			spread(
				runsOf(scenario, 'ours').map(({ round, measured }) => {
					const other = runsOf(scenario, than).find((run) => run.round === round)?.measured;
					return measured && other && other.ms / measured.ms;
				}),
			),
	};
}
