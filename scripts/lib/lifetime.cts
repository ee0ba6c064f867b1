/** When a script has to end: it was told to, or no one is left to tell it. */

/**
 * Calls the handler on Ctrl+C and its relatives. npm passes a signal to the shell between it and the script,
 * and that shell dies alone, so the loss of the shell counts too.
 */
export function onEnd(handler: () => void): void {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, handler);
	if (!process.env.npm_lifecycle_event) return;
	const shell = process.ppid;
	const watch = setInterval(() => {
		if (process.ppid === shell) return;
		clearInterval(watch);
		handler();
	}, 500);
	watch.unref();
}
