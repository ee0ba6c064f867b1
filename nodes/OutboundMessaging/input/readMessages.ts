import type { CountryCode } from 'libphonenumber-js/max';
import type { IExecuteFunctions } from 'n8n-workflow';

import { mapInTurns } from '../common/eventLoop';
import { isObject } from '../common/isObject';
import type { Message } from '../delivery/message';
import type { Failure } from '../delivery/outcome';
import { RunRejected } from '../delivery/runRejected';
import type { AddedField, Field } from '../fields/field';
import type { Checked, MessageOptions, Operation } from '../operations/operation';
import { PHONE, recipientChecks } from '../operations/recipientFields';
import { options } from '../parameters/options';
import { Parameters, parameterError } from '../parameters/parameters';
import { addedNames } from '../parameters/runValues';
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
	const reader = new MessageReader(context, operation, url, settings);
	const isUncertain = uncertainItems(context);
	return await mapInTurns(context.getInputData(), ({ json }, itemIndex): ReadItem => {
		let defaultCountry: CountryCode | undefined;
		try {
			defaultCountry = reader.country(itemIndex);
			const { message, question } = reader.read(itemIndex, defaultCountry);
			message.wasLeftUncertain = isUncertain(itemIndex, message);
			return { message, question, defaultCountry, wasLeftUncertain: message.wasLeftUncertain };
		} catch (error) {
			const isOfField = error instanceof RunRejected;
			const { failure } = isOfField ? error : parameterError(operation.recipientField.label, error);
			const rejected = isSkippedItem(json) ? { ...failure, description: SKIPPED } : failure;
			return { rejected, defaultCountry, wasLeftUncertain: isUncertain(itemIndex) };
		}
	});
}

const COUNTRY = 'options.defaultCountry';
const PER_ITEM = Object.entries<AddedField>(safeguardFields).filter(([, field]) => field.isPerItem);

/** Reads the fields of an item, each of them once, and makes its message. */
class MessageReader {
	private readonly parameters: Parameters;
	private readonly safeguards: typeof PER_ITEM;
	private readonly hasCountry: boolean;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		private readonly url: string,
		private readonly settings: MessageOptions,
	) {
		this.parameters = new Parameters(context);
		const added = addedNames(context, 'safeguards');
		this.safeguards = PER_ITEM.filter(([name]) => added.has(name));
		this.hasCountry =
			operation.recipientField === PHONE && addedNames(context, 'options').has('defaultCountry');
	}

	/** @throws RunRejected */
	country(itemIndex: number): CountryCode | undefined {
		if (!this.hasCountry) return undefined;
		return this.added(COUNTRY, options.defaultCountry, itemIndex, []) as CountryCode | undefined;
	}

	/** @throws RunRejected if the item can't become a message */
	read(itemIndex: number, defaultCountry?: CountryCode) {
		const { fields, recipientField, toMessage } = this.operation;
		const countries = defaultCountry ? [defaultCountry] : [];
		const gaps = new Set<string>();
		const checked: Checked = (name, check) =>
			naming(name, fields[name], (field) =>
				this.parameters.checked(name, field, itemIndex, check, gaps),
			);
		const [recipient, givenRecipient] = checked(recipientField.name, (value) => [
			recipientField.check(value, countries),
			String(value),
		]);
		const settings = { ...this.settings, defaultCountry };
		const { body, text, length, question } = toMessage(recipient, checked, settings);
		const values = this.safeguards.map(([name, field]) => {
			return [name, this.added(`safeguards.${name}`, field, itemIndex, countries)];
		});
		const safeguards = Object.fromEntries(values) as Record<string, unknown>;
		const message: Message = {
			itemIndex,
			recipient: sameCustomer(recipient),
			givenRecipient,
			request: { url: this.url, body },
			text,
			length,
			labels: question?.labels,
			askedIn: question && this.context.getExecutionId(),
			gaps: [...gaps],
			sendOnceKey: safeguards.sendOnceKey as string | undefined,
			safeguards,
		};
		return { message, question };
	}

	/** The value of an option or a safeguard that can differ between items. */
	private added(name: string, field: AddedField, itemIndex: number, countries: CountryCode[]) {
		const recipients = recipientChecks(this.operation.recipientField, countries);
		return naming(name, field, () => this.parameters.added(name, field, itemIndex, recipients));
	}
}

/** Reads a field. @throws RunRejected that names it */
function naming<T>(name: string, field: Field, read: (field: Field) => T): T {
	try {
		return read(field);
	} catch (error) {
		const { failure } = parameterError(field.displayName, error);
		throw new RunRejected({ ...failure, parameter: name });
	}
}

/** Whether a node of this type skipped the item: it has none of the service's fields. Binary data may come without any. */
const isSkippedItem = (json: unknown): boolean =>
	isObject(json) && json.skipped === true && typeof json.reason === 'string';
const SKIPPED =
	"An earlier step skipped this item, so it has no customer ID. Before this step, filter out the items whose 'skipped' is true";
