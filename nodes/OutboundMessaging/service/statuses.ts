import { type Failure, type ErrorText, twoLines } from '../common/failure';
import { type SendResult, CHECK_FIRST } from '../delivery/message';

/** What a status means. In its texts, … is the status. */
export interface Meaning extends ErrorText, Pick<Failure, 'mayRepeatEarlier' | 'n8nCause'> {
	/** What becomes of the message. */
	verdict: Exclude<SendResult['delivery'], 'accepted' | 'notAttempted'>;
	/** Every other message would be rejected as well. */
	isFatal?: boolean;
	/** What the credential's test says instead; missing if it says the same. */
	test?: Partial<ErrorText>;
	/** The service has judged the message itself, and so has accepted the key. */
	judgesMessage?: boolean;
}

export const means =
	(verdict: Meaning['verdict'], facts: Partial<Meaning> = {}) =>
	(...lines: Parameters<typeof twoLines>): Meaning => ({
		verdict,
		...facts,
		...twoLines(...lines),
	});

export const TRY_LATER =
	"Try again later. If the credential has never worked, check its 'Base URL'";
const LATER = { description: TRY_LATER };
const OTHER_SERVER = {
	test: twoLines`Something responds at this 'Base URL' (…), but not the messaging service
		Check its host and its path, which ends where /stable/open begins`,
};
const MAY_SEND = {
	description: "Check 'API Key' and 'API Key Header', and that the key may send messages",
};

/**
 * Causes, as n8n calls them. They're missing where only the service knows. The first
 * two are temporary.
 */
export const DOWN = { n8nCause: { cause: 'temporarily-unavailable' }, test: LATER } as const;
const LIMITED = { n8nCause: { cause: 'rate-limited' }, test: LATER } as const;
const NO_CREDIT = { n8nCause: { cause: 'quota-exhausted' } } as const;
const WRONG_KEY = { n8nCause: { cause: 'credential-invalid' } } as const;
export const MISCONFIGURED = { n8nCause: { cause: 'configuration-invalid' } } as const;

const judged = means('rejected', { judgesMessage: true });
const noCredit = means('rejected', { judgesMessage: true, ...NO_CREDIT });
const conflict = means('rejected', { judgesMessage: true, mayRepeatEarlier: true });
const keyRejected = means('rejected', { isFatal: true, ...WRONG_KEY });
const denied = means('rejected', { test: MAY_SEND, ...MISCONFIGURED });
const notFound = means('rejected', OTHER_SERVER);
const notTaken = means('rejected', { ...OTHER_SERVER, ...MISCONFIGURED });

/**
 * The service may have taken the message: after a 5xx, and where a gateway gave up waiting for it.
 */
const UNCERTAIN = means('uncertain', DOWN)`The service responded with status …
	${CHECK_FIRST}`;
/** What `success: false` means in a response with a status of 2xx. */
export const NOT_SENT = judged`The service responded that the message wasn't sent
	Check the customer and the content of this row`;
const ASKED_TO_WAIT = means('askedToWait', LIMITED)`The service is unavailable and asked to wait (…)
	Try again later, or increase 'Rate Limit Wait (Seconds)'`;

/** Every status that means something of its own. The others mean what their hundred means. */
const STATUSES: Record<number, Meaning | undefined> = {
	0: { ...UNCERTAIN, title: 'The service responded without a valid HTTP status' },
	303: { ...UNCERTAIN, title: 'The service redirected to a result (…)' },
	401: keyRejected`The service didn't accept the API key (…)
		Check 'API Key' in the credential, and that 'API Key Header' is the exact header name from the \
			service's API documentation`,
	402: noCredit`The service rejected the message (…)
		Top up the account in the service's dashboard, or wait until its limit resets`,
	403: denied`The service denied access (…)
		Check the customer of this row: the API key may not be allowed to send to them. If every row \
			is rejected this way, check 'API Key' and 'API Key Header' in the credential`,
	404: notFound`The service couldn't find this customer, template or channel (…)
		Check the IDs of this row. If every row is rejected this way, check 'Base URL' in the \
			credential: it ends where /stable/open begins`,
	405: notTaken`The service doesn't take messages at this URL (…)
		Check 'Base URL' in the credential: the messaging service doesn't respond this way`,
	407: means('rejected')`A proxy between n8n and the service asks for a sign-in (…)
		Ask your n8n admin to check the proxy settings of n8n`,
	408: UNCERTAIN,
	409: conflict`The service reported a conflict (…)
		Check the service's dashboard for an earlier message: this one may repeat it`,
	413: judged`The message is too large for the service (…)
		Shorten the text or the attributes of this row`,
	425: means('notSent', DOWN)`The service wasn't ready for the message yet (…)
		Try again later`,
	429: means('askedToWait', LIMITED)`The service's rate limit was reached (…)
		Set 'Messages per Second' to what the service allows, or increase 'Rate Limit Wait (Seconds)'`,
	499: UNCERTAIN,
};

const HUNDREDS: Record<number, Meaning | undefined> = {
	2: means('uncertain', OTHER_SERVER)`The service responded (…), but not with a message result
		${CHECK_FIRST}. Check that 'Base URL' in the credential is the URL of the \
			messaging service itself`,
	3: means('rejected', MISCONFIGURED)`The service redirected the request (…)
		Redirects aren't followed. Enter the final URL of the service as 'Base URL' in the credential, \
			starting with https://`,
	4: judged`The service rejected the message (…)
		Correct what the service rejected in this row`,
	5: UNCERTAIN,
};

/**
 * What a status means for the message, the credential's test and agents (specification 7, RFC
 * 9110); 0: it isn't valid.
 */
export function meaningOf(status: number, hasRetryAfter = false): Meaning {
	if (status === 503 && hasRetryAfter) return ASKED_TO_WAIT;
	return STATUSES[status] ?? HUNDREDS[Math.floor(status / 100)] ?? UNCERTAIN;
}

/**
 * A meaning with the fix of the status that the service's words stand for: instead of its own if it
 * `judgesMessage`, else before it.
 */
export function withMeaningOf(other: number | undefined, meaning: Meaning): Meaning {
	if (!other || meaning.verdict === 'uncertain' || meaning.mayRepeatEarlier) return meaning;
	const { description: own, judgesMessage } = meaning;
	const { mayRepeatEarlier, n8nCause = meaning.n8nCause, description: first } = meaningOf(other);
	const description = judgesMessage ? first : `${first}. ${own}`;
	return { ...meaning, mayRepeatEarlier, n8nCause, description };
}
