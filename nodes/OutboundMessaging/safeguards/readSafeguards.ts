import type { CountryCode } from 'libphonenumber-js/max';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { RecipientField } from '../operations/operation';
import { safeguardFields } from './index';
import { doNotContactList } from './doNotContact';
import { isDryRun } from './dryRun';
import { InvalidValue } from '../validation/invalidValue';
import { collection, readRunValues } from '../parameters/runValues';
import { rawParameter, parameterError } from '../parameters/parameters';

export const safeguardsProperty = collection(
	'Safeguards',
	'safeguards',
	'Add safeguard',
	'Who gets a message, and when. A safeguard acts as soon as you add it. Except for Allowed Hours and Send Once Key, each has the same value for every item.',
	safeguardFields,
);

/** Reads the safeguards that are one value for all items. @throws RunRejected */
export function readSafeguards(context: IExecuteFunctions) {
	const read = readRunValues(context, 'safeguards', safeguardFields);
	const { onUncertainDelivery, dryRun, ...values } = read;
	requireFilled(context, 'sendOnceKey');
	const resendUncertain = onUncertainDelivery === 'resend';
	return { ...values, dryRun: isDryRun(context, dryRun), resendUncertain };
}

/** Reads the safeguards that hold recipients, if they're set. @param countries of all items' phone numbers. @throws RunRejected */
export async function readRecipients(
	context: IExecuteFunctions,
	{ check, readings }: RecipientField,
	countries: CountryCode[],
) {
	// An expression may fill these texts: one that finds nothing is an error, too.
	const read = async <T>(
		name: 'doNotContact' | 'testRecipient',
		checkText: (value: unknown) => T | Promise<T>,
	) => {
		if (!requireFilled(context, name)) return undefined;
		try {
			return await checkText(context.getNodeParameter(`safeguards.${name}`, 0, ''));
		} catch (error) {
			throw parameterError(safeguardFields[name].displayName, error);
		}
	};
	const doNotContact = await read('doNotContact', (value) =>
		doNotContactList(value, (entry) => readings(entry, countries)),
	);
	// An expression such as {{ $vars.testPhone }} turns the test off with an empty text.
	const testRecipient = await read('testRecipient', (value) =>
		value === '' ? undefined : check(value, countries),
	);
	return { doNotContact: doNotContact ?? new Set(), testRecipient };
}

/** Whether a safeguard is set that judges a message by what the node has sent in the whole execution. */
export function countsMessages(context: IExecuteFunctions): boolean {
	const off = { maxMessages: 0, repeatedRecipients: 'sendAll', testRecipient: '' };
	return Object.entries(off).some(
		([name, value]) => (rawParameter(context, `safeguards.${name}`) ?? value) !== value,
	);
}

/** Whether a text was added. One that is empty isn't off: its sender believes in it. @throws RunRejected */
function requireFilled(context: IExecuteFunctions, name: keyof typeof safeguardFields): boolean {
	const stored = rawParameter(context, `safeguards.${name}`);
	if (stored !== '') return stored !== null;
	const { displayName } = safeguardFields[name];
	const fix = `Enter a value, or remove '${displayName}' under Safeguards`;
	throw parameterError(displayName, new InvalidValue('is empty', fix));
}
