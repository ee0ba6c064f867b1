import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { OutboundMessaging } from '../../nodes/OutboundMessaging/OutboundMessaging.node';
import { useEngine } from './engine';
import { found } from '../found';
import { customers } from './workflows';

const engine = useEngine();

const { properties } = new OutboundMessaging().description;
const ODD = [{}, { a: 1 }, [], ['unheard-of'], 'unheard-of', 12345, true, null];

const collectionNamed = (name: string) =>
	(properties.find((property) => property.name === name)?.options ?? []) as INodeProperties[];

/** Odd values of a field, and of the parts of a group. */
function oddValuesOf({ name, options = [], type }: INodeProperties): Array<[string, unknown]> {
	const whole = ODD.map((value): [string, unknown] => [name, value]);
	if (type !== 'fixedCollection') return whole;
	const [part] = options as Array<{ name: string; values: INodeProperties[] }>;
	return [...whole, ...ODD.map((value): [string, unknown] => [name, { [part.name]: value }])];
}

const cases = ['safeguards'].flatMap((collection) =>
	collectionNamed(collection).flatMap((field) =>
		oddValuesOf(field).map(([name, value]) => ({ collection, name, field, value })),
	),
);

/** What can only be meant in one way, and is read like that. */
const READ = [
	'doNotContact []',
	'doNotContact 12345',
	'dryRun true',
	'maxMessages 12345',
	'sendOnceKey "unheard-of"',
	'sendOnceKey 12345',
	'stopAfterFailures 12345',
	'testRecipient 12345',
];

it('an odd value of a safeguard is rejected by name, or read as it is meant', async () => {
	const read: string[] = [];
	for (const { collection, name, field, value } of found(cases)) {
		const spec = { [collection]: { [name]: value } as IDataObject };
		const { words } = await engine.send(spec, customers(1));
		if (!words.includes(field.displayName)) read.push(`${name} ${JSON.stringify(value)}`);
	}
	expect(read).toEqual(READ);
});
