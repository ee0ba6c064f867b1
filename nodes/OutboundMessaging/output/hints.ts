import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { mapAndYield } from '../common/eventLoop';
import { connectedItems } from '../n8n/internals';
import {
	type EndedItem,
	type Message,
	type PlannedItem,
	messagesToSend,
	ownMessage,
	sentTo,
	type Outcome,
	isFailed,
} from '../delivery/message';
import { unwrap } from '../recipients/cell';
import { countryName } from '../recipients/countries';
import { numberFacts } from '../recipients/nationalNumber';
import { sameCustomer } from '../recipients/sameCustomer';
import { quoteForError } from '../validation/invalidValue';
import { HINTS } from '../validation/brokenText';
import { exactly } from '../common/text';
import { expiryOf, httpUrl } from '../validation/url';
import {
	countTexts,
	formatCounts,
	formatItems,
	mostFrequent,
	numberOf,
	reasonsOf,
	sentences,
	withOtherCounts,
} from './words';

/** Shows hints above the output in the editor: in one box, since there's little room. */
export function addHints(
	context: IExecuteFunctions,
	type: 'info' | 'warning',
	...hints: string[][]
) {
	const texts = hints.flat();
	if (texts.length === 0) return;
	const message = texts.length === 1 ? texts[0] : sentences(...texts);
	context.addExecutionHints({ message, type, location: 'outputPane' });
}

/** A hint about what was found; none if nothing was. */
const hintIf = (count: number, hint: string) => (count > 0 ? [hint] : []);

/**
 * What the items alone don't say.
 * @param pushedOut how many send-once keys the store dropped in this run for newer ones
 */
export function addOutcomeHints(context: IExecuteFunctions, items: EndedItem[], pushedOut = 0) {
	const outcomes = items.map(({ outcome }) => outcome);
	const accepted = items.flatMap(({ message, outcome }, itemIndex) =>
		outcome.delivery === 'accepted' ? [{ ...outcome, message, itemIndex }] : [],
	);
	const others = items.length - accepted.length;
	addHints(context, typeFor(outcomes), hintIf(others, formatCounts(outcomes) + why(outcomes)));

	const statuses = accepted.map(({ record }) => record.status);
	const unusual = statuses.filter((status) => !USUAL_STATUSES.has(status));
	const changed = accepted.filter(({ contentChanged }) => contentChanged);
	const ofOthers = accepted.filter(({ message, record }) => message && isOfOther(message, record));
	addHints(
		context,
		'warning',
		hintIf(
			ofOthers.length,
			"The service's record names another customer than the one the message was for: " +
				`${formatItems(ofOthers)}. Check the service's dashboard`,
		),
		hintIf(
			unusual.length,
			`${numberOf(unusual.length, 'accepted message')} with an unusual status: ` +
				`${quoted(unusual)}. See the service's dashboard`,
		),
		hintIf(
			changed.length,
			`The content of ${formatItems(changed)} changed after an earlier try sent the message. A ` +
				"retry doesn't send it again, so the customer has the earlier content",
		),
		hintIf(
			pushedOut,
			`The send-once keys of ${pushedOut} earlier messages were removed to make room for newer ` +
				'ones. If those items come back, their messages are sent again',
		),
	);
}

const typeFor = (outcomes: Outcome[]) => (outcomes.some(isFailed) ? 'warning' : 'info');

/**
 * Whether a record (specification 2.1) names another customer than the one its message went to. One
 * that names none doesn't.
 */
function isOfOther({ recipient }: Message, { extra }: IDataObject) {
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

/**
 * E.g. " (3 already sent). Why: outside the hours (2), no such customer (1)"; empty when
 * all was accepted.
 */
function why(outcomes: Outcome[]) {
	const skips = outcomes.filter((outcome) => outcome.delivery === 'skipped');
	const reasons = countTexts(skips.map(({ why }) => why.forPeople));
	const skipped = reasons.map(([reason, count]) => `${count} ${reason}`).join(', ');
	const failed = reasonsOf(outcomes).map((reason) => `. ${reason}`);
	return (skipped && ` (${skipped})`) + failed.join('');
}

/** E.g. `"queued" (3), "held" (1)`. */
const quoted = (values: unknown[]) =>
	mostFrequent(values.map((value) => quoteForError(value))).join(', ');

/**
 * What a dry run would send, and what it can't tell.
 * @param safeguards the labels of the others that are active: one that's missing has a name or a
 *   shape that n8n drops
 * @param continues whether one rejected item doesn't reject the whole list
 */
export function addDryRunHints(
	context: IExecuteFunctions,
	items: PlannedItem[],
	safeguards: string[],
	continues: boolean,
) {
	const messages = messagesToSend(items);
	const outcomes = items.flatMap(({ outcome }) => outcome ?? []);
	const recipients = new Set(messages.map(({ recipient }) => recipient)).size;
	const toWhom = recipients === 0 ? '' : ` to ${numberOf(recipients, 'recipient')}`;
	const wouldBeSent =
		`Dry run: ${messages.length} of ${numberOf(items.length, 'message')} ` +
		`would be sent${toWhom}`;
	const rejects = outcomes.some(({ delivery }) => delivery === 'rejected');
	const others = safeguards.join(', ');
	const withKey = messages.filter(({ sendOnceKey }) => sendOnceKey !== undefined);
	addHints(
		context,
		typeFor(outcomes),
		[
			withOtherCounts(wouldBeSent, outcomes) + why(outcomes),
			...(continues || !rejects ? [] : [STOPS]),
			others === '' ? 'No other safeguards are set' : `Other safeguards: ${others}`,
		],
		hintIf(
			withKey.length,
			"Send-once keys aren't looked up: what was sent before shows as a message to send",
		),
	);
}

const STOPS =
	"With 'On Error' set to 'Stop Workflow', none of them is sent until the rejected ones are " +
	'corrected';

/**
 * What 'Test Recipient' and 'Default Country' made of the recipients, and what may be a mistake,
 * but can be right.
 */
export async function addMessageHints(
	context: IExecuteFunctions,
	messages: Message[],
	isDryRun: boolean,
) {
	const recipients = [...new Set(messages.map((message) => sentTo(ownMessage(message))))];
	const facts = await mapAndYield(recipients, factsOf);
	const places = isDryRun ? byCountry(facts) : [];
	addHints(context, 'info', readdressed(messages), completedNumbers(messages), places);
	addHints(
		context,
		'warning',
		onlyFirst(context),
		fewRecipients(messages),
		oddTexts(messages),
		endingUrls(messages),
		zonedKeys(messages),
		keysByPlace(context),
		oddRecipients(facts),
	);
}

function onlyFirst(context: IExecuteFunctions) {
	const left = context.getNode().executeOnce === true ? connectedItems(context) - 1 : 0;
	return hintIf(
		left,
		`Only the first of ${left + 1} items was read: 'Execute Once' is on in this node's Settings`,
	);
}

function readdressed(messages: Message[]) {
	const tests = messages.filter(({ tested }) => tested);
	if (tests.length === 0) return [];
	// Also true in a dry run, and if the list is rejected.
	const are = tests.length === 1 ? 'is' : 'are';
	return [
		`${numberOf(tests.length, 'message')} ${are} addressed to your test recipient ` +
			`${sentTo(tests[0])} instead of customers`,
	];
}

/** Without a plus sign or 00, only a default country can tell whose number it is. */
const INTERNATIONAL = exactly`\+|^[^0-9]*00`;

function completedNumbers(messages: Message[]) {
	const own = messages.map(ownMessage);
	const completed = own.filter(
		({ recipient, givenRecipient = recipient }) =>
			recipient.startsWith('+') && !INTERNATIONAL.test(unwrap(givenRecipient)),
	);
	if (completed.length === 0) return [];
	const [first] = completed;
	return [
		`'Default Country' completed ${numberOf(completed.length, 'phone number')} without a plus ` +
			`sign, e.g. ${quoteForError(first.givenRecipient)} to ${sentTo(first)}`,
	];
}

/**
 * So many messages to one recipient are hardly meant; of a short list, a tenth if that's more
 * than a few orders.
 */
const MANY = 20;
const FEW = 4;

/**
 * A recipient who gets many of the messages: most likely, it isn't mapped from the item, or a
 * column is filled down.
 */
function fewRecipients(messages: Message[]) {
	const own = messages.filter(({ tested }) => !tested);
	const limit = Math.max(FEW, Math.min(own.length / 10, MANY));
	const counts = countTexts(own.map(sentTo)).filter(([, count]) => count >= limit);
	const shown = counts
		.slice(0, 3)
		.map(([recipient, count]) => `${count} of ${own.length} messages go to ${recipient}`);
	return hintIf(
		shown.length,
		`${shown.join(', ')}. If each item has its own recipient, map it from the item`,
	);
}

const HOUR_MS = 3_600_000;

/** URLs of files that the service may fetch too late. */
function endingUrls(messages: Message[]) {
	const urlsOf = ({ request: { body } }: Message) =>
		[body.attachment_url, ...Object.values(body.attachment ?? {})].flatMap(
			(url) => httpUrl(String(url)) ?? [],
		);
	const soon = messages.filter((message) =>
		urlsOf(message).some((url) => Number(expiryOf(url)) < Date.now() + HOUR_MS),
	);
	return hintIf(
		soon.length,
		`${numberOf(soon.length, 'URL')} of files that end within an hour, so the service may come ` +
			`too late. See ${formatItems(soon)}`,
	);
}

/** `T09:30-05:00`, but not the hours from `09:30-10:30`. */
const OFFSET = exactly`\d:\d\d[\d:.]* ?(?:Z(?!\w)|\+\d\d:?\d\d(?!\d))|T\d\d:[\d:.]+-\d\d:\d\d`;
const AS_WRITTEN =
	"{{ DateTime.fromISO($json.start, { setZone: true }).toFormat('yyyy-MM-dd HH:mm') }}";

/**
 * Keys with a time that is written in a zone: once that's set right, each of them is another key.
 */
function zonedKeys(messages: Message[]) {
	const keys = messages.flatMap(({ sendOnceKey = '' }) => OFFSET.exec(sendOnceKey)?.input ?? []);
	const count = numberOf(keys.length, 'send-once key');
	return hintIf(
		keys.length,
		`${count} with a time zone's offset: ${quoted(keys)}. If the time zone is changed, so is ` +
			'the key, and the message is sent again. Use the time as people wrote it, without an ' +
			`offset: ${AS_WRITTEN}. With another key, what was sent before is sent again`,
	);
}

function keysByPlace(context: IExecuteFunctions) {
	const key = context.getNodeParameter('safeguards.sendOnceKey', 0, '', { rawExpressions: true });
	if (!/\$itemIndex\b/.test(String(key))) return [];
	return [
		"'Send Once Key' has the item's place in the list ($itemIndex): in another list, another " +
			'message with the same key is skipped. Use what the message is about, ' +
			'e.g. {{ $json.orderId }}',
	];
}

/** WhatsApp takes no longer text. */
const LONGEST_TEXT = 4096;

function oddTexts(messages: Message[]) {
	const long = messages.filter(({ text = '' }) => text.length > LONGEST_TEXT);
	const withGaps = messages.filter(({ gaps = [] }) => gaps.length > 0);
	const gaps = quoted(withGaps.flatMap((message) => message.gaps ?? []));
	const odd = HINTS.flatMap(({ pattern, title, description }) => {
		const wordsIn = (message: Message) => [
			...new Set(textsOf(message).flatMap((text) => pattern.exec(text)?.[0] ?? [])),
		];
		const found = messages.filter((message) => wordsIn(message).length > 0);
		return textsWith(`${title}: ${quoted(found.flatMap(wordsIn))}. ${description}`, found);
	});
	return [
		...textsWith(`more than ${LONGEST_TEXT} characters, which WhatsApp doesn't take`, long),
		...textsWith(`a gap where an expression found no value: ${gaps}`, withGaps),
		...odd,
	];
}

function textsWith(what: string, messages: Message[]) {
	const texts = numberOf(messages.length, 'text');
	return hintIf(messages.length, `${texts} with ${what}. See ${formatItems(messages)}`);
}

/** What the node knows that people will read: of most templates, it's the attributes only. */
const textsOf = ({ text = '', labels = [], request: { body } }: Message) =>
	[text, ...labels, ...Object.values(body.attributes ?? {})].map(String);

/** No one has these numbers: the sandbox and the examples use them. */
const MADE_UP = exactly`^\+(?:1555|447700900)`;

/** A recipient, and what is known of it as a phone number, also of an ID that may be one. */
const factsOf = (recipient: string) => ({
	recipient,
	...numberFacts(recipient.replace(/^(?!\+)/, '+')),
	isId: !recipient.startsWith('+'),
});
type Facts = ReturnType<typeof factsOf>;

/** What may be a mistake in the recipients of a list, but can be right. */
function oddRecipients(facts: Facts[]) {
	// A shorter ID is hardly a phone number.
	const odd = facts.filter(({ recipient, isValid, isId }) =>
		isId ? isValid && recipient.length >= 10 : !isValid && !MADE_UP.test(recipient),
	);
	if (odd.length === 0) return [];
	const found = `${odd.length}, e.g. ${odd[0].recipient}`;
	const hint = odd[0].isId
		? `Customer IDs that may be phone numbers: ${found}. This operation needs the IDs that the ` +
			'service gives its customers'
		: `Phone numbers that may not exist: ${found}. They aren't rejected, since a numbering plan ` +
			'can be newer than this node';
	return [hint];
}

/** Where a list goes: a number that was completed for the wrong country shows there. */
function byCountry(facts: Facts[]) {
	const numbers = facts.filter(({ isId }) => !isId);
	const countries = numbers.map(({ country }) => (country ? countryName(country) : 'unknown'));
	const places = countTexts(countries).map((counted) => counted.join(' '));
	return hintIf(places.length, `Recipients by country: ${places.join(', ')}`);
}
