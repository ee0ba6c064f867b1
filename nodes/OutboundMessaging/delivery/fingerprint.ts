import { hash } from 'node:crypto';

import type { Message } from './message';

const contents = new WeakMap<Message, string>();

/** A fingerprint of what a message says and to whom, made once. */
export function contentOf(message: Message): string {
	const known = contents.get(message);
	if (known !== undefined) return known;
	const { recipient, request } = message;
	// One customer, however the number or the ID is written.
	const written = { customer_id: undefined, customer_phone: undefined };
	const fingerprint = fingerprintOf(JSON.stringify({ ...request.body, ...written, recipient }));
	contents.set(message, fingerprint);
	return fingerprint;
}

/** A fingerprint of what the customer reads; undefined where the node doesn't know it. */
export const textOf = ({ text }: Message) => (text === undefined ? undefined : fingerprintOf(text));

/** Short, and as good as the text itself for comparing. */
export const fingerprintOf = (text: string) => hash('sha256', text, 'base64').slice(0, 16);
