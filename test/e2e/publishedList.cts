/**
 * An example that is run by its list, as its owner has it: imported, published, and then only its
 * table is touched.
 */
import { randomUUID } from 'node:crypto';
import { poll } from '../../scripts/lib/child.cts';
import type { FaultRule } from '../../sandbox/index.cts';
import { exampleOf } from '../n8n/example.cts';
import type { NodeDefinition } from '../n8n/workflow.cts';
import type { useN8n } from './help.cts';

const ZONE = 'America/New_York';

/** The date in so many days, where the owner is. */
export const inDays = (days: number) =>
	new Date(Date.now() + days * 86_400_000).toLocaleDateString('sv', { timeZone: ZONE });

type Settings = Record<string, string>;

/**
 * Imports an example, chooses a credential and settings, and publishes it with a button for "an
 * hour has passed".
 */
export async function publishList(
	used: ReturnType<typeof useN8n>,
	file: string,
	{ settings = {}, timezone = ZONE }: { settings?: Settings; timezone?: string } = {},
) {
	const own = { outboundMessagingApi: { id: used.credentialId, name: 'Mine' } };
	const example = exampleOf(file, own);
	const path = randomUUID();
	const hour: NodeDefinition = {
		id: randomUUID(),
		name: 'An hour has passed',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		position: [0, 200],
		parameters: { path, httpMethod: 'POST', options: {} },
	};
	const definition = (chosen: Settings, zone: string, edit = (json: string) => json) => {
		const json = JSON.stringify({
			...example,
			nodes: [...example.nodes, { ...hour, webhookId: path }],
			connections: { ...example.connections, [hour.name]: example.connections['Every hour'] },
			settings: { ...example.settings, timezone: zone },
		});
		const values = Object.entries({ 'From hour': '0', 'Until hour': '24', ...chosen });
		const edited = values.reduce((text, [name, value]) => {
			const setting = new RegExp(`("name":"${name}","value":")[^"]*`);
			expect(text).toMatch(setting);
			return text.replace(setting, `$1${value}`);
		}, json);
		return JSON.parse(edit(edited)) as object;
	};
	const { id } = await used.client.createWorkflow(definition(settings, timezone));
	await used.client.activate(id);
	/** The runs that the button started. */
	const runs = async () =>
		(await used.client.executions(id)).filter(({ mode }) => mode === 'webhook');

	return {
		id,
		/** The owner clicks *Execute workflow*. */
		click: async () => await used.client.run(id, { trigger: 'Every hour' }),
		/** Chooses other settings, or edits something else, and publishes again. */
		async change(chosen: Settings, zone = timezone, edit?: (json: string) => string) {
			await used.client.updateWorkflow(id, definition(chosen, zone, edit));
			await used.client.activate(id);
		},
		/**
		 * One published run.
		 * @param meanwhile what happens once it has begun
		 * @returns who is told what, and who got a message
		 */
		async hour(rules: FaultRule[] = [], meanwhile?: () => Promise<unknown>) {
			used.sandbox.faults.set(rules);
			const before = used.accepted().length;
			const earlier = (await runs()).length;
			await used.callWebhook(path, {});
			await meanwhile?.();
			const newest = async () => {
				const all = await runs();
				return all.length > earlier && all[0];
			};
			const { id: execution } = await poll(newest, { what: 'the execution' });
			const { error } = await used.client.waitForExecution(execution);
			return { told: error?.message ?? '', sent: used.recipients().slice(before) };
		},
	};
}
