import type { CountryCode } from 'libphonenumber-js/max';
import type { IExecuteFunctions } from 'n8n-workflow';

import { mapInTurns } from '../common/eventLoop';
import { isObject } from '../common/isObject';
import type { Message } from '../delivery/message';
import type { Failure } from '../delivery/outcome';
import type { AddedField } from '../fields/field';
import type { Checked, MessageOptions, Operation } from '../operations/operation';
import { PHONE } from '../operations/recipientFields';
import { options } from '../parameters/options';
import { Parameters, addedNames, parameterError } from '../parameters/parameters';
import { sameCustomer } from '../recipients/sameCustomer';
import { safeguardFields } from '../safeguards';
import type { Question } from '../waitForResponse/question';
import { uncertainItems } from './uncertainItems';

/** An item as a message, or why it isn't one. The country is that of its phone number if that has no country code. */
export type ReadItem = { defaultCountry?: CountryCode; wasLeftUncertain: boolean } & (
	| { message: Message; question?: Question }
	| { message?: undefined; rejected: Failure }
);

/** Turns every item into a message, before the first one is sent. @param url where the operation's requests go */
export async function readMessages(
	context: IExecuteFunctions,
	operation: Operation,
	url: string,
	settings: MessageOptions,
): Promise<ReadItem[]> {
	const { fields, recipientField, toMessage } = operation;
	const parameters = new Parameters(context);
	const isUncertain = uncertainItems(context);
	const hasCountry =
		recipientField === PHONE && addedNames(context, 'options').has('defaultCountry');
	const added = addedNames(context, 'safeguards');
	const ownSafeguards = Object.entries<AddedField>(safeguardFields).filter(
		([name, { isPerItem }]) => isPerItem === true && added.has(name),
	);

	/** @throws RunRejected if the item can't become a message */
	const read = (itemIndex: number, defaultCountry?: CountryCode) => {
		const countries = defaultCountry ? [defaultCountry] : [];
		const gaps = new Set<string>();
		const checked: Checked = (name, check) =>
			parameters.checked(name, fields[name], itemIndex, check, gaps);
		const [recipient, givenRecipient] = checked(recipientField.name, (value) => [
			recipientField.check(value, countries),
			String(value),
		]);
		const ownSettings = { ...settings, defaultCountry };
		const { body, text, question } = toMessage(recipient, checked, ownSettings);
		const whose = { recipientField, countries };
		const values = ownSafeguards.map(([name, field]) => {
			return [name, parameters.added(`safeguards.${name}`, field, itemIndex, whose)];
		});
		const safeguards = Object.fromEntries(values) as Record<string, unknown>;
		const message: Message = {
			itemIndex,
			recipient: sameCustomer(recipient),
			givenRecipient,
			request: { url, body },
			text,
			link: settings.link,
			labels: question?.labels,
			askedIn: question && context.getExecutionId(),
			gaps: [...gaps],
			sendOnceKey: safeguards.sendOnceKey as string | undefined,
			safeguards,
		};
		message.wasLeftUncertain = isUncertain(itemIndex, message);
		return { message, question, wasLeftUncertain: message.wasLeftUncertain };
	};

	return await mapInTurns(context.getInputData(), ({ json }, itemIndex): ReadItem => {
		let defaultCountry: CountryCode | undefined;
		try {
			if (hasCountry) {
				const whose = { recipientField, countries: [] };
				const field = options.defaultCountry;
				const country = parameters.added('options.defaultCountry', field, itemIndex, whose);
				defaultCountry = country as CountryCode | undefined;
			}
			return { ...read(itemIndex, defaultCountry), defaultCountry };
		} catch (error) {
			const { name } = recipientField;
			const { failure } = parameterError(name, fields[name], error);
			const rejected = isSkippedItem(json) ? { ...failure, description: SKIPPED } : failure;
			return { rejected, defaultCountry, wasLeftUncertain: isUncertain(itemIndex) };
		}
	});
}

/** Whether a node of this type skipped the item: it has none of the service's fields. Binary data may come without any. */
const isSkippedItem = (json: unknown): boolean =>
	isObject(json) && json.skipped === true && typeof json.reason === 'string';
const SKIPPED =
	"An earlier step skipped this item, so it has no customer ID. Before this step, filter out the items whose 'skipped' is true";
