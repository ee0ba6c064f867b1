import type { CountryCode } from 'libphonenumber-js/max';
import type { IExecuteFunctions } from 'n8n-workflow';

import { mapInTurns } from '../common/eventLoop';
import type { Failure } from '../delivery/outcome';
import { RunRejected } from '../delivery/runRejected';
import type { Message } from '../delivery/message';
import type { Field, Fields } from '../fields/field';
import type { Checked, MessageOptions, Operation } from '../operations/operation';
import type { Question } from '../waitForResponse/question';
import { isObject } from '../common/isObject';
import { PHONE } from '../operations/recipientFields';
import { options } from '../parameters/options';
import { Parameters, incomplete, parameterError, rawParameter } from '../parameters/parameters';
import { addedNames, checkAdded } from '../parameters/runValues';
import { sameCustomer } from '../recipients/sameCustomer';
import { safeguardFields } from '../safeguards';
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
			const { failure } = reader.asRejected(error);
			const rejected = isSkippedItem(json) ? { ...failure, description: SKIPPED } : failure;
			return { rejected, defaultCountry, wasLeftUncertain: isUncertain(itemIndex) };
		}
	});
}

const COUNTRY = 'options.defaultCountry';
const PER_ITEM = Object.entries<Field>(safeguardFields).filter(([, field]) => field.isPerItem);

/** Reads the fields of an item, each of them once, and makes its message. */
class MessageReader {
	private readonly parameters: Parameters;
	private readonly fields: Fields;
	private readonly perItem: string[];
	private readonly hasCountry: boolean;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		private readonly url: string,
		private readonly settings: MessageOptions,
	) {
		this.parameters = new Parameters(context);
		const safeguards = PER_ITEM.map(([name, field]) => [`safeguards.${name}`, field] as const);
		this.fields = {
			...operation.fields,
			[COUNTRY]: options.defaultCountry,
			...Object.fromEntries(safeguards),
		};
		const added = addedNames(context, 'safeguards');
		this.perItem = PER_ITEM.map(([name]) => name).filter((name) => added.has(name));
		this.hasCountry =
			operation.recipientField === PHONE && addedNames(context, 'options').has('defaultCountry');
	}

	/** @throws RunRejected */
	country(itemIndex: number): CountryCode | undefined {
		if (!this.hasCountry) return undefined;
		return this.added(COUNTRY, itemIndex) as CountryCode | undefined;
	}

	/** @throws RunRejected if the item can't become a message */
	read(itemIndex: number, defaultCountry?: CountryCode) {
		const { operation } = this;
		const { name, check } = operation.recipientField;
		const gaps = new Set<string>();
		const checked: Checked = (field, checkValue) =>
			this.checked(field, itemIndex, checkValue, gaps);
		const countries = defaultCountry ? [defaultCountry] : [];
		const [recipient, givenRecipient] = checked(name, (value) => [
			check(value, countries),
			String(value),
		]);
		const settings = { ...this.settings, defaultCountry };
		const { body, text, length, question } = operation.toMessage(recipient, checked, settings);
		const values = this.perItem.map((each) => [each, this.added(`safeguards.${each}`, itemIndex)]);
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

	/** @param error in a check: one of a field names it already */
	asRejected(error: unknown): RunRejected {
		return error instanceof RunRejected
			? error
			: this.rejection(this.operation.recipientField.name, error);
	}

	/** A setting that can differ between items. One that is added but empty would leave its item without what it's for. */
	private added(name: string, itemIndex: number): unknown {
		const timezone = this.context.getTimezone();
		const raw = rawParameter(this.context, name);
		return this.checked(name, itemIndex, (value) =>
			checkAdded(this.fields[name], value, { raw, timezone }),
		);
	}

	/** Reads a field of an item and checks it. @param gaps where what is only a hint goes */
	private checked<T>(
		name: string,
		itemIndex: number,
		check: (value: unknown) => T,
		gaps?: Set<string>,
	): T {
		try {
			const value = this.parameters.read(name, itemIndex);
			const { holds } = this.fields[name] ?? {};
			for (const piece of this.parameters.emptyPieces(name, itemIndex, holds)) {
				if (holds !== 'text') throw incomplete(piece);
				gaps?.add(piece);
			}
			return check(value);
		} catch (error) {
			throw this.rejection(name, error);
		}
	}

	private rejection(name: string, error: unknown): RunRejected {
		const { failure } = parameterError(this.fields[name].displayName, error);
		return new RunRejected({ ...failure, parameter: name });
	}
}

/** Whether a node of this type skipped the item: it has none of the service's fields. Binary data may come without any. */
const isSkippedItem = (json: unknown): boolean =>
	isObject(json) && json.skipped === true && typeof json.reason === 'string';
const SKIPPED =
	"An earlier step skipped this item, so it has no customer ID. Before this step, filter out the items whose 'skipped' is true";
