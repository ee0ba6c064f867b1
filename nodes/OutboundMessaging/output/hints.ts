import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { mapInTurns } from '../common/eventLoop';
import { connectedItems } from '../n8n/internals';
import type { EndedItem, Message, PlannedItem } from '../delivery/message';
import { messagesToSend, sentTo } from '../delivery/message';
import { type Outcome, isFailed } from '../delivery/outcome';
import { unwrapped } from '../recipients/cell';
import { countryName } from '../recipients/countries';
import { numberFacts } from '../recipients/nationalNumber';
import { sameCustomer } from '../recipients/sameCustomer';
import { quoteForError } from '../validation/invalidValue';
import { HINTS } from '../validation/brokenText';
import { exactly } from '../validation/patterns';
import { endOf, httpUrl } from '../validation/url';
import {
	countTexts,
	formatCounts,
	formatItems,
	mostFrequent,
	numberOf,
	reasonsOf,
	sentences,
	withOthers,
} from './words';

/** Shows notes above the output in the editor, except those that are missing: in one box, since there's little room. */
export function addHints(
	context: IExecuteFunctions,
	type: 'info' | 'warning',
	...messages: Array<string | false | undefined>
): void {
	const [first, ...others] = messages.filter((message) => typeof message === 'string');
	if (first === undefined) return;
	const message = others.length === 0 ? first : sentences(first, ...others);
	context.addExecutionHints({ message, type, location: 'outputPane' });
}

/** What the items alone don't say. @param pushedOut how many send-once keys the store dropped in this run for newer ones */
export function addOutcomeHints(context: IExecuteFunctions, items: EndedItem[], pushedOut = 0) {
	const outcomes = items.map(({ outcome }) => outcome);
	const accepted = items.flatMap(({ message, outcome }, itemIndex) =>
		outcome.delivery === 'accepted' ? [{ ...outcome, message, itemIndex }] : [],
	);
	const type = outcomes.some(isFailed) ? 'warning' : 'info';
	addHints(context, type, accepted.length < items.length && formatCounts(outcomes) + why(outcomes));

	const statuses = accepted.map(({ record }) => record.status);
	const unusual = statuses.filter((status) => !USUAL_STATUSES.has(status));
	const changed = accepted.filter(({ contentChanged }) => contentChanged);
	const ofOthers = accepted.filter(({ message, record }) => message && isOfOther(message, record));
	addHints(
		context,
		'warning',
		ofOthers.length > 0 &&
			`The service's record names another customer than the one the message was for: ${formatItems(ofOthers)}. Check the service's dashboard`,
		unusual.length > 0 &&
			`${numberOf(unusual.length, 'accepted message')} with an unusual status: ${quoted(unusual)}. See the service's dashboard`,
		changed.length > 0 &&
			`The content of ${formatItems(changed)} changed after an earlier try sent the message. A retry doesn't send it again, so the customer has the earlier content`,
		pushedOut > 0 &&
			`The send-once keys of ${pushedOut} earlier messages were removed to make room for newer ones. If those items come back, their messages are sent again`,
	);
}

/** Whether a record (specification 2.1) names another customer than the one its message went to. One that names none doesn't. */
function isOfOther({ recipient }: Message, { extra }: IDataObject): boolean {
	const { customer_phone: phone, customer_id: id } = (extra ?? {}) as IDataObject;
	const isPhone = recipient.startsWith('+');
	const named = isPhone ? phone : id;
	// It can be missing, or masked.
	if (typeof named !== 'string' && typeof named !== 'number') return false;
	const digits = String(named).replace(/[\s+().-]/g, '');
	if (!/^\d+$/.test(digits)) return false;
	if (isPhone) return sameCustomer(`+${digits.replace(/^0+/, '')}`) !== recipient;
	// JSON reads long integers inexactly.
	return Number(digits) !== Number(recipient);
}

/** The statuses that accepted messages have (specification 3). A service can have others. */
const USUAL_STATUSES = new Set<unknown>(['ongoing', 'sent']);

/** E.g. " (3 already sent). Why: outside the hours (2), no such customer (1)"; empty when all was accepted. */
function why(outcomes: Outcome[]): string {
	const skips = outcomes.filter((outcome) => outcome.delivery === 'skipped');
	const reasons = countTexts(skips.map(({ why }) => why.forPeople));
	const skipped = reasons.map(([reason, count]) => `${count} ${reason}`);
	const failed = reasonsOf(outcomes);
	return `${skipped.length > 0 ? ` (${skipped.join(', ')})` : ''}${failed ? `. ${failed}` : ''}`;
}

/** E.g. `"queued" (3), "held" (1)`. */
const quoted = (values: unknown[]) =>
	mostFrequent(values.map((value) => quoteForError(value))).join(', ');

/**
 * What a dry run would send, and what it can't tell.
 * @param safeguards the labels of the others that are active: one that's missing has a name or a shape that n8n drops
 */
export function addDryRunHints(
	context: IExecuteFunctions,
	items: PlannedItem[],
	safeguards: string[],
): void {
	const messages = messagesToSend(items);
	const outcomes = items.flatMap(({ outcome }) => outcome ?? []);
	const recipients = new Set(messages.map(({ recipient }) => recipient)).size;
	const toWhom = recipients === 0 ? '' : ` to ${numberOf(recipients, 'recipient')}`;
	const wouldBeSent = `Dry run: ${messages.length} of ${numberOf(items.length, 'message')} would be sent${toWhom}`;
	const hasKeys = messages.some(({ sendOnceKey }) => sendOnceKey !== undefined);
	addHints(
		context,
		outcomes.some(isFailed) ? 'warning' : 'info',
		withOthers(wouldBeSent, outcomes) + why(outcomes),
		safeguards.length === 0
			? 'No other safeguards are set'
			: `Other safeguards: ${safeguards.join(', ')}`,
		hasKeys && "Send-once keys aren't looked up: what was sent before shows as a message to send",
	);
}

/** What 'Test Recipient' and 'Default Country' made of the recipients, and what may be a mistake, but can be right. */
export async function addMessageHints(
	context: IExecuteFunctions,
	messages: Message[],
	isDryRun: boolean,
): Promise<void> {
	const recipients = [...new Set(messages.map((message) => sentTo(message.tested ?? message)))];
	const facts = await mapInTurns(recipients, factsOf);
	const places = isDryRun && byCountry(facts);
	addHints(context, 'info', readdressed(messages), completedNumbers(messages), places);
	const odd = [
		fewRecipients(messages),
		...oddTexts(messages),
		endingUrls(messages),
		zonedKeys(messages),
		oddRecipients(facts),
	];
	addHints(context, 'warning', onlyFirst(context), ...odd);
}

function onlyFirst(context: IExecuteFunctions): string | undefined {
	const count = context.getNode().executeOnce === true ? connectedItems(context) : 1;
	if (count < 2) return undefined;
	return `Only the first of ${count} items was read: 'Execute Once' is on in this node's Settings`;
}

function readdressed(messages: Message[]): string | undefined {
	const tests = messages.filter(({ tested }) => tested);
	if (tests.length === 0) return undefined;
	// Also true in a dry run, and if the list is rejected.
	const are = tests.length === 1 ? 'is' : 'are';
	return `${numberOf(tests.length, 'message')} ${are} addressed to your test recipient ${sentTo(tests[0])} instead of customers`;
}

function completedNumbers(messages: Message[]): string | undefined {
	const own = messages.map((message) => message.tested ?? message);
	// Without a plus sign or 00, only a default country can tell whose number it is.
	const completed = own.filter(
		({ recipient, givenRecipient = recipient }) =>
			/^\+/.test(recipient) && !/\+|^[^0-9]*00/.test(unwrapped(givenRecipient)),
	);
	if (completed.length === 0) return undefined;
	const [first] = completed;
	return `'Default Country' completed ${numberOf(completed.length, 'phone number')} without a plus sign, e.g. ${quoteForError(first.givenRecipient)} to ${sentTo(first)}`;
}

/** So many messages to one recipient are hardly meant; of a short list, a tenth if that's more than a few orders. */
const MANY = 20;
const FEW = 4;

/** A recipient who gets many of the messages: most likely, it isn't mapped from the item, or a column is filled down. */
function fewRecipients(messages: Message[]): string | undefined {
	const own = messages.filter(({ tested }) => !tested);
	const limit = Math.max(FEW, Math.min(own.length / 10, MANY));
	const counts = countTexts(own.map(sentTo)).filter(([, count]) => count >= limit);
	if (counts.length === 0) return undefined;
	const shown = counts
		.slice(0, 3)
		.map(([recipient, count]) => `${count} of ${own.length} messages go to ${recipient}`);
	return `${shown.join(', ')}. If each item has its own recipient, map it from the item`;
}

const HOUR_MS = 3_600_000;

/** URLs of files that the service may fetch too late. */
function endingUrls(messages: Message[]): string | undefined {
	const urlsOf = ({ request: { body } }: Message) =>
		[body.attachment_url, ...Object.values(body.attachment ?? {})].flatMap(
			(url) => httpUrl(String(url)) ?? [],
		);
	const soon = messages.filter((message) =>
		urlsOf(message).some((url) => Number(endOf(url)) < Date.now() + HOUR_MS),
	);
	if (soon.length === 0) return undefined;
	return `${numberOf(soon.length, 'URL')} of files that end within an hour, so the service may come too late. See ${formatItems(soon)}`;
}

/** `T09:30-05:00`, but not the hours from `09:30-10:30`. */
const OFFSET = exactly`\d:\d\d[\d:.]* ?(?:Z(?!\w)|\+\d\d:?\d\d(?!\d))|T\d\d:[\d:.]+-\d\d:\d\d`;
const AS_WRITTEN =
	"{{ DateTime.fromISO($json.start, { setZone: true }).toFormat('yyyy-MM-dd HH:mm') }}";

/** Keys with a time that is written in a zone: once that's set right, each of them is another key. */
function zonedKeys(messages: Message[]): string | false {
	const keys = messages.flatMap(({ sendOnceKey = '' }) => OFFSET.exec(sendOnceKey)?.input ?? []);
	const count = numberOf(keys.length, 'send-once key');
	return (
		keys.length > 0 &&
		`${count} with a time zone's offset: ${quoted(keys)}. If the time zone is changed, so is the key, and the message is sent again. Use the time as people wrote it, without an offset: ${AS_WRITTEN}. With another key, what was sent before is sent again`
	);
}

/** WhatsApp takes no longer text. */
const LONGEST_TEXT = 4096;

function oddTexts(messages: Message[]): Array<string | false> {
	const long = messages.filter(({ text = '' }) => text.length > LONGEST_TEXT);
	const withGaps = messages.filter(({ gaps = [] }) => gaps.length > 0);
	const gaps = quoted(withGaps.flatMap((message) => message.gaps ?? []));
	return [
		textsWith(`more than ${LONGEST_TEXT} characters, which WhatsApp doesn't take`, long),
		textsWith(`a gap where an expression found no value: ${gaps}`, withGaps),
		...HINTS.map(({ pattern, title, description }) => {
			const wordsIn = (message: Message) => [
				...new Set(textsOf(message).flatMap((text) => pattern.exec(text)?.[0] ?? [])),
			];
			const odd = messages.filter((message) => wordsIn(message).length > 0);
			return textsWith(`${title}: ${quoted(odd.flatMap(wordsIn))}. ${description}`, odd);
		}),
	];
}

function textsWith(what: string, messages: Message[]): string | false {
	const texts = numberOf(messages.length, 'text');
	return messages.length > 0 && `${texts} with ${what}. See ${formatItems(messages)}`;
}

/** What the node knows that people will read: of most templates, it's the attributes only. */
const textsOf = ({ text = '', labels = [], request: { body } }: Message): string[] =>
	[text, ...labels, ...Object.values(body.attributes ?? {})].map(String);

/** No one has these numbers: the sandbox and the examples use them. */
const MADE_UP = /^\+(?:1555|447700900)/;

/** A recipient, and what is known of it as a phone number, also of an ID that may be one. */
const factsOf = (recipient: string) => ({
	recipient,
	...numberFacts(recipient.replace(/^(?!\+)/, '+')),
	isId: !recipient.startsWith('+'),
});
type Facts = ReturnType<typeof factsOf>;

/** What may be a mistake in the recipients of a list, but can be right. */
function oddRecipients(facts: Facts[]): string | false {
	// A shorter ID is hardly a phone number.
	const odd = facts.filter(({ recipient, isValid, isId }) =>
		isId ? isValid && recipient.length >= 10 : !isValid && !MADE_UP.test(recipient),
	);
	if (odd.length === 0) return false;
	const found = `${odd.length}, e.g. ${odd[0].recipient}`;
	return odd[0].isId
		? `Customer IDs that may be phone numbers: ${found}. This operation needs the IDs that the service gives its customers`
		: `Phone numbers that may not exist: ${found}. They aren't rejected, since a numbering plan can be newer than this node`;
}

/** Where a list goes: a number that was completed for the wrong country shows there. */
function byCountry(facts: Facts[]): string | false {
	const numbers = facts.filter(({ isId }) => !isId);
	const countries = numbers.map(({ country }) => (country ? countryName(country) : 'unknown'));
	const places = countTexts(countries).map((counted) => counted.join(' '));
	return places.length > 0 && `Recipients by country: ${places.join(', ')}`;
}
