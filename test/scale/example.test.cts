/** The example deployment holds together; that its settings work is what the scale run tests. */
import { services, settingsOf } from './settings.cts';
import { source } from '../docs/markdown.cts';
import n8n from '../n8n/package.json';
import manifest from '../../package.json';

const read = (file: string) => source(`examples/queue-mode/${file}`);

test("a worker isn't killed before it has ended its executions", () => {
	const grace = Number(/^(\d+)s$/.exec(services.worker.stop_grace_period)![1]);
	expect(grace).toBeGreaterThan(Number(settingsOf('worker').N8N_GRACEFUL_SHUTDOWN_TIMEOUT));
});

test('.env.example has every variable that compose.yaml asks for; none may be empty, and git keeps them out', () => {
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
