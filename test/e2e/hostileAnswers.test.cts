/** Answers meant to do harm: n8n continues, the messages are judged rightly, and what is shown is clean. */
import net, { type AddressInfo } from 'node:net';
import { node } from '../n8n/workflow.cts';
import { useOwnN8n, textOf, NODE } from './help.cts';

const DEEP = 100_000;
const LARGE = 10_000_000;

/** Control and direction marks, line ends, and what a browser takes for a tag. */
const UNCLEAN = /[\p{Cc}\p{Cf}\u2028\u2029]|<[a-z!/?]/iu;

/** What the service would like to do to the terminal of whoever reads the log. */
const FOREIGN_ORDER = /\p{Cc}\[31mNo|evil\.example|\p{Cc}\[2J/u;

const used = useOwnN8n();

beforeEach(() => {
	used.sandbox.ledger.clear();
	used.sandbox.faults.clear();
});

const record = (more = '') =>
	`{"id":"m-1","project_id":1,"timestamp":"2031-02-03T04:05:06Z","function_name":"send_text_message","message":"ok","status":"sent","extra":{"customer_id":1,"success":true}${more}}`;
const deep = '['.repeat(DEEP) + ']'.repeat(DEEP);
const large = 'x'.repeat(LARGE);

/** What the service answers, and what has to come of it. */
const ANSWERS: Record<string, [status: number, body: string, delivery: string]> = {
	'10 MB that are no record': [200, `{"ok":true,"padding":"${large}"}`, 'uncertain'],
	'10 MB of an error': [400, `{"error":"${large}","code":"${large}"}`, 'rejected'],
	'10 MB of a page': [
		502,
		`<html><body>${'<b>no</b>'.repeat(LARGE / 9)}</body></html>`,
		'uncertain',
	],
	'a million fields': [
		400,
		`{${Array.from({ length: 1e6 }, (_, index) => `"k${index}":0`).join()},"error":"many"}`,
		'rejected',
	],
	'nesting without end': [200, deep, 'uncertain'],
	'a record with nesting without end': [200, record(`,"more":${deep}`), 'uncertain'],
	'an error with nesting without end': [400, `{"error":${deep},"detail":${deep}}`, 'rejected'],
	'JSON that breaks off': [200, record().slice(0, 60), 'uncertain'],
	'a record with keys of every object': [
		200,
		record(
			',"__proto__":{"polluted":1,"toString":1},"constructor":{"prototype":{"polluted":1}},"toString":1',
		),
		'accepted',
	],
	'an error with keys of every object': [
		400,
		'{"__proto__":{"polluted":1,"error":"inherited"},"constructor":{"prototype":{"polluted":1}}}',
		'rejected',
	],
	'control characters, colors and markup': [
		400,
		JSON.stringify({
			error:
				'\u0000\u001b[31mNo\u001b[0m \u001b]8;;https://evil.example\u0007such\u001b]8;;\u0007\r\n\u202ecustomer \u{e0041}<img src=x onerror=alert(1)><script>alert(2)</script>',
			code: '\u001b[2Jbad\ncode',
		}),
		'rejected',
	],
};
const NAMES = Object.keys(ANSWERS);

test('each in one run: judged rightly, shown clean, and n8n continues', async () => {
	used.sandbox.faults.set(
		NAMES.map((name, index) => ({
			what: 'status',
			status: ANSWERS[name][0],
			body: ANSWERS[name][1],
			contentType: name.includes('page') ? 'text/html' : 'application/json',
			when: { recipient: String(100 + index) },
		})),
	);
	const execution = await used.send({
		list: NAMES.map((_, index) => ({ customer: 100 + index, text: 'Hello' })),
		parameters: textOf({ maxConcurrency: 2 }),
		settings: { onError: 'continueRegularOutput' },
		after: [
			node('After', 'n8n-nodes-base.set', 3.4, {
				assignments: {
					assignments: [
						{
							id: 'prototypes',
							name: 'prototypes',
							value:
								"={{ ({}).polluted === undefined && ([]).polluted === undefined ? 'clean' : 'polluted' }}",
							type: 'string',
						},
					],
				},
				options: {},
			}),
		],
	});
	expect(execution.status).toBe('success');
	const ended = execution.items(NODE).map(({ error, message, details }) => ({
		delivery: details?.delivery ?? 'accepted',
		error,
		message,
	}));
	expect(Object.fromEntries(NAMES.map((name, index) => [name, ended[index].delivery]))).toEqual(
		Object.fromEntries(NAMES.map((name) => [name, ANSWERS[name][2]])),
	);
	for (const { error = 'fine', message = 'fine' } of ended) {
		for (const line of [error, String(message)]) {
			expect(line).not.toMatch(UNCLEAN);
			expect(line.length).toBeLessThan(900);
		}
	}
	expect(ended.at(-1)?.error).toBe(
		'The service rejected the message (400): No such customer ‹img src=x onerror=alert(1)>‹script>alert(2)‹/script>, code bad code',
	);
	expect(execution.items('After')).toEqual(NAMES.map(() => ({ prototypes: 'clean' })));
	expect(used.n8n.output()).not.toMatch(FOREIGN_ORDER);
	expect((await fetch(`${used.n8n.url}/healthz`)).ok).toBe(true);

	used.sandbox.faults.clear();
	const next = await used.send({
		list: [{ customer: 7, text: 'Still there?' }],
		parameters: textOf(),
	});
	expect(next.status).toBe('success');
});

test('the error that stops a run is shown clean as well, and logged clean', async () => {
	const [status, body] = ANSWERS['control characters, colors and markup'];
	used.sandbox.faults.set([{ what: 'status', status, body, contentType: 'application/json' }]);
	const execution = await used.send({
		list: [{ customer: 1, text: 'Hello' }],
		parameters: textOf(),
	});
	expect(execution.status).toBe('error');
	const { message, description } = execution.nodeError(NODE);
	expect(message).toMatch(/^The service rejected the message \(400\): No such customer ‹img/);
	expect(`${message} ${description}`).not.toMatch(UNCLEAN);
	expect(used.n8n.output()).not.toMatch(FOREIGN_ORDER);
});

describe('responses that never end', () => {
	const OK = 'HTTP/1.1 200 OK\r\n';
	const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n';
	/** What comes first, what comes again and again, and what has to come of it. */
	const ENDLESS = {
		'headers that drip': [OK, 'X-A: b\r\n', 'uncertain'],
		'a body that drips': [OK + CHUNKED, '1\r\nx\r\n', 'uncertain'],
		'a body of a 400 that drips': [`HTTP/1.1 400 No\r\n${CHUNKED}`, '1\r\nx\r\n', 'rejected'],
		'a body without end': [OK + CHUNKED, `10000\r\n${'x'.repeat(65_536)}\r\n`, 'uncertain'],
		'status 101': [
			'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
			'x',
			'uncertain',
		],
	};

	test.each(Object.entries(ENDLESS))('%s', async (_, [head, piece, delivery]) => {
		const open = new Set<net.Socket>();
		const server = net.createServer((socket) => {
			open.add(socket);
			let drip: NodeJS.Timeout;
			socket.on('error', () => {});
			socket.on('close', () => {
				clearInterval(drip);
				open.delete(socket);
			});
			socket.once('data', () => {
				socket.write(head);
				drip = setInterval(() => socket.writableLength === 0 && socket.write(piece), 20);
			});
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		try {
			const credentialId = await used.createCredential({
				baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
			});
			const execution = await used.send({
				credentialId,
				list: [{ customer: 1, text: 'Hello' }],
				parameters: textOf({ timeout: 1500 }),
				settings: { onError: 'continueRegularOutput' },
			});
			expect(execution.items(NODE)).toMatchObject([{ details: { delivery } }]);
			// The connection is closed: nothing continues in the background.
			while (open.size > 0) await new Promise((resolve) => setTimeout(resolve, 20));
		} finally {
			for (const socket of open) socket.destroy();
			server.close();
		}
	});
});
