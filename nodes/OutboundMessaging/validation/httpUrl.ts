/** An absolute http or https URL in its parts; undefined when the text, with what it's relative to, is none. */
export function httpUrl(text: string, base?: string): URL | undefined {
	try {
		const url = new URL(text, base);
		return /^https?:$/.test(url.protocol) ? url : undefined;
	} catch {
		// Not URL.canParse: after some thousand calls, that of Node 20 takes every URL with an ü for none.
		return undefined;
	}
}
