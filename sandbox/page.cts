/** The inbox page at `/`: what every customer would see on the phone. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { transformSync } from 'esbuild';
import type { FastifyInstance } from 'fastify';

/** The page loads nothing from elsewhere, and the browser is told so. */
const HEADERS = {
	'cache-control': 'no-store',
	'content-security-policy':
		"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; " +
		"img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	'x-content-type-options': 'nosniff',
	'referrer-policy': 'no-referrer',
};

const read = (name: string) => readFileSync(path.join(__dirname, 'inbox', name), 'utf8');

/**
 * Nothing is read before a browser asks for it: for the script, esbuild starts a process, which
 * most tests don't need.
 */
export function page(app: FastifyInstance): void {
	const serve = (url: string, type: string, content: () => string) =>
		app.get(url, (_, reply) =>
			reply.headers(HEADERS).type(`${type}; charset=utf-8`).send(content()),
		);
	serve('/', 'text/html', () => read('index.html'));
	serve('/inbox/style.css', 'text/css', () => read('style.css'));
	// The browser gets what is left when the types are gone.
	const script = () => transformSync(read('inbox.mts'), { loader: 'ts' }).code;
	serve('/inbox/inbox.js', 'text/javascript', script);
}
