/** After every way to fail: the API key is nowhere but, encrypted, in its credential. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { FaultRule } from '../../sandbox/index.cts';
import type { Execution } from '../n8n/execution.cts';
import { openDatabase } from '../n8n/database.cts';
import { NODE, inParallel, textOf, useOwnN8n } from './help.cts';

const KEY = `key-${randomBytes(40).toString('hex')}`;
/** The key's pieces: a file may hold its halves on two pages, which a search for the whole would miss. */
const base64 = (offset: number) =>
	Buffer.from('x'.repeat(offset) + KEY)
		.toString('base64')
		.slice(8, -8);
const PIECES = [KEY, KEY.toUpperCase(), base64(0), base64(1), base64(2)].flatMap(
	(form) => form.match(/.{12,20}/g) ?? [],
);

/** Is in every message, to prove that each search finds what is there. */
const CANARY = `canary-${randomBytes(20).toString('hex')}`;

const used = useOwnN8n({
	sandbox: { apiKey: KEY },
	env: { N8N_LOG_LEVEL: 'debug', N8N_LOG_OUTPUT: 'console,file' },
});

const echo = { error: `The key ${KEY} may not do this`, code: KEY, detail: [{ msg: KEY }] };
const FAULTS: Record<string, FaultRule> = {
	400: { what: 'status', status: 400 },
	401: { what: 'status', status: 401 },
	403: { what: 'status', status: 403, body: { detail: `Who is ${KEY}?` } },
	404: { what: 'status', status: 404, body: `Nothing here for ${KEY}` },
	429: { what: 'rateLimit', retryAfter: 1 },
	500: { what: 'status', status: 500 },
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
	'not JSON': { what: 'status', status: 200, body: KEY, contentType: 'application/json' },
	'echo in a 400': { what: 'status', status: 400, body: echo },
	'echo in a 500': { what: 'status', status: 500, body: echo, headers: { 'x-key': KEY } },
	'the key in other forms': {
		what: 'status',
		status: 400,
		body: {
			error: `${KEY.toUpperCase()} ${Buffer.from(`ada:${KEY}`).toString('base64')} ${KEY.split('').join('\u200b')}`,
		},
	},
	'the key in base64 on a page': {
		what: 'html',
		status: 403,
		body: `<p>${Buffer.from(KEY).toString('base64')}</p>`,
	},
	'half a key at the cut': { what: 'status', status: 400, body: { error: 'x'.repeat(280) + KEY } },
};
const MODES = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];

/** Runs that never reach the service, or are rejected by it without a fault. */
const CREDENTIALS = {
	'closed port': { baseUrl: 'http://127.0.0.1:9' },
	'unknown host': { baseUrl: 'https://nothing.invalid' },
	'not a URL': { baseUrl: 'ftp://example.com' },
	'the key as URL': { baseUrl: KEY },
	'the key beside the header': { apiKeyHeader: `X-Key: ${KEY}` },
	'other header': { apiKeyHeader: 'X-Other' },
	'no header': { apiKeyHeader: 'not a name' },
	'a key with a space': { apiKey: `${KEY} ${KEY}` },
	'other domain': { allowedHttpRequestDomains: 'domains', allowedDomains: 'example.com' },
};

const runs: Array<{ what: string; execution: Execution }> = [];

interface Combination {
	what: string;
	onError: string;
	list: object[];
	credentialId?: string;
}

beforeAll(async () => {
	const faults = Object.entries(FAULTS).map(([what, fault], index) => ({
		what,
		rule: { ...fault, when: { recipient: String(1000 + index) } },
		customer: 1000 + index,
	}));
	used.sandbox.faults.set(faults.map(({ rule }) => rule));
	const list = (customer: number) => [{ customer, text: CANARY }];
	const options = { timeout: 500, rateLimitWait: 0.2 };

	const combinations: Combination[] = faults.flatMap(({ what, customer }) =>
		MODES.map((onError) => ({ what, onError, list: list(customer) })),
	);
	for (const [what, data] of Object.entries(CREDENTIALS)) {
		const credentialId = await used.createCredential(data);
		for (const onError of MODES) {
			combinations.push({ what, onError, credentialId, list: list(1) });
		}
	}
	runs.push(
		...(await inParallel(combinations, 4, async ({ what, onError, ...more }) => ({
			what: `${what}, ${onError}`,
			execution: await used.send({
				...more,
				parameters: textOf(options),
				settings: { onError },
			}),
		}))),
	);
	// The credential's own test is one more way for the key to get out.
	for (const { rule } of faults.filter(({ rule }) => !/cutDuring|successFalse/.test(rule.what))) {
		used.sandbox.faults.set([{ ...rule, when: undefined, beforeAuth: true } as FaultRule]);
		if (rule.what !== 'hang') await testCredential();
	}
	used.sandbox.faults.clear();
	for (const values of Object.values(CREDENTIALS)) await testCredential(values);
}, 180_000);

const answers: object[] = [];
const testCredential = async (values?: object) =>
	answers.push(
		await used.client.testCredential({
			id: used.credentialId,
			name: NODE,
			type: 'outboundMessagingApi',
			data: used.credentialData(values),
		}),
	);

/** Which of the needles are in there. */
const found = (haystack: string, ...needles: string[]) =>
	needles.filter((needle) => haystack.includes(needle));

test('every run has failed', () => {
	const failed = ({ execution }: (typeof runs)[number]) =>
		execution.status === 'error' ||
		[...execution.items(NODE), ...execution.items(NODE, { output: 1 })].every(({ error }) => error);
	expect(runs.filter((run) => !failed(run)).map(({ what }) => what)).toEqual([]);
	expect(runs).toHaveLength((Object.keys(FAULTS).length + Object.keys(CREDENTIALS).length) * 3);
});

test('not in any execution, as the REST API gives it', () => {
	for (const { what, execution } of runs) {
		const text = JSON.stringify(execution.stored);
		expect({ what, found: found(text, CANARY) }).toEqual({ what, found: [CANARY] });
		expect({ what, found: found(text, ...PIECES) }).toEqual({ what, found: [] });
	}
});

test('not in any answer of the credential test', () => {
	expect(answers.length).toBeGreaterThan(20);
	expect(answers.filter((answer) => found(JSON.stringify(answer), ...PIECES).length)).toEqual([]);
});

test('not in any row of the database', async () => {
	const { all, close } = openDatabase(databaseFile());
	try {
		const tables = await all<{ name: string }>(
			"SELECT name FROM sqlite_master WHERE type = 'table'",
		);
		const holding: Record<'key' | 'canary', string[]> = { key: [], canary: [] };
		for (const { name } of tables) {
			const text = JSON.stringify(await all(`SELECT * FROM "${name}"`));
			if (found(text, ...PIECES).length) holding.key.push(name);
			if (found(text, CANARY).length) holding.canary.push(name);
		}
		expect(holding.key).toEqual([]);
		expect(holding.canary).toEqual(expect.arrayContaining(['execution_data', 'workflow_entity']));
		const credentials = await all('SELECT data FROM credentials_entity');
		expect(credentials).toHaveLength(Object.keys(CREDENTIALS).length + 1);
	} finally {
		await close();
	}
});

test("not in n8n's log", () => {
	const log = used.n8n.output();
	// The log of debug level is there, from its first line on.
	expect(log).toContain('Initializing n8n process');
	expect(log).toMatch(/\| debug \| Running node "Outbound Messaging" started/);
	expect(found(log, ...PIECES)).toEqual([]);
});

test('not in any file of its home', () => {
	const holding: Record<'key' | 'canary', string[]> = { key: [], canary: [] };
	const files = filesBelow(used.n8n.home);
	for (const file of files) {
		const content = fs.readFileSync(file, 'latin1');
		if (found(content, ...PIECES).length) holding.key.push(file);
		if (found(content, CANARY).length) holding.canary.push(path.basename(file));
	}
	expect(holding.key).toEqual([]);
	expect(holding.canary).toEqual(expect.arrayContaining(['database.sqlite-wal']));
	expect(files.map((file) => path.basename(file))).toEqual(
		expect.arrayContaining(['n8n.log', 'database.sqlite']),
	);
});

const databaseFile = () => path.join(used.n8n.home, '.n8n/database.sqlite');

function filesBelow(folder: string) {
	return fs
		.readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => path.join(entry.parentPath, entry.name));
}
