import type { CountryCode } from 'libphonenumber-js/max';
import type { IExecuteFunctions } from 'n8n-workflow';

import { mapInTurns } from '../common/eventLoop';
import { nodeState } from '../n8n/nodeState';
import type { Failure } from '../delivery/outcome';
import { RunRejected } from '../delivery/runRejected';
import type { Message } from '../delivery/message';
import type { Fields } from '../fields/field';
import type { Checked, MessageOptions, Operation } from '../operations/operation';
import type { Question } from '../waitForResponse/question';
import { isObject } from '../common/isObject';
import { PHONE } from '../operations/recipientFields';
import { countryCode } from '../recipients/countries';
import { identifier } from '../validation/identifier';
import { InvalidValue, invalid, quoteForError } from '../validation/invalidValue';
import { sameCustomer } from '../recipients/sameCustomer';
import { options } from '../parameters/options';
import { pathsIn } from '../parameters/plainPath';
import { Parameters, rawParameter, parameterError } from '../parameters/parameters';
import { safeguardFields } from '../safeguards';
import { hoursCheck } from '../safeguards/allowedHours';
import { SEND_ONCE_KEY } from '../safeguards/sendOnceKey';
import { UNCERTAIN_ITEM, uncertainItems } from './uncertainItems';

export type ReadItem = { defaultCountry?: CountryCode } & (
	| { message: Message; question?: Question }
	| { rejected: Failure }
);

/** Turns every item into a message, before the first one is sent. @param url where the operation's requests go */
export async function readMessages(
	context: IExecuteFunctions,
	operation: Operation,
	url: string,
	settings: MessageOptions & { resendUncertain: boolean },
): Promise<ReadItem[]> {
	const parameters = new Parameters(context);
	const readItem = itemReader(context, parameters, operation, url, settings);
	const uncertain = uncertainItems(context, parameters);

	return await mapInTurns(context.getInputData(), (_, itemIndex): ReadItem => {
		const item = readItem(itemIndex);
		const message = 'message' in item ? item.message : undefined;
		const leftBy = uncertain(itemIndex, message);
		if (message) message.isResent = leftBy !== undefined;
		const isRejected = leftBy && !settings.resendUncertain;
		// For the nodes after this one.
		if (isRejected && leftBy === 'earlierExecution') nodeState(context).hasRejected = true;
		return isRejected ? { rejected: UNCERTAIN_ITEM } : item;
	});
}

const COUNTRY = 'options.defaultCountry';
const HOURS = 'safeguards.allowedHours';
const KEY = SEND_ONCE_KEY.name;

/** A text with a gap may be meant. Everything else would be wrong: another customer, another file, a key that messages share. */
const IS_READ_BY_PEOPLE =
	/^(?:text|message|attributes|attributesJson|approvalOptions|choices|choicesJson)$/;

const incomplete = (path: string) =>
	invalid`is incomplete: ${quoteForError(path)} found no value
		Check that the input item has this field, or filter out the items without it before this step`;

function itemReader(
	context: IExecuteFunctions,
	parameters: Parameters,
	operation: Operation,
	url: string,
	settings: MessageOptions,
) {
	const fields: Fields = {
		...operation.fields,
		[COUNTRY]: options.defaultCountry,
		[HOURS]: safeguardFields.allowedHours,
		[KEY]: safeguardFields.sendOnceKey,
	};
	const rawOf = (name: string) => rawParameter(context, name);
	// A key that is set but empty for an item would leave that item without the protection it was meant to have.
	const added = new Set([COUNTRY, HOURS, KEY].filter((name) => rawOf(name) !== null));
	if (operation.recipientField !== PHONE) added.delete(COUNTRY);
	const checkHours = hoursCheck(rawOf(HOURS), context.getTimezone());

	/** How to fix what a check rejected, in terms of the field's own expression. */
	const ownFix = (parameter: string, itemIndex: number, error: unknown, failure: Failure) => {
		const { title, description } = failure;
		if (isSkippedItem(context.getInputData()[itemIndex].json)) return FILTER_OUT_SKIPPED;
		if (settings.isToolCall) return description;
		const { fixWith, path }: Partial<InvalidValue> = error instanceof InvalidValue ? error : {};
		const raw = (path && rawOf(`${parameter}.${path}`)) ?? rawOf(parameter);
		const used = pathsIn(raw);
		// A fix couldn't change anything else safely.
		const own = typeof raw === 'string' && used.find(({ is }) => is === 'value');
		if (own) return fixWith?.(own.path) ?? description;
		const fields = parameters.fieldsBehind(used, itemIndex).slice(0, 3).join(', ');
		// Other errors show the value itself.
		const isHelp = fields !== '' && /\bis empty|couldn't be read/.test(title);
		return isHelp ? `${description}. In this item, ${fields}` : description;
	};

	const { name: recipientName, check: checkRecipient } = operation.recipientField;
	const rejection = (name: string, itemIndex: number, error: unknown) => {
		const { failure } = parameterError(fields[name].displayName, error);
		const description = ownFix(name, itemIndex, error, failure);
		return new RunRejected({ ...failure, description, parameter: name });
	};

	return (itemIndex: number): ReadItem => {
		const emptyPaths = new Set<string>();
		const checked: Checked = (name, check) => {
			try {
				const value = parameters.read(name, itemIndex);
				const isStrict = !IS_READ_BY_PEOPLE.test(name);
				for (const path of parameters.emptyPaths(name, itemIndex, isStrict)) {
					if (isStrict) throw incomplete(path);
					emptyPaths.add(path);
				}
				return check(value);
			} catch (error) {
				throw rejection(name, itemIndex, error);
			}
		};
		const ifAdded = <T>(name: string, check: (value: unknown) => T) =>
			added.has(name) ? checked(name, check) : undefined;
		let defaultCountry: CountryCode | undefined;
		try {
			defaultCountry = ifAdded(COUNTRY, countryCode);
			const countries = defaultCountry ? [defaultCountry] : [];
			const [recipient, givenRecipient] = checked(recipientName, (value) => [
				checkRecipient(value, countries),
				String(value),
			]);
			const made = operation.toMessage(recipient, checked, { ...settings, defaultCountry });
			const message: Message = {
				itemIndex,
				recipient: sameCustomer(recipient),
				givenRecipient,
				request: { url, body: made.body },
				text: made.text,
				length: made.length,
				askedIn: made.question && context.getExecutionId(),
				emptyPaths: [...emptyPaths],
				sendOnceKey: ifAdded(KEY, identifier),
				allowedHours: ifAdded(HOURS, checkHours),
			};
			return { message, defaultCountry, question: made.question };
		} catch (error) {
			const rejected =
				error instanceof RunRejected ? error : rejection(recipientName, itemIndex, error);
			return { rejected: rejected.failure, defaultCountry };
		}
	};
}

/** Whether a node of this type skipped the item: it has none of the service's fields. Binary data may come without any. */
const isSkippedItem = (json: unknown): boolean =>
	isObject(json) && json.skipped === true && typeof json.reason === 'string';
const FILTER_OUT_SKIPPED =
	"An earlier step skipped this item, so it has no customer ID. Before this step, filter out the items whose 'skipped' is true";
