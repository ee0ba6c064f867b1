/** Types of start.js, which is JavaScript because it runs before anything is installed. */
export function isInstalled(folder: string): boolean;
export function log(text?: string): void;
export function npmCommand(...args: string[]): [command: string, args: string[]];
export function onEnd(handler: () => void): () => void;
export function step<T>(name: string, work: () => Promise<T>, usually?: number): Promise<T>;
export function tool(name: string): string;
