/** Types of start.js, which is JavaScript because it runs before anything is installed. */
export function isInstalled(folder: string): boolean;
export function npmCommand(): [command: string, ...args: string[]];
export function onEnd(handler: () => void): () => void;
export function tool(name: string): string;
