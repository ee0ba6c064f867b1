/** An absolute http or https URL in its parts; undefined when the text is none. */
export function httpUrl(text: string): URL | undefined {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	return url && /^https?:$/.test(url.protocol) ? url : undefined;
}
