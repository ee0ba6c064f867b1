/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/**
 * The key store in a simulated n8n of 2 to 32 processes: with random delays, pauses, crashes,
 * cancellations and database errors, every claim is judged by what really became of its message. A
 * million of them (CLAIMS=1000000) take ten minutes.
 */
import type { Claim } from '../../nodes/OutboundMessaging/delivery/keys/keyStore';
import { KeyStore } from '../../nodes/OutboundMessaging/delivery/keys/keyStore';
import type { Journey } from '../unit/delivery/keyStore/world';
import { Database, Process, randomFrom, World } from '../unit/delivery/keyStore/world';
import { SEED } from './seed';

const CLAIMS = Number(process.env.CLAIMS ?? 8_000);
/** How long a key is held at most: longer than a request takes, until its end is written. */
const HOLD_MS = 60_000;
const SHORT_HOLD_MS = 10_000;
const LONGEST_PAUSE_MS = 25_000;

/** What really became of the message of a key. */
interface Truth {
	state: 'free' | 'inFlight' | 'accepting' | 'accepted' | 'releasing' | 'uncertain';
	sender?: Process;
	/** Whether the one that is sent now was uncertain before. */
	isResend?: boolean;
	/** How often the customer has got it. */
	delivered: number;
	isAccepted: boolean;
	resent: number;
	/**
	 * Calls about this key that failed, or are under way, or whose process was killed: the
	 * store may know less.
	 */
	unclear: number;
}

const UNSENT = { state: 'free', delivered: 0, isAccepted: false, resent: 0, unclear: 0 } as const;

type Tally = { claims: number; outcomes: Record<string, number>; mistakes: string[] };

async function simulate(seed: number, tally: Tally): Promise<void> {
	const random = randomFrom(seed);
	jest.spyOn(Math, 'random').mockImplementation(random);
	const chance = (probability: number) => random() < probability;
	const between = (least: number, most: number) => least + Math.floor(random() * (most - least));
	const oneOf = <T>(choices: T[]) => choices[between(0, choices.length)];

	const world = new World();
	/**
	 * Everyone wants the same few keys, nearly all messages are rejected, waits are
	 * short, and all resend.
	 */
	const isCrowded = chance(0.5);
	const unlessCrowded = (value: number) => (isCrowded ? 0 : value);
	/** How rough it is here: not all dangers in every world, so that each is met alone as well. */
	const danger = {
		slow: unlessCrowded(oneOf([0, 0.01])),
		pause: unlessCrowded(oneOf([0, 0.0005])),
		crash: unlessCrowded(oneOf([0, 0.0005])),
		error: unlessCrowded(oneOf([0, 0, 0.003])),
		mute: unlessCrowded(oneOf([0, 0, 0.0002])),
		/** How long the database is gone, in milliseconds. */
		outage: unlessCrowded(oneOf([0, 0, 0, 10_000, 10_000, 200_000])),
		rejected: isCrowded ? 0.95 : oneOf([0.2, 0.2, 0.8]),
		/** That a message which wasn't delivered is uncertain, and not rejected. */
		unsure: isCrowded ? 0.02 : 0.2,
	};
	const holdMs = isCrowded ? SHORT_HOLD_MS : HOLD_MS;
	const hasErrors = danger.error > 0 || danger.mute > 0 || danger.outage > 0;
	let isCalm = false;
	const journey = (): Journey => {
		if (isCalm) return { there: 1, back: 1 };
		const delay = () => (chance(danger.slow) ? between(100, 4_000) : between(1, 5));
		return {
			there: delay(),
			back: delay(),
			fails: chance(danger.error) ? oneOf(['before', 'after'] as const) : undefined,
			isMute: chance(danger.mute),
		};
	};
	const database = new Database(world, journey);
	const count = isCrowded ? between(1, 30) : between(20, 400);
	const keys = Array.from({ length: count }, (_, index) => `key ${index}`);
	const truths = new Map(keys.map((key) => [key, { ...UNSENT } as Truth]));
	const truthOf = (key: string) => truths.get(key)!;
	const mistake = (what: string, key: string) =>
		tally.mistakes.push(`seed ${seed}, ${Math.round(world.now)} ms, ${key}: ${what}`);

	const judge = (claim: Claim, name: string) => {
		const { state, sender, isResend, isAccepted, unclear } = truthOf(name);
		tally.outcomes[claim] = (tally.outcomes[claim] ?? 0) + 1;
		// Whoever looks adds a mark, and after an error of the database it stays.
		if (hasErrors) truthOf(name).unclear++;
		const isSentNow = state === 'inFlight' && sender?.isAlive === true;
		if (claim === 'claimed') {
			if (isSentNow && !isResend) mistake('two are sending it', name);
			const mayBeFree = ['free', 'releasing'].includes(state) || (isSentNow && isResend);
			if (!mayBeFree) mistake(`claimed: ${state}`, name);
		}
		if (claim === 'alreadySent' && !isAccepted) mistake('lost without a name', name);
		const isClear = state === 'free' || state === 'accepted';
		if (claim === 'uncertain' && !unclear && isClear) mistake(`uncertain: ${state}`, name);
	};

	const send = async (
		name: string,
		process: Process,
		store: KeyStore,
		isCanceled: () => boolean,
	) => {
		const truth = truthOf(name);
		tally.claims++;
		const noted = async <T>(call: Promise<T>) => {
			truth.unclear++;
			const result = await call;
			truth.unclear--;
			return result;
		};
		try {
			const claim = await noted(store.claim({ key: name }, isCanceled));
			judge(claim, name);
			const isResend = claim === 'uncertain' && (isCrowded || chance(0.2));
			if (claim !== 'claimed' && !isResend) return;
			if (isResend) {
				truth.resent++;
				await noted(store.end('markUncertain', { key: name }));
			}
			const isOnly = truth.state !== 'inFlight';
			Object.assign(truth, { state: 'inFlight', sender: process });
			truth.isResend = isResend || !isOnly;
			await process.clock.sleep(between(5, 100));
			const isTaken = !chance(danger.rejected);
			if (isTaken) truth.delivered++;
			await process.clock.sleep(between(5, 100));
			const isMine = () => truth.sender === process;
			if (isTaken && chance(0.95)) {
				Object.assign(truth, { isAccepted: true, state: 'accepting' });
				await noted(store.end('accept', { key: name }));
				truth.state = 'accepted';
			} else if (isTaken || isResend || chance(danger.unsure)) {
				if (isMine()) truth.state = 'uncertain';
				await noted(store.end('markUncertain', { key: name }));
			} else {
				if (isMine()) truth.state = 'releasing';
				await noted(store.end('release', { key: name }));
				if (isMine() && truth.state === 'releasing') truth.state = 'free';
			}
		} catch {
			// Nothing more is known of the key, and nothing was sent without a claim.
		}
	};

	const processes: Process[] = [];
	const start = () => {
		const process = new Process(`${seed}/${processes.length}`, world);
		processes.push(process);
		return process;
	};
	const storeOf = (process: Process) =>
		new KeyStore(database.storeOf(process), process.clock, process.name, 10_000, holdMs);

	/** One execution after the other; the list of each is a part of the keys, in any order. */
	const work = async (process: Process, executions: number) => {
		for (let execution = 0; execution < executions; execution++) {
			const store = storeOf(process);
			const cancelAt = chance(0.1) ? world.now + between(0, 3_000) : Infinity;
			const isCanceled = () => world.now >= cancelAt;
			const list = keys.filter(() => isCrowded || chance(0.2)).sort(() => random() - 0.5);
			const workers = Array.from({ length: between(1, 20) }, async () => {
				for (let key = list.pop(); key !== undefined && !isCanceled(); key = list.pop()) {
					await send(key, process, store, isCanceled);
				}
			});
			await Promise.all(workers);
		}
	};

	/** A process that is killed is followed by another. */
	const supervise = async (executions: number) => {
		for (let left = executions; left > 0; ) {
			const process = start();
			let pausesAgainAt = 0;
			const isKilled = new Promise<boolean>((resolve) => {
				const watch = () => {
					if (isCalm) return;
					if (chance(danger.crash * 100)) {
						process.kill();
						return world.at(1, () => resolve(true));
					}
					if (world.now > pausesAgainAt && chance(danger.pause * 100)) {
						process.pause(between(100, LONGEST_PAUSE_MS));
						pausesAgainAt = world.now + 100_000;
					}
					world.at(100, watch);
				};
				world.at(100, watch);
			});
			if (!(await Promise.race([isKilled, work(process, left).then(() => false)]))) return;
			left--;
		}
	};

	if (danger.outage) {
		world.at(between(500, 5_000), () => {
			database.isGone = !isCalm;
			world.at(danger.outage, () => (database.isGone = false));
		});
	}
	const executions = isCrowded ? 5 : 2;
	const supervisors = Array.from({ length: between(2, 33) }, () => executions);
	await world.until(Promise.all(supervisors.map(supervise)));

	// Whoever was killed may have left the lock. In the end, everyone has the message or is named.
	isCalm = true;
	database.isGone = false;
	const last = start();
	const store = storeOf(last);
	const finish = async (name: string) => {
		tally.claims++;
		judge(await store.claim({ key: name }, () => false, 0), name);
		const { delivered, resent } = truthOf(name);
		if (delivered > 1 + resent) mistake(`delivered ${delivered} times`, name);
	};
	await world.until(Promise.all(keys.map(finish)));
	for (const name of database.overwritten) mistake('two held the lock', name);
	if (database.rows.has('workflow')) await world.until(last.clock.sleep(1_000));
	if (database.rows.has('workflow')) mistake('the lock is left', 'lock');
}

afterEach(() => jest.restoreAllMocks());
// Many times what they take: other tests may keep the machine busy.
jest.setTimeout(60_000 + 20 * CLAIMS);

it(`${CLAIMS} claims: no two holders, no two winners, no customer lost unnamed`, async () => {
	const tally: Tally = { claims: 0, outcomes: {}, mistakes: [] };
	for (let seed = SEED; tally.claims < CLAIMS && tally.mistakes.length < 5; seed++)
		await simulate(seed, tally);
	const { outcomes, mistakes } = tally;
	expect(mistakes).toEqual([]);
	for (const claim of ['claimed', 'alreadySent', 'uncertain', 'stopped'])
		expect(outcomes[claim]).toBeGreaterThan(0);
});
