/**
 * After every way to fail, and after answers that are meant to do harm: n8n continues, and the API
 * key is nowhere but, encrypted, in its credential. What such answers mean and say is in
 * test/unit/service and test/fuzz.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { FaultRule } from '../../sandbox/index.cts';
import type { Execution } from '../n8n/execution.cts';
import { NODE, inParallel, textOf, useOwnN8n } from './help.cts';

const KEY = `key-${randomBytes(40).toString('hex')}`;
/**
 * The key's pieces: a file may hold its halves on two pages, which a search for the
 * whole would miss.
 */
const base64 = ['', 'x', 'xx'].map((before) => btoa(before + KEY).slice(8, -8));
const PIECES = [KEY, KEY.toUpperCase(), ...base64].flatMap((form) => form.match(/.{12,20}/g) ?? []);

/** Is in every message, to prove that each search finds what is there. */
const CANARY = `canary-${randomBytes(20).toString('hex')}`;

const used = useOwnN8n({
	sandbox: { apiKey: KEY },
	env: { N8N_LOG_LEVEL: 'debug', N8N_LOG_OUTPUT: 'console,file' },
});

const status = (code: number, body?: object | string, more?: object): FaultRule =>
	({ what: 'status', status: code, body, ...more }) as FaultRule;
const JSON_TYPE = { contentType: 'application/json' };
const echo = { error: `The key ${KEY} may not do this`, code: KEY, detail: [{ msg: KEY }] };
const record = { id: 'm', function_name: 'f', status: 'sent', message: `Sent with ${KEY}` };
const spread = KEY.split('').join('\u200b');
const inOtherForms = `${KEY.toUpperCase()} ${btoa(`ada:${KEY}`)} ${spread}`;
/** A record with names that every object has. */
const named = `${JSON.stringify(record).slice(0, -1)},"__proto__":{"error":"${KEY}"},"toString":1}`;
const FAULTS: Record<string, FaultRule> = {
	400: status(400),
	401: status(401),
	403: status(403, { detail: `Who is ${KEY}?` }),
	404: status(404, `Nothing here for ${KEY}`),
	429: { what: 'rateLimit', retryAfter: 1 },
	500: status(500),
	503: { what: 'unavailable' },
	'cut before': { what: 'cutBefore' },
	'cut after': { what: 'cutAfter' },
	'cut during the body': { what: 'cutDuringBody' },
	hang: { what: 'hang' },
	redirect: { what: 'redirect', location: `https://login.example.com/?for=${KEY}` },
	html: { what: 'html', body: `<title>Dear ${KEY}</title><p>${KEY}` },
	'html 502': { what: 'html', status: 502, body: `<p>${KEY}</p>` },
	'success false': { what: 'successFalse', message: `Not with ${KEY}` },
	'not a record': { what: 'notARecord', body: { ...echo, key: KEY } },
	'not JSON': status(200, KEY, JSON_TYPE),
	'echo in a 400': status(400, echo),
	'echo in a 500': status(500, echo, { headers: { 'x-key': KEY } }),
	'the key in other forms': status(400, { error: inOtherForms }),
	'the key in base64 on a page': { what: 'html', status: 403, body: `<p>${btoa(KEY)}</p>` },
	'a record with the key': status(200, record, { accepted: true }),
	'half a key at the cut': status(400, { error: 'x'.repeat(280) + KEY }),
	// Answers meant to do harm: n8n stores these executions like any others.
	'ten megabytes': status(400, KEY.repeat(120_000)),
	'lists in lists': status(200, '['.repeat(100_000) + ']'.repeat(100_000), JSON_TYPE),
	'names of all objects': status(200, named, JSON_TYPE),
};
const faults = Object.entries(FAULTS).map(([what, fault], index) => ({
	what,
	customer: 1000 + index,
	rule: { ...fault, when: { recipient: String(1000 + index) } } as FaultRule,
}));
/** Runs that never reach the service, or are rejected by it without a fault. */
const CREDENTIALS = {
	'closed port': { baseUrl: 'http://127.0.0.1:9' },
	'unknown host': { baseUrl: 'https://nothing.invalid' },
	'not a URL': { baseUrl: 'ftp://example.com' },
	'the key as URL': { baseUrl: KEY },
	'the key beside the header': { apiKeyHeader: `X-Key: ${KEY}` },
	'other header': { apiKeyHeader: 'X-Other' },
	'no header': { apiKeyHeader: 'not a name' },
	'a key with spaces': { apiKey: `${KEY} ${KEY} ${KEY}` },
	'other domain': { allowedHttpRequestDomains: 'domains', allowedDomains: 'example.com' },
};

let runs: Array<{ what: string; execution: Execution }> = [];
/** Of the credential test. */
const answers: object[] = [];

beforeAll(async () => {
	used.sandbox.faults.set(faults.map(({ rule }) => rule));
	const ways = [
		...faults.map(({ what, customer }) => ({ what, customer, data: {} })),
		...Object.entries(CREDENTIALS).map(([what, data]) => ({ what, customer: 1000, data })),
	];
	const modes = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];
	const combinations = modes.flatMap((onError) => ways.map((way) => ({ ...way, onError })));
	runs = await inParallel(combinations, 4, async ({ what, onError, customer, data }) => ({
		what: `${what}, ${onError}`,
		execution: await used.send({
			list: [{ customer, text: CANARY }],
			parameters: textOf({ timeout: 500, rateLimitWait: 0.2 }),
			settings: { onError },
			credentialId: await used.createCredential(data),
		}),
	}));

	// The credential's own test is one more way for the key to get out.
	for (const { rule } of faults) {
		if (/cutDuring|successFalse|hang/.test(rule.what)) continue;
		used.sandbox.faults.set([{ ...rule, when: undefined, beforeAuth: true } as FaultRule]);
		answers.push(await used.testCredential());
	}
	used.sandbox.faults.clear();
	for (const values of Object.values(CREDENTIALS)) answers.push(await used.testCredential(values));
}, 180_000);

const found = (text: string, ...words: string[]) => words.filter((word) => text.includes(word));

test('not in any execution, as the REST API gives it', () => {
	for (const { what, execution } of runs) {
		const text = JSON.stringify(execution.stored);
		expect({ what, found: found(text, CANARY, ...PIECES) }).toEqual({ what, found: [CANARY] });
	}
	const failed = runs.flatMap(({ execution }) => execution.items(NODE, { output: 1 }));
	const deliveries = new Set(failed.map(({ details }) => details?.delivery));
	expect(deliveries).toEqual(new Set(['rejected', 'uncertain', 'notAttempted']));
});

test('not in any answer of the credential test', () => {
	expect(answers.length).toBeGreaterThan(20);
	expect(answers.filter((answer) => found(JSON.stringify(answer), ...PIECES).length)).toEqual([]);
});

test("not in n8n's log", () => {
	const log = used.n8n.output();
	// The log of debug level is there, from its first line on.
	expect(log).toContain('Initializing n8n process');
	expect(log).toMatch(/\| debug \| Running node "Outbound Messaging" started/);
	expect(found(log, ...PIECES)).toEqual([]);
});

test('not in any file of its home, the database among them', () => {
	const entries = fs.readdirSync(used.n8n.home, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile());
	const holding = (...words: string[]) =>
		files.flatMap(({ name, parentPath }) => {
			const content = fs.readFileSync(path.join(parentPath, name), 'latin1');
			return found(content, ...words).length ? [name] : [];
		});
	expect(holding(...PIECES)).toEqual([]);
	expect(holding(CANARY)).toContain('database.sqlite-wal');
	expect(files.map(({ name }) => name)).toContain('n8n.log');
});
