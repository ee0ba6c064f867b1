import { mapAndYield } from '../common/eventLoop';
import { isObject } from '../common/isObject';
import type { Message } from '../delivery/message';
import type { Failure } from '../common/failure';
import type { MessageOptions, Operation, ReadField } from '../operations/operation';
import { PHONE } from '../operations/recipientFields';
import { options } from '../operations/options';
import { type Parameters, parameterError } from '../parameters/parameters';
import { sameCustomer } from '../recipients/sameCustomer';
import { safeguards } from '../safeguards';
import type { Question } from '../waitForResponse/question';

/** An item as a message, or why it isn't one. */
export type ReadItem =
	| { message: Message; recipient: string; question?: Question }
	| { message?: undefined; recipient?: string; question?: undefined; rejected: Failure };

/**
 * Turns every item into a message, before the first one is sent.
 * @param url where the operation's requests go
 */
export async function readMessages(
	parameters: Parameters,
	{ fields, toMessage }: Operation,
	url: string,
	settings: MessageOptions,
): Promise<ReadItem[]> {
	const { context, recipientField } = parameters;
	const { name } = recipientField;
	const ownOptions = parameters.valuesOfItems('options', options);
	const ownSafeguards = parameters.valuesOfItems('safeguards', safeguards);

	/** @throws RunRejected if the item can't become a message */
	const readItem = (itemIndex: number, noteRecipient: (recipient: string) => void): ReadItem => {
		const gaps = new Set<string>();
		const read: ReadField = (field, check) =>
			parameters.readChecked(field, fields[field], itemIndex, check, gaps);
		// What's set for phone numbers doesn't matter to customer IDs.
		const country = recipientField === PHONE && ownOptions(itemIndex).defaultCountry;
		if (country) parameters.countries.add(country);
		const [sentTo, givenRecipient] = read(name, (value) => [
			recipientField.check(value, country ? [country] : []),
			String(value),
		]);
		const recipient = sameCustomer(sentTo);
		noteRecipient(recipient);
		const { body, text, question } = toMessage(sentTo, read, settings);
		const values = ownSafeguards(itemIndex);
		const message: Message = {
			itemIndex,
			recipient,
			givenRecipient,
			request: { url, body },
			text,
			link: settings.link,
			labels: question?.labels,
			askedIn: question && context.getExecutionId(),
			gaps: [...gaps],
			sendOnceKey: values.sendOnceKey,
			safeguards: values,
		};
		return { message, recipient, question };
	};

	return await mapAndYield(context.getInputData(), ({ json }, itemIndex): ReadItem => {
		let recipient: string | undefined;
		try {
			return readItem(itemIndex, (known) => (recipient = known));
		} catch (error) {
			const { failure } = parameterError(name, fields[name], error);
			const earlier = failure.parameter === name ? fixOfEarlierStep(json) : undefined;
			const rejected = { ...failure, description: earlier ?? failure.description };
			return { rejected, recipient };
		}
	});
}

/**
 * The fix for an item without a recipient, if that's because an earlier node of this type has
 * skipped or failed it.
 */
function fixOfEarlierStep(json: unknown): string | undefined {
	// Binary data may come without any.
	if (!isObject(json)) return undefined;
	if (json.skipped === true && typeof json.reason === 'string') return SKIPPED;
	return json.error && isObject(json.details) && json.details.delivery ? FAILED : undefined;
}
const FROM_LIST =
	"Take the recipient from the list, e.g. {{ $('Customers').item.json.customerId }}, and not " +
	"from the earlier step's result. Leave out only customers who are to get nothing from this step";
const SKIPPED = `${FROM_LIST}. The earlier step skipped this item, so its result has no recipient`;
const FAILED =
	FROM_LIST + '. The earlier step failed for this item, so its result has no recipient';
