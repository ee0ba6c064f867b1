import type { Failure, SendResult } from '../delivery/outcome';
import { type ErrorText, twoLines } from '../common/twoLines';

/** What a status means. In its texts, … is the status. */
interface Meaning extends ErrorText, Pick<Failure, 'mayRepeatEarlier' | 'n8nCause'> {
	/** What becomes of the message, unless the body of a 2xx says otherwise. */
	verdict: SendResult['delivery'];
	/** The description if the service said what's wrong. */
	explained?: string;
	/** Every other message would be rejected as well. */
	isFatal?: boolean;
	/** What the credential's test says; missing where the service has looked at more than the key. */
	test?: string;
}

const rejected = (...lines: Parameters<typeof twoLines>) =>
	({ verdict: 'rejected', ...twoLines(...lines) }) as const;

const MISCONFIGURED = { n8nCause: { cause: 'configuration-invalid' } } as const;
const LIMITED = { n8nCause: { cause: 'rate-limited' } } as const;
const UNAVAILABLE = { n8nCause: { cause: 'temporarily-unavailable' } } as const;
const OTHER_SERVER =
	"Something responds at this 'Base URL' (…), but not the messaging service. Check its host and path.";
const OTHER_PATH =
	"There is no messaging service at this 'Base URL' (…). Check its path: it ends where /stable/open begins.";
const NOT_WORKING =
	"The service isn't working properly right now (…), so the key couldn't be tested. Try again later, or check 'Base URL'.";

/** The service may have taken the message: after a 5xx, and where a gateway gave up waiting for it. */
const UNCERTAIN: Meaning = {
	verdict: 'uncertain',
	title: 'The service responded with status …',
	description: '',
	...UNAVAILABLE,
	test: NOT_WORKING,
};
const NO_STATUS = {
	title: 'The service responded without a valid HTTP status',
	test: OTHER_SERVER,
};
const REDIRECTED: Meaning = {
	...rejected`The service redirected the request (…)
		Redirects aren't followed. Enter the final URL of the service as 'Base URL' in the credential, starting with https://`,
	...MISCONFIGURED,
};
const REJECTED: Meaning = {
	...rejected`The service rejected the message (…)
		Check the fields of this row, then execute the workflow with only this row`,
	explained:
		'Correct the field that the service complained about, then execute the workflow with only this row',
};
const ASKED_TO_WAIT: Meaning = {
	verdict: 'askedToWait',
	...twoLines`The service is unavailable and asked to wait (…)
		Execute the workflow with only this row later, or increase 'Rate Limit Wait (Seconds)'`,
	...LIMITED,
};

/** Every status that means something of its own. The others mean what their hundred means. */
const STATUSES: Record<number, Meaning | undefined> = {
	303: {
		...UNCERTAIN,
		title: 'The service redirected to a result (…)',
	},
	401: {
		isFatal: true,
		...rejected`The service didn't accept the API key (…)
			Check 'API Key' in the credential, and that 'API Key Header' is the exact header name from the service's API documentation. Then test the credential and execute the workflow again`,
		n8nCause: { cause: 'credential-invalid' },
		test: "The service didn't accept the API key (…). Check 'API Key', and that 'API Key Header' is the exact header name from the service's API documentation.",
	},
	403: {
		...rejected`The service denied access (…)
			Check that the API key may send this message to this customer. If every row is rejected this way, check 'API Key' and 'API Key Header' in the credential`,
		...MISCONFIGURED,
		test: "The service denied access (…), so the key couldn't be tested. Check 'API Key' and 'API Key Header', and that the key may send messages.",
	},
	404: {
		...rejected`The service couldn't find this customer, template or channel (…)
			Check the IDs of this row. If every row is rejected this way, check 'Base URL' in the credential: it ends where /stable/open begins`,
		test: OTHER_PATH,
	},
	405: {
		...rejected`The service doesn't take messages at this URL (…)
			Check 'Base URL' in the credential: the messaging service doesn't respond this way`,
		...MISCONFIGURED,
		test: OTHER_PATH,
	},
	407: {
		...rejected`A proxy between n8n and the service asks for a sign-in (…)
			Ask your n8n admin to check the proxy settings of n8n`,
		test: 'A proxy between n8n and the service asks for a sign-in (…). Ask your n8n admin to check the proxy settings of n8n.',
	},
	408: UNCERTAIN,
	409: {
		...rejected`The service reported a conflict (…)
			Check the service's dashboard for an earlier message: this one may repeat it`,
		mayRepeatEarlier: true,
	},
	413: {
		...rejected`The message is too large for the service (…)
			Shorten the text or the attributes of this row`,
	},
	425: {
		verdict: 'notSent',
		...twoLines`The service wasn't ready for the message yet (…)
			Execute the workflow with only this row later`,
		...UNAVAILABLE,
		test: NOT_WORKING,
	},
	429: {
		verdict: 'askedToWait',
		...twoLines`The service's rate limit was reached (…)
			Set 'Messages per Second' to what the service allows, or increase 'Rate Limit Wait (Seconds)'`,
		...LIMITED,
		test: "The service is limiting requests (…), so the key couldn't be tested. Wait a minute, then test again.",
	},
	499: UNCERTAIN,
};

const HUNDREDS: Record<number, Meaning | undefined> = {
	2: { ...UNCERTAIN, verdict: 'accepted', test: OTHER_SERVER },
	3: REDIRECTED,
	4: REJECTED,
	5: UNCERTAIN,
};

/**
 * What a status means for the message, for the credential's test and for agents (specification 7, RFC 9110).
 * @param status 0 for a response without a valid one
 * @param hasRetryAfter whether the response says how long to wait
 */
export function meaningOf(status: number, hasRetryAfter = false): Meaning {
	if (status === 503 && hasRetryAfter) return ASKED_TO_WAIT;
	const meaning = STATUSES[status] ?? HUNDREDS[Math.floor(status / 100)];
	return meaning ?? { ...UNCERTAIN, ...(status === 0 && NO_STATUS), test: OTHER_SERVER };
}
