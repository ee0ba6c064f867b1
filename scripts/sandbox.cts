// `npm run sandbox`: a mock messaging service, alone, until Ctrl+C.

import { parseArgs } from 'node:util';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';

const DEFAULT_PORT = 8025;

const HELP = `Usage: npm run sandbox -- [options]

  --port <number>   port to listen on                       ${DEFAULT_PORT}    SANDBOX_PORT
  --header <name>   name of the API key header              X-Service-Api-Key  SANDBOX_HEADER
  --key <key>       API key that is taken                   SANDBOX_KEY
  --latency <ms>    wait before every answer                0       SANDBOX_LATENCY
  --base-path <p>   path in front of the endpoints          SANDBOX_BASE_PATH
  --help            this text`;

function readOptions(env: NodeJS.ProcessEnv) {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: env.SANDBOX_PORT ?? `${DEFAULT_PORT}` },
			header: { type: 'string', default: env.SANDBOX_HEADER },
			key: { type: 'string', default: env.SANDBOX_KEY },
			latency: { type: 'string', default: env.SANDBOX_LATENCY ?? '0' },
			'base-path': { type: 'string', default: env.SANDBOX_BASE_PATH },
			help: { type: 'boolean', default: false },
		},
	});
	return {
		help: values.help,
		port: wholeNumber('--port', values.port, 65_535),
		latency: wholeNumber('--latency', values.latency, 600_000),
		headerName: values.header,
		apiKey: values.key,
		basePath: values['base-path'],
	};
}

function wholeNumber(name: string, value: string, most: number): number {
	if (/^\d+$/.test(value) && Number(value) <= most) return Number(value);
	throw new Error(`${name} must be a whole number from 0 to ${most}, not "${value}"`);
}

function introduce(sandbox: Sandbox): void {
	console.log(`The sandbox of the messaging service is up.

  Base URL   ${sandbox.url}
  Header     ${sandbox.headerName}
  API key    ${sandbox.apiKey}
  Inbox      ${sandbox.inboxUrl}   (open it to see what customers would see)

Nothing is sent beyond this machine. Stop it with Ctrl+C.`);
}

async function main() {
	const { help, ...options } = readOptions(process.env);
	if (help) return console.log(HELP);
	const sandbox = await startSandbox(options);
	introduce(sandbox);
	for (const signal of ['SIGINT', 'SIGTERM']) {
		process.once(signal, () => void sandbox.stop().then(() => process.exit(0)));
	}
}

function explain(error: Error & { code?: string; port?: number }): string {
	const port = error.port ?? DEFAULT_PORT;
	if (error.code === 'EADDRINUSE') {
		return `Port ${port} is taken. Stop what uses it, or choose another: npm run sandbox -- --port ${port + 1}`;
	}
	if (error.code === 'EACCES') return `Port ${port} may not be used without more rights.`;
	return error.message;
}

main().catch((error) => {
	console.error(explain(error));
	process.exit(1);
});
