import { isObject } from '../isObject';
import { InvalidValue } from '../validation/invalidValue';
import { canBePublic } from '../validation/media';

/**
 * In the place of the link until the message is sent. Each execution has a link of its own, but a message that is sent
 * again is the same message: what recognizes it must not see the link.
 */
export const SAMPLE_LINK = 'https://n8n.example.com/webhook-waiting/answer';

/** The body of a request with the link in place of the sample; it's always at the end of a text. */
export function withLink<T>(body: T, link: string): T {
	const linked = (value: unknown): unknown => {
		if (isObject(value)) {
			return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, linked(each)]));
		}
		return typeof value === 'string' && value.endsWith(SAMPLE_LINK)
			? value.slice(0, -SAMPLE_LINK.length) + link
			: value;
	};
	return linked(body) as T;
}

/**
 * Checks that a person can open the link.
 * @param baseUrl of the service: one on this machine, such as the sandbox, shows its messages here
 * @returns what may keep people from opening it, in words for a hint
 * @throws InvalidValue
 */
export function checkLink(link: string, baseUrl: string): string | undefined {
	const { hostname, protocol, origin } = new URL(link);
	if (isThisMachine(hostname)) {
		if (isThisMachine(new URL(baseUrl).hostname)) return undefined;
		throw new InvalidValue(
			`The link for the answer would lead to ${origin}, which only works on the machine that n8n runs on`,
			"Set the environment variable WEBHOOK_URL of n8n to the URL at which people reach it, or ask your n8n admin. It's also where n8n's own webhooks are",
		);
	}
	if (!canBePublic(hostname)) {
		return `The link leads to ${origin}: only people in the same network can answer. For others, set WEBHOOK_URL of n8n to a public URL`;
	}
	if (protocol === 'https:') return undefined;
	return `The link starts with http://, so answers travel unencrypted. Set WEBHOOK_URL of n8n to a URL that starts with https://`;
}

function isThisMachine(hostname: string): boolean {
	return /^(?:localhost|.+\.localhost|127\..+|0\.0\.0\.0|\[::1?\])\.?$/.test(hostname);
}
