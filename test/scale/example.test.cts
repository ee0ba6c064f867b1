/** The example deployment holds together; that its settings work is what the scale run tests. */
import { ADDRESSES, processes, services, settingsOf, volumes } from './settings.cts';
import { source } from '../docs/markdown.cts';
import n8n from '../n8n/package.json';
import manifest from '../../package.json';

const read = (file: string) => source(`examples/queue-mode/${file}`);

test.each(processes)('%s knows its neighbors, its command, and when it is healthy', (name) => {
	const { image, command, environment, healthcheck } = services[name];
	expect(ADDRESSES.filter((key) => !environment[key])).toEqual([]);
	expect(services[environment.QUEUE_BULL_REDIS_HOST].image).toMatch(/^redis:/);
	expect(services[environment.DB_POSTGRESDB_HOST]).toMatchObject({
		image: expect.stringMatching(/^postgres:/),
		environment: {
			POSTGRES_DB: environment.DB_POSTGRESDB_DATABASE,
			POSTGRES_USER: environment.DB_POSTGRESDB_USER,
			POSTGRES_PASSWORD: environment.DB_POSTGRESDB_PASSWORD,
		},
	});
	expect([image, command]).toEqual([services.main.image, name === 'main' ? 'start' : name]);
	const [kind, program, flag, script, ...rest] = healthcheck.test;
	expect([kind, program, flag, rest]).toEqual(['CMD', 'node', '-e', []]);
	expect(() => new Function(script)).not.toThrow();
	expect(script).toContain('/healthz/readiness');
});

test('Redis keeps jobs over a restart and throws none out, and what is kept has a volume', () => {
	expect(services.redis.command.slice(1)).toEqual([
		...['--appendonly', 'yes', '--maxmemory-policy', 'noeviction'],
	]);
	const kept = ['redis', 'postgres'].map((name) => services[name].volumes[0].split(':')[0]);
	expect(Object.keys(volumes)).toEqual(kept);
});

test("a worker isn't killed before it has ended its executions", () => {
	const grace = Number(/^(\d+)s$/.exec(services.worker.stop_grace_period)![1]);
	expect(grace).toBeGreaterThan(Number(settingsOf('worker').N8N_GRACEFUL_SHUTDOWN_TIMEOUT));
});

test('.env.example has every variable of compose.yaml, and git keeps them out', () => {
	const asked = [...read('compose.yaml').matchAll(/\$\{(\w+)([^}]*)\}/g)];
	const offered = [...read('.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
	expect(offered.sort()).toEqual([...new Set(asked.map(([, name]) => name))].sort());
	for (const [, name, rule] of asked) {
		expect([name, rule]).toEqual([name, expect.stringMatching(/^:\?./)]);
	}
	expect(source('.gitignore').split('\n')).toContain('.env');
});

test('the image has the n8n of the scale run, and the node where n8n finds it', () => {
	const recipe = read('Dockerfile');
	expect(recipe).toContain(`ARG N8N_VERSION=${n8n.dependencies.n8n}\n`);
	expect(recipe).toContain(`ADD ${manifest.name}-*.tgz /\n`);
	expect(recipe).toContain(`/package /node_modules/${manifest.name}\n`);
	expect(recipe).toContain('/ /home/node/.n8n/nodes/\n');
});
