import { sendWithRetries } from './sendWithRetries';
import type { EventLoop } from './eventLoop';
import { RateLimiter } from './rateLimiter';
import type { Memory } from './memory';
import type { Message } from './message';
import { dependencies } from './dependencies';
import type { Failed, Outcome } from './outcome';
import { isFailed } from './outcome';
import type { Send } from './port';
import { runPool } from './pool';
import type { KeyStore } from './keyStore';

/** How a run delivers its messages. Times are in milliseconds. */
export interface Delivery {
	send: Send;
	memory: Memory;
	/** Missing when no message has a key. */
	keyStore?: KeyStore;
	/** How long a key is waited for that another execution holds in flight. */
	keyWait: number;
	eventLoop: EventLoop;
	maxConcurrency: number;
	/** 0 for no pacing. */
	messagesPerSecond: number;
	rateLimitWait: number;
	/** Whether a message that an earlier try left uncertain is sent again. */
	resendUncertain: boolean;
	/** Whether the first failure ends the run. */
	stopOnFailure: boolean;
	cancelled(): boolean;
	/** Told of each message as it ends. */
	ended(outcome: Outcome): void;
}

/**
 * Delivers all messages of a run, each at most once.
 * @returns the outcome of each message, in the order of the messages
 */
export async function deliver(messages: Message[], run: Delivery): Promise<Outcome[]> {
	const outcomes: Outcome[] = [];
	let lastWord: Failed | undefined;
	const halted = () => lastWord !== undefined || run.cancelled();
	const rateLimiter = new RateLimiter(run.messagesPerSecond, run.eventLoop, halted);

	await runPool({
		dependencies: dependencies(messages.map(lanes)),
		maxInFlight: run.maxConcurrency,
		shouldStop: halted,
		run: async (position) => {
			const outcome = await deliverOne(messages[position], run, rateLimiter);
			if (outcome === undefined) return;
			outcomes[position] = outcome;
			if (isFailed(outcome) && endsRun(outcome, run)) lastWord ??= outcome;
			run.ended(outcome);
		},
	});
	return messages.map(
		(message, position) =>
			outcomes[position] ?? fromEarlierTry(message, run) ?? notAttempted(lastWord),
	);
}

/** What is known of a message whose turn did not come in this try. */
function fromEarlierTry(message: Message, { memory }: Delivery): Outcome | undefined {
	const known = memory.get(message);
	return known?.delivery === 'uncertain' ? leftAlone : known;
}

/** Messages to one recipient, and messages with one key, go one after the other. */
function lanes({ recipient, sendOnceKey }: Message): string[] {
	return sendOnceKey === undefined
		? [`to ${recipient}`]
		: [`to ${recipient}`, `key ${sendOnceKey}`];
}

/** What an earlier try left uncertain does not hold the others back. */
function endsRun(failed: Failed, { stopOnFailure }: Delivery): boolean {
	return failed.isFatal === true || (stopOnFailure && !failed.fromPreviousTry);
}

/** @returns undefined when the run was halted before the message left */
async function deliverOne(
	message: Message,
	run: Delivery,
	rateLimiter: RateLimiter,
): Promise<Outcome | undefined> {
	const { memory } = run;
	const known = memory.get(message);
	if (known?.delivery === 'accepted') return known;
	if (known && !run.resendUncertain) return leftAlone;

	const refusal = await claim(message, run);
	// An earlier try may have sent this message, whoever else has sent one with its key since.
	if (refusal) return known && refusal.delivery === 'skipped' ? leftAlone : refusal;

	const outcome = await sendWithRetries({
		rateLimiter,
		send: async () => await run.send(message.request),
		rateLimitWait: run.rateLimitWait,
		markInFlight: () => memory.markInFlight(message),
	});
	if (outcome?.delivery === 'accepted') memory.accepted(message, outcome.record);
	if (outcome?.delivery === 'accepted' || outcome?.delivery === 'uncertain') {
		await ended(message, run, outcome.delivery);
		return outcome;
	}

	// Certainly not sent in this try; whether the customer has it from an earlier one is as open as before.
	if (known) {
		await ended(message, run, 'uncertain');
		return outcome ? stillUncertain(outcome) : leftAlone;
	}
	memory.delete(message);
	return await released(message, run, outcome);
}

/** @returns why the message must not go now; undefined when nothing speaks against it */
async function claim(
	{ sendOnceKey: key }: Message,
	{ keyStore, keyWait, cancelled, resendUncertain }: Delivery,
): Promise<Outcome | undefined> {
	if (key === undefined || keyStore === undefined) return undefined;
	try {
		let claim = await keyStore.claim(key, keyWait, cancelled);
		if (claim === 'uncertain' && resendUncertain) {
			claim = await keyStore.reclaim(key, keyWait, cancelled);
		}
		if (claim === 'claimed') return undefined;
		if (claim === 'stopped') return notAttempted();
		return claim === 'uncertain' ? leftAlone : { delivery: 'skipped', sendOnceKey: key };
	} catch (error) {
		return {
			delivery: 'rejected',
			failure: {
				title: `Send Once Key could not be checked: ${String((error as Error).message)}`,
				description: 'Nothing was sent to this customer. Check the database of n8n, then run again',
			},
		};
	}
}

async function ended(
	{ sendOnceKey: key }: Message,
	{ keyStore }: Delivery,
	delivery: 'accepted' | 'uncertain',
): Promise<void> {
	if (key === undefined || keyStore === undefined) return;
	if (delivery === 'uncertain') await keyStore.markUncertain(key);
	// A later execution takes it for uncertain then: no reason to call an accepted message anything else.
	else await keyStore.markAccepted(key).catch(() => {});
}

async function released(
	{ sendOnceKey: key }: Message,
	{ keyStore }: Delivery,
	outcome: Failed | undefined,
): Promise<Failed | undefined> {
	if (key === undefined || keyStore === undefined) return outcome;
	try {
		await keyStore.release(key);
		return outcome;
	} catch (error) {
		const { failure } = outcome ?? notAttempted();
		return {
			delivery: 'rejected',
			failure: {
				...failure,
				title: `${failure.title}; its Send Once Key could not be released: ${String((error as Error).message)}`,
				description: `${failure.description}. The next run shows this item as uncertain, unless it gets another key`,
			},
		};
	}
}

const leftAlone: Failed = {
	delivery: 'uncertain',
	fromPreviousTry: true,
	failure: {
		title:
			'An earlier try sent this message without a clear answer; it may or may not have arrived, and was left alone',
		description:
			'Look the message up in the dashboard of the service. To send it again all the same, set On Uncertain Delivery under Options to Resend and retry',
	},
};

function stillUncertain({ failure, isFatal: ends }: Failed): Failed {
	return {
		delivery: 'uncertain',
		isFatal: ends,
		failure: {
			...failure,
			title: `An earlier try may have sent this message, and sending it again failed. ${failure.title}`,
		},
	};
}

function notAttempted(lastWord?: Failed): Failed {
	return {
		delivery: 'notAttempted',
		failure: {
			title:
				lastWord === undefined
					? 'The message was not attempted: the execution was canceled before its turn'
					: `The message was not attempted: the run ended before its turn. ${lastWord.failure.title}`,
			description:
				lastWord === undefined
					? 'Run the workflow again to send it'
					: `${lastWord.failure.description}. Then run this item again`,
			n8nCause: lastWord?.failure.n8nCause,
		},
	};
}
