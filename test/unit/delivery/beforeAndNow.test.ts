/** How a message ends, by what was known before this try and by what this try did. */
import {
	ALREADY_SENT,
	endKnown,
	endOf,
	endUnread,
} from '../../../nodes/OutboundMessaging/delivery/beforeAndNow';
import {
	type Before,
	type Failed,
	type Message,
	ONLY_THIS_ROW,
	type Outcome,
	contentOf,
} from '../../../nodes/OutboundMessaging/delivery/message';

const request = { url: 'https://api.example.com/text', body: { text: 'Hi' } };
const message: Message = { itemIndex: 0, recipient: '7', request };
const content = contentOf(message);
const entry = { recipient: '7', url: request.url, itemIndex: 0, content };

const UNCERTAIN: Before = { by: 'ledger', entry };
const ACCEPTED: Before = { by: 'ledger', entry: { ...entry, record: { id: 'm' } } };
const BY_KEY: Before = { by: 'key' };
const BY_ITEM: Before = { by: 'item' };

const failed = (delivery: Failed['delivery']): Failed => {
	return { delivery, failure: { title: 'No', description: 'Fix it' } };
};
const accepted: Outcome = { delivery: 'accepted', record: { id: 'new' } };
const skippedFor = (reason: string, hasMessage: boolean): Outcome => {
	const why = { ...ALREADY_SENT, reason, hasMessage };
	return { delivery: 'skipped', why, details: {} };
};

describe('a message that this try was to send', () => {
	it.each<[before: string, now: string, ends: string, Before | undefined, Outcome]>([
		['nothing', 'accepted', 'accepted', undefined, accepted],
		['nothing', 'rejected', 'rejected', undefined, failed('rejected')],
		['nothing', 'skipped', 'skipped', undefined, skippedFor('doNotContact', false)],
		['uncertain', 'accepted', 'accepted', UNCERTAIN, accepted],
		['uncertain', 'uncertain', 'uncertain', UNCERTAIN, failed('uncertain')],
		['uncertain', 'rejected', 'uncertain', UNCERTAIN, failed('rejected')],
		[
			'uncertain',
			'skipped for a safeguard',
			'uncertain',
			UNCERTAIN,
			skippedFor('doNotContact', false),
		],
		['uncertain', 'skipped as sent', 'skipped', UNCERTAIN, skippedFor('alreadySent', true)],
		[
			'uncertain',
			'skipped for another',
			'skipped',
			UNCERTAIN,
			skippedFor('repeatedRecipient', true),
		],
		['uncertain by its key', 'rejected', 'uncertain', BY_KEY, failed('rejected')],
		['uncertain by its item', 'not attempted', 'uncertain', BY_ITEM, failed('notAttempted')],
	])('known before: %s; now: %s; ends as: %s', (_, __, ends, before, now) => {
		expect(endOf(before, now).delivery).toBe(ends);
	});

	it.each<[now: Failed['delivery'], isToldHow: boolean]>([
		['rejected', true],
		// Nothing is wrong with its row.
		['notAttempted', false],
	])('uncertain before, and %s now: how to send it alone is said: %s', (now, isToldHow) => {
		const { failure } = endOf(UNCERTAIN, failed(now)) as Failed;
		expect(failure.description.includes(ONLY_THIS_ROW)).toBe(isToldHow);
	});

	it('and whose turn did not come is as uncertain as before', () => {
		const rest = failed('notAttempted');
		expect(endOf(undefined, rest)).toBe(rest);
		expect(endOf(UNCERTAIN, rest)).toMatchObject({
			delivery: 'uncertain',
			origin: 'earlierTry',
		});
	});
});

describe('an item that cannot be read, or whose run is rejected as a whole', () => {
	const now = failed('notAttempted');

	it('ends so if nothing is known', () => expect(endUnread(undefined, now)).toBe(now));

	it('stays accepted, with its record', () => {
		expect(endUnread(ACCEPTED, now)).toMatchObject({ delivery: 'accepted', record: { id: 'm' } });
	});

	it('stays uncertain', () => expect(endUnread(UNCERTAIN, now).delivery).toBe('uncertain'));

	it('has a code for later steps if it comes from an uncertain item', () => {
		const ends = {
			delivery: 'notAttempted',
			failure: { title: 'No', reason: 'uncertainDelivery' },
		};
		expect(endUnread(BY_ITEM, now)).toMatchObject(ends);
	});
});

describe('a message that an earlier try had accepted', () => {
	it('says whether its content has changed', () => {
		const known = { ...entry, record: { id: 'm' } };
		const other = { ...message, request: { ...request, body: { text: 'Bye' } } };
		expect(endKnown(known, message)).toMatchObject({ contentChanged: false });
		expect(endKnown(known, other)).toMatchObject({ contentChanged: true });
	});

	it('is not asked again if it is a question of another execution', () => {
		const known = { ...entry, record: { id: 'm' }, askedIn: '1' };
		expect(endKnown(known, { ...message, askedIn: '1' }).delivery).toBe('accepted');
		expect(endKnown(known, { ...message, askedIn: '2' }).delivery).toBe('notAttempted');
	});
});
