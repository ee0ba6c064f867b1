import { type Failure, type SendResult, CHECK_FIRST } from '../delivery/outcome';
import { type ErrorText, twoLines } from '../common/twoLines';

/** What a status means. In its texts, … is the status. */
interface Meaning extends ErrorText, Pick<Failure, 'mayRepeatEarlier' | 'n8nCause'> {
	/** What becomes of the message. */
	verdict: SendResult['delivery'];
	/** Every other message would be rejected as well. */
	isFatal?: boolean;
	/** What the credential's test says instead; missing if it says the same. */
	test?: Partial<ErrorText>;
	/** The service has looked at more than the key, and so accepted that. */
	provesKey?: boolean;
}

/** @param cause of the failure, as n8n calls it; missing where only the service knows */
const means =
	(verdict: Meaning['verdict'], cause?: NonNullable<Failure['n8nCause']>['cause']) =>
	(...lines: Parameters<typeof twoLines>) => ({
		verdict,
		n8nCause: cause && { cause },
		...twoLines(...lines),
	});
const rejected = means('rejected');

export const TRY_LATER =
	"Try again later. If the credential has never worked, check its 'Base URL'";
const OTHER_SERVER = {
	test: twoLines`Something responds at this 'Base URL' (…), but not the messaging service
		Check its host and its path, which ends where /stable/open begins`,
};

/** The service may have taken the message: after a 5xx, and where a gateway gave up waiting for it. */
const UNCERTAIN: Meaning = means(
	'uncertain',
	'temporarily-unavailable',
)`The service responded with status …
	${CHECK_FIRST}`;
const REDIRECTED = means('rejected', 'configuration-invalid')`The service redirected the request (…)
	Redirects aren't followed. Enter the final URL of the service as 'Base URL' in the credential, starting with https://`;
const REJECTED: Meaning = {
	...rejected`The service rejected the message (…)
		Correct what the service rejected in this row, then execute the workflow with only this row`,
	provesKey: true,
};
/** What `success: false` means in a response with a status of 2xx. */
export const NOT_SENT: Meaning = {
	...rejected`The service responded that the message wasn't sent
		Check the customer and the content of this row, then execute the workflow with only this row`,
	provesKey: true,
};
const ASKED_TO_WAIT = means(
	'askedToWait',
	'rate-limited',
)`The service is unavailable and asked to wait (…)
	Execute the workflow with only this row later, or increase 'Rate Limit Wait (Seconds)'`;

/** Every status that means something of its own. The others mean what their hundred means. */
const STATUSES: Record<number, Meaning | undefined> = {
	0: { ...UNCERTAIN, title: 'The service responded without a valid HTTP status' },
	303: { ...UNCERTAIN, title: 'The service redirected to a result (…)' },
	401: {
		...means('rejected', 'credential-invalid')`The service didn't accept the API key (…)
			Check 'API Key' in the credential, and that 'API Key Header' is the exact header name from the service's API documentation`,
		isFatal: true,
	},
	402: {
		...means('rejected', 'quota-exhausted')`The service rejected the message (…)
			Top up the account in the service's dashboard, or wait until its limit resets. Then execute the workflow with only this row`,
		provesKey: true,
	},
	403: {
		...means('rejected', 'configuration-invalid')`The service denied access (…)
			Check the customer of this row: the API key may not be allowed to send to them. If every row is rejected this way, check 'API Key' and 'API Key Header' in the credential`,
		test: {
			description: "Check 'API Key' and 'API Key Header', and that the key may send messages",
		},
	},
	404: {
		...rejected`The service couldn't find this customer, template or channel (…)
			Check the IDs of this row. If every row is rejected this way, check 'Base URL' in the credential: it ends where /stable/open begins`,
		...OTHER_SERVER,
	},
	405: {
		...means('rejected', 'configuration-invalid')`The service doesn't take messages at this URL (…)
			Check 'Base URL' in the credential: the messaging service doesn't respond this way`,
		...OTHER_SERVER,
	},
	407: rejected`A proxy between n8n and the service asks for a sign-in (…)
		Ask your n8n admin to check the proxy settings of n8n`,
	408: UNCERTAIN,
	409: {
		...rejected`The service reported a conflict (…)
			Check the service's dashboard for an earlier message: this one may repeat it`,
		mayRepeatEarlier: true,
		provesKey: true,
	},
	413: {
		...rejected`The message is too large for the service (…)
			Shorten the text or the attributes of this row`,
		provesKey: true,
	},
	425: means('notSent', 'temporarily-unavailable')`The service wasn't ready for the message yet (…)
		Execute the workflow with only this row later`,
	429: means('askedToWait', 'rate-limited')`The service's rate limit was reached (…)
		Set 'Messages per Second' to what the service allows, or increase 'Rate Limit Wait (Seconds)'`,
	499: UNCERTAIN,
};

const HUNDREDS: Record<number, Meaning | undefined> = {
	2: {
		...means('uncertain')`The service responded (…), but not with a message result
			${CHECK_FIRST}. Check that 'Base URL' in the credential is the URL of the messaging service itself`,
		...OTHER_SERVER,
	},
	3: REDIRECTED,
	4: REJECTED,
	5: UNCERTAIN,
};

/** What a status means for the message, the credential's test and agents (specification 7, RFC 9110); 0: it isn't valid. */
export function meaningOf(status: number, hasRetryAfter = false): Meaning {
	if (status === 503 && hasRetryAfter) return ASKED_TO_WAIT;
	return STATUSES[status] ?? HUNDREDS[Math.floor(status / 100)] ?? UNCERTAIN;
}

/** A meaning with that of another status, by the service's words. A fix that isn't about the message comes second, not instead. */
export function withMeaningOf(other: number | undefined, meaning: Meaning): Meaning {
	if (!other || meaning.verdict === 'uncertain' || meaning.mayRepeatEarlier) return meaning;
	const { description: own, provesKey } = meaning;
	const { mayRepeatEarlier, n8nCause = meaning.n8nCause, description: first } = meaningOf(other);
	const description = provesKey ? first : `${first}. ${own}`;
	return { ...meaning, mayRepeatEarlier, n8nCause, description };
}
