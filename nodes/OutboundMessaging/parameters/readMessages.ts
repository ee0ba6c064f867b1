import type { CountryCode } from 'libphonenumber-js/max';
import type { IExecuteFunctions } from 'n8n-workflow';

import { yieldIfDue } from '../delivery/eventLoop';
import { type Failure, isSkipReason } from '../delivery/outcome';
import { type Message, messagesOf } from '../delivery/message';
import type { Checked, MessageOptions, Operation } from '../operations/operation';
import type { Question } from '../waitForResponse/question';
import { isObject } from '../isObject';
import { PHONE } from '../operations/recipientFields';
import { countryCode } from '../validation/countries';
import { sameCustomer } from '../validation/sameCustomer';
import { Parameters } from './parameters';
import { allowedHoursReader } from './safeguards';
import { keyCheck, requireSameContentForSameKey, SEND_ONCE_KEY } from './sendOnceKey';
import { noteRefusal, UNCERTAIN_ITEM, uncertainItems } from './uncertainItems';
import { failureOf } from './unreadable';
import type { InvalidValue } from '../validation/invalidValue';

/** A message, or why its item can't become one. */
export type ReadItem =
	| { message: Message; defaultCountry?: CountryCode; question?: Question }
	| { refused: Failure; defaultCountry?: CountryCode };

/**
 * Turns every item into a message, before the first one is sent.
 * @param url where the operation's requests go
 * @throws RunRejected when two messages share a send-once key, but not their content
 */
export async function readMessages(
	context: IExecuteFunctions,
	operation: Operation,
	url: string,
	settings: MessageOptions & { resendUncertain: boolean },
): Promise<ReadItem[]> {
	const parameters = new Parameters(context);
	const readItem = itemReader(context, parameters, operation, url, settings);
	const isUncertain = uncertainItems(context, parameters);

	const items: ReadItem[] = [];
	const count = context.getInputData().length;
	for (let itemIndex = 0; itemIndex < count; itemIndex++) {
		const item = readItem(itemIndex);
		const message = 'message' in item ? item.message : undefined;
		const isResent = isUncertain(itemIndex, message);
		if (message) message.isResent = isResent;
		const isRefused = isResent && !settings.resendUncertain;
		if (isRefused) noteRefusal(context);
		items.push(isRefused ? { refused: UNCERTAIN_ITEM } : item);
		await yieldIfDue();
	}
	await requireSameContentForSameKey(messagesOf(items));
	return items;
}

const DEFAULT_COUNTRY = 'options.defaultCountry';

/** Whether a node of this type skipped the item: it has none of the service's fields. Binary data may come without any. */
function isSkippedItem(json: unknown): boolean {
	return isObject(json) && json.skipped === true && isSkipReason(json.reason);
}

const FILTER_OUT_SKIPPED =
	"An earlier step skipped this item, so it has no customer ID. Before this step, filter out the items whose 'skipped' is true";

function itemReader(
	context: IExecuteFunctions,
	parameters: Parameters,
	operation: Operation,
	url: string,
	options: MessageOptions,
) {
	// A key that is set but empty for an item would leave that item without the protection it was meant to have.
	const hasKeys = parameters.raw(SEND_ONCE_KEY.name) !== null;
	const hasCountry = operation.recipientField === PHONE && parameters.raw(DEFAULT_COUNTRY) !== null;
	const checkKey = keyCheck(parameters);
	const labels = new Map([
		[DEFAULT_COUNTRY, 'Default Country'],
		[SEND_ONCE_KEY.name, SEND_ONCE_KEY.label],
		...Object.entries(operation.fields).map(
			([name, { displayName }]) => [name, displayName] as const,
		),
	]);
	const readAllowedHours = allowedHoursReader(parameters, context.getTimezone());

	return (itemIndex: number): ReadItem => {
		let label = 'Operation';
		let parameter: string | undefined;
		let given: string | undefined;
		const checked: Checked = (name, check) => {
			label = labels.get(name) ?? name;
			parameter = name;
			const value = parameters.read(name, itemIndex);
			const result = check(value);
			if (name === operation.recipientField.name) given = String(value);
			return result;
		};
		let defaultCountry: CountryCode | undefined;
		try {
			if (hasCountry) defaultCountry = checked(DEFAULT_COUNTRY, countryCode);
			const { recipient, body, text, question } = operation.toMessage(checked, {
				...options,
				defaultCountry,
			});
			const { name } = SEND_ONCE_KEY;
			const key = hasKeys ? checked(name, (value) => checkKey(value, itemIndex)) : undefined;
			label = 'Allowed Hours';
			const allowedHours = readAllowedHours?.(itemIndex);
			const request = { url, body };
			const message = {
				itemIndex,
				recipient: sameCustomer(recipient),
				givenRecipient: given,
				request,
				text,
				sendOnceKey: key,
				allowedHours,
			};
			return { message, defaultCountry, question };
		} catch (error) {
			const { path } = error as Partial<InvalidValue>;
			const failure = { ...failureOf(label, error), parameter, path };
			const refused = isSkippedItem(context.getInputData()[itemIndex].json)
				? { ...failure, description: FILTER_OUT_SKIPPED }
				: failure;
			return { refused, defaultCountry };
		}
	};
}
