import type { Pace } from './nodeState';
import type { KeyStore } from './keys/keyStore';
import type { FirstRequest } from './firstRequest';
import type { Ledger } from './ledger';
import type { Message, Failed, Outcome, Send } from './message';
import type { RateLimiter } from './rateLimiter';

export type OnUncertainDelivery = 'doNotResend' | 'resend';

/** How messages are sent, and with what. Times are in milliseconds. */
export interface SendSettings {
	send: Send;
	ledger: Ledger;
	/** Missing when no message has a key. */
	keyStore?: KeyStore;
	maxConcurrency: number;
	/** 0 for no pacing. */
	messagesPerSecond: number;
	pace: Pace;
	rateLimitWait: number;
	/**
	 * The longest wait for a key that another execution holds; without it, as long as a
	 * key can be held.
	 */
	keyWait?: number;
	/** Whether anything of this execution was accepted since something was uncertain. */
	isServiceUp(): boolean;
	/** What becomes of a message that may have been sent earlier. */
	onUncertainDelivery: OnUncertainDelivery;
	stopOnFailure: boolean;
	isCanceled(): boolean;
	/** Why nothing may be sent from the beginning. */
	stopReason(): Failed | undefined;
	/**
	 * Asked when a message's turn comes, and again once its keys are claimed. An outcome means that
	 * it must not be sent.
	 */
	endedBy(message: Message, moment: 'due' | 'claimed'): Outcome | undefined;
	/** Whether a message must wait for others, which may end without being sent. */
	mustWait(message: Message): boolean;
	/** Told how each message ended. What it returns ends the run. */
	onOutcome(outcome: Outcome, message: Message): Failed | undefined;
	/** Told of what went wrong without changing the outcome of a message. */
	onProblem(problem: string): void;
}

/** A delivery that has begun. */
export interface Sending extends SendSettings {
	rateLimiter: RateLimiter;
	firstRequest: FirstRequest;
	shouldStop(): boolean;
	/** What must end before the run does, but not before the next message starts. */
	background: Array<Promise<void>>;
}
