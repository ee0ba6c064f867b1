import { everywhere } from '../common/text';
import { parseJson } from './serviceError';

const SENT = 'sent|delivered|processed|received|accepted|queued|submitted|handled|used|exists?';
const SENT_BEFORE =
	`(?:already|previously) (?:\\w+ ){0,3}(?:${SENT})|(?:${SENT}) ` +
	'(?:already|before|earlier|twice)';
const SAME = 'same (?:message|request|key)|conflict';
const REPEATED = new RegExp(`dupli|idempoten|repeated|replay|\\b(?:${SENT_BEFORE}|${SAME})\\b`);

const CREDIT = '(?:credits?|balance|funds)';
const LACKING = '(?:no|enough|insufficient|out of|low)(?: remaining| account)?';
const USED_UP = '(?:\\w+ ){0,2}(?:exceeded|reached|exhausted|insufficient|low|depleted|used up)';
const LIMIT = '(?:hourly|daily|weekly|monthly|sending|account|plan) (?:\\w+ )?limit';
const NO_CREDIT = `${LACKING} ${CREDIT}|${CREDIT} ${USED_UP}|${LIMIT}|quota|payment required`;
const OF_ACCOUNT = new RegExp(`\\b(?:${NO_CREDIT})\\b`);

/** In dailyLimit, the y. */
const WORD_END = everywhere`([a-z])(?=[A-Z])`;
const BETWEEN_WORDS = everywhere`[^\p{L}\p{N}\n]+`;

/**
 * Finds in the service's words, and in all codes of its response, what another status would have
 * said: 409 that the message may repeat an earlier one, 402 that it's about the account. The
 * specification (7) lists no codes. In doubt, it finds one: that makes the fix more careful.
 */
export function statusByWords(words = '', body: string): 402 | 409 | undefined {
	const texts = [words];
	parseJson(body, (name, value: unknown) => {
		if (value === true) texts.push(name);
		if (typeof value === 'string' && !value.includes(' ')) texts.push(value);
		return value;
	});
	// DAILY_LIMIT, dailyLimit and "Daily limit" are one.
	const spaced = texts.join('\n').replace(WORD_END, '$1 ');
	const said = spaced.toLowerCase().replace(BETWEEN_WORDS, ' ');
	if (REPEATED.test(said)) return 409;
	return OF_ACCOUNT.test(said) ? 402 : undefined;
}
