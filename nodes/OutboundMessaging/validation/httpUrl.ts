/** An absolute http or https URL in its parts; undefined when the text is none. */
export function httpUrl(text: string): URL | undefined {
	try {
		const url = new URL(text);
		return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
	} catch {
		return undefined;
	}
}
