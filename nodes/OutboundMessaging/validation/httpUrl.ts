/** An absolute http or https URL in its parts; undefined when the text, with what it's relative to, is none. */
export function httpUrl(text: string, base?: string): URL | undefined {
	const url = URL.canParse(text, base) ? new URL(text, base) : undefined;
	return url && /^https?:$/.test(url.protocol) ? url : undefined;
}
