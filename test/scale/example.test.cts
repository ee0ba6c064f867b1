/** The example deployment, whose settings are those of the scale run: whatever else docker compose makes of it. */
import fs from 'node:fs';
import path from 'node:path';
import * as paths from '../../scripts/lib/paths.cts';
import { PLACES, processes, readDeployment, services, settingsOf, volumes } from './settings.cts';
import n8n from '../n8n/package.json';
import manifest from '../../package.json';

test('every process knows where Redis, PostgreSQL and the key are', () => {
	const { POSTGRES_DB, POSTGRES_USER, POSTGRES_PASSWORD } = services.postgres.environment;
	for (const name of processes) {
		const { environment } = services[name];
		expect(PLACES.filter((key) => !environment[key])).toEqual([]);
		expect(services[environment.DB_POSTGRESDB_HOST].image).toMatch(/^postgres:/);
		expect(services[environment.QUEUE_BULL_REDIS_HOST].image).toMatch(/^redis:/);
		expect(environment).toMatchObject({
			DB_POSTGRESDB_DATABASE: POSTGRES_DB,
			DB_POSTGRESDB_USER: POSTGRES_USER,
			DB_POSTGRESDB_PASSWORD: POSTGRES_PASSWORD,
		});
	}
});

test('each process runs its own command of the same image, and is healthy when its n8n is ready', () => {
	const commands = processes.map((name) => services[name].command);
	expect(commands).toEqual(['start', 'webhook', 'worker']);
	expect(new Set(processes.map((name) => services[name].image)).size).toBe(1);
	for (const name of processes) {
		const [kind, program, flag, script, ...rest] = services[name].healthcheck.test;
		expect([kind, program, flag, rest]).toEqual(['CMD', 'node', '-e', []]);
		expect(() => new Function(script)).not.toThrow();
		expect(script).toContain('/healthz/readiness');
	}
});

test('Redis and PostgreSQL keep their data, and no job is thrown out to make room', () => {
	const kept = ['redis', 'postgres'].map((name) => services[name].volumes[0].split(':')[0]);
	expect(Object.keys(volumes)).toEqual(kept);
	expect(services.redis.command.slice(1)).toEqual([
		...['--appendonly', 'yes'],
		...['--maxmemory-policy', 'noeviction'],
	]);
});

test("a worker isn't killed before it has ended its executions", () => {
	const grace = Number(/^(\d+)s$/.exec(services.worker.stop_grace_period)![1]);
	expect(grace).toBeGreaterThan(Number(settingsOf('worker').N8N_GRACEFUL_SHUTDOWN_TIMEOUT));
});

test('.env.example has every variable that compose.yaml asks for', () => {
	const asked = [...readDeployment('compose.yaml').matchAll(/\$\{(\w+)[:}]/g)];
	const offered = [...readDeployment('.env.example').matchAll(/^(\w+)=/gm)];
	const names = (matches: RegExpExecArray[]) => [...new Set(matches.map(([, name]) => name))];
	expect(names(offered).sort()).toEqual(names(asked).sort());
});

test('nothing starts with an empty key or password, and git keeps them out', () => {
	const uses = [...readDeployment('compose.yaml').matchAll(/\$\{(\w+)([^}]*)\}/g)];
	const secrets = uses.filter(([, name]) => /_KEY$|_PASSWORD$/.test(name));
	expect(secrets.length).toBeGreaterThan(1);
	for (const [, , rule] of secrets) expect(rule).toMatch(/^:\?./);
	const ignored = fs.readFileSync(path.join(paths.root, '.gitignore'), 'utf8').split('\n');
	expect(ignored).toContain('.env');
});

test('the image has the n8n of the scale run, and the node where n8n finds it', () => {
	const recipe = readDeployment('Dockerfile');
	expect(recipe).toContain(`ARG N8N_VERSION=${n8n.dependencies.n8n}\n`);
	expect(recipe).toContain(`ADD ${manifest.name}-*.tgz /\n`);
	expect(recipe).toContain(`/package /node_modules/${manifest.name}\n`);
	expect(recipe).toContain('/ /home/node/.n8n/nodes/\n');
});
