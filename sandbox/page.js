'use strict';

const fs = require('node:fs');
const path = require('node:path');

const FILES = {
	'/': ['index.html', 'text/html; charset=utf-8'],
	'/inbox/style.css': ['style.css', 'text/css; charset=utf-8'],
	'/inbox/inbox.js': ['inbox.js', 'text/javascript; charset=utf-8'],
};

/** The page loads nothing from elsewhere, and the browser is told so. */
const HEADERS = {
	'cache-control': 'no-store',
	'content-security-policy':
		"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; " +
		"img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	'x-content-type-options': 'nosniff',
	'referrer-policy': 'no-referrer',
};

/** @param {import('fastify').FastifyInstance} app */
async function page(app) {
	for (const [url, [name, type]] of Object.entries(FILES)) {
		const content = fs.readFileSync(path.join(__dirname, 'inbox', name), 'utf8');
		app.get(url, (_, reply) => reply.headers(HEADERS).type(type).send(content));
	}
}

module.exports = { page };
