/** How a message ends, by what was known before this try and by what this try did. */
import { endKnown, endOf, endUnread } from '../../../nodes/OutboundMessaging/delivery/beforeAndNow';
import { ALREADY_SENT } from '../../../nodes/OutboundMessaging/delivery/deliveryOutcomes';
import type { Before, Message } from '../../../nodes/OutboundMessaging/delivery/message';
import { contentOf } from '../../../nodes/OutboundMessaging/delivery/message';
import type { Failed, Outcome } from '../../../nodes/OutboundMessaging/delivery/outcome';

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
const skippedFor = (reason: string): Outcome => {
	const why = { ...ALREADY_SENT, reason };
	return { delivery: 'skipped', why, details: {} };
};

describe('a message that this try was to send', () => {
	it.each<[before: string, Before | undefined, now: string, Outcome, ends: string]>([
		['nothing', undefined, 'accepted', accepted, 'accepted'],
		['nothing', undefined, 'rejected', failed('rejected'), 'rejected'],
		['nothing', undefined, 'skipped', skippedFor('doNotContact'), 'skipped'],
		['uncertain', UNCERTAIN, 'accepted', accepted, 'accepted'],
		['uncertain', UNCERTAIN, 'uncertain', failed('uncertain'), 'uncertain'],
		['uncertain', UNCERTAIN, 'rejected', failed('rejected'), 'uncertain'],
		['uncertain', UNCERTAIN, 'skipped for a safeguard', skippedFor('doNotContact'), 'uncertain'],
		['uncertain', UNCERTAIN, 'skipped as sent', skippedFor('alreadySent'), 'skipped'],
		['uncertain', UNCERTAIN, 'skipped for another', skippedFor('repeatedRecipient'), 'skipped'],
		['uncertain by its key', BY_KEY, 'rejected', failed('rejected'), 'uncertain'],
		['uncertain by its item', BY_ITEM, 'not attempted', failed('notAttempted'), 'uncertain'],
	])('known: %s %#, now: %s', (_, before, __, now, ends) => {
		expect(endOf(before, now).delivery).toBe(ends);
	});

	it('and whose turn did not come is as uncertain as before', () => {
		const rest = failed('notAttempted');
		expect(endOf(undefined, rest)).toBe(rest);
		expect(endOf(UNCERTAIN, rest)).toMatchObject({
			delivery: 'uncertain',
			isFromBefore: true,
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
