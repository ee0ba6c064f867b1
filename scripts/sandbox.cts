/** `npm run sandbox`: a mock messaging service, alone, until Ctrl+C. */
import { parseArgs } from 'node:util';
import { startSandbox } from '../sandbox/index.cts';

const HELP = `Usage: npm run sandbox -- [options]

  --port <number>   port to listen on, 8025 by default
  --header <name>   name of the API key header, X-Service-Api-Key by default
  --key <key>       API key that is taken
  --latency <ms>    wait before every answer
  --base-path <p>   path in front of the endpoints`;

async function main() {
	const string = { type: 'string' } as const;
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '8025' },
			latency: { type: 'string', default: '0' },
			header: string,
			key: string,
			'base-path': string,
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return console.log(HELP);
	const sandbox = await startSandbox({
		port: Number(values.port),
		latency: Number(values.latency),
		headerName: values.header,
		apiKey: values.key,
		basePath: values['base-path'],
	});
	console.log(`The sandbox of the messaging service is up.

  Base URL   ${sandbox.url}
  Header     ${sandbox.headerName}
  API key    ${sandbox.apiKey}
  Inbox      ${sandbox.inboxUrl}   (open it to see what customers would see)

Nothing is sent beyond this machine. Stop it with Ctrl+C.`);
	for (const signal of ['SIGINT', 'SIGTERM']) {
		process.once(signal, () => void sandbox.stop().then(() => process.exit(0)));
	}
}

main().catch(({ code, port, message }: Error & { code?: string; port?: number }) => {
	const taken =
		`Port ${port} is taken. Stop what uses it, or choose another: npm run sandbox ` +
		`-- --port ${port! + 1}`;
	console.error(code === 'EADDRINUSE' ? taken : message);
	process.exit(1);
});
