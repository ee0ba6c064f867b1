/** What the pictures of the README and the docs show. Each is a file of its name in docs/images. */
import * as builders from '../../test/n8n/workflow.cts';
import type { Editor } from '../../test/ui/editor.cts';
import type { Stage } from '../../test/ui/stage.cts';
import { exampleOf } from '../../test/n8n/example.cts';
import { poll } from './child.cts';
import { Recording } from './recording.cts';
import { QUESTION, choices } from './showcase.cts';
import { boxAround, shoot } from './screenshot.cts';

const SENDER = 'Remind';

const ADA = { Name: 'Ada', Phone: '+1 (202) 555-0143', Date: '2026-11-25', Time: '09:00' };
const BEN = { Name: 'Ben', Phone: '0044 20 7946 0018', Date: '2026-11-27', Time: '14:30' };
const NO_PLUS = { ...ADA, Phone: '12025550143' };

const REMINDER = {
	operation: 'sendTemplate',
	templateId: 'appointment_reminder',
	channelId: '5001',
	customerPhone: '={{ $json.Phone }}',
	specifyAttributes: 'fields',
	attributes: {
		attribute: [
			{ value: '={{ $json.Name }}' },
			{ value: "={{ DateTime.fromISO($json.Date).toFormat('cccc d LLLL') }}" },
			{ value: '={{ $json.Time }}' },
		],
	},
	headerMedia: {},
	options: {},
};

/** How large the window is, and what happens in it before the picture is taken. */
export interface Scene {
	viewport: { width: number; height: number };
	take(stage: Stage, editor: Editor, file: string): Promise<void>;
}

export const scenes: Record<string, Scene> = {
	'sheet-to-phone.webp': { viewport: { width: 1180, height: 570 }, take: sheetToPhone },
	'credential.png': {
		viewport: { width: 1200, height: 700 },
		async take(stage, editor, file) {
			await openSender(stage, editor, {});
			await editor.newCredential();
			await editor.fill('baseUrl', 'https://api.example.com');
			await editor.fill('apiKeyHeader', 'X-Example-Api-Key');
			await editor.fill('apiKey', 'example-key');
			const dialog = editor.page.locator('.el-dialog', { has: editor.dialog });
			await shoot(editor.page, file, () => boxAround([dialog]));
		},
	},
	'dry-run.png': panel(800, {
		parameters: {
			...REMINDER,
			options: { templateText: 'Hi {{1}}, a reminder of your appointment: {{2}}, {{3}}.' },
			safeguards: { dryRun: 'always' },
		},
		async steps(editor) {
			await editor.executeStep();
			await editor.show('output', 'table');
			await editor.item('dryRun').last().scrollIntoViewIfNeeded();
			await editor.output.getByText('text', { exact: true }).scrollIntoViewIfNeeded();
		},
	}),
	'error.png': panel(520, {
		rows: [NO_PLUS, BEN],
		async steps(editor) {
			await editor.executeStep();
			await editor.errorTitle.waitFor();
		},
	}),
	'on-error.png': panel(700, {
		rows: [NO_PLUS, BEN],
		settings: { onError: 'continueErrorOutput' },
		async steps(editor) {
			await editor.executeStep();
			await editor.part('tab-settings').click();
			await editor.output.getByText('Error Branch').click();
			await editor.show('output', 'schema');
		},
	}),
	'safeguards.png': panel(640, {
		rows: [ADA, BEN, ADA, { ...BEN, Phone: '+61 491 570 156' }],
		parameters: {
			...REMINDER,
			safeguards: {
				doNotContact: '+61 491 570 156',
				maxMessages: 100,
				repeatedRecipients: 'sendFirst',
				sendOnceKey: '={{ $json.Date }} {{ $json.Time }}',
			},
		},
		async steps(editor) {
			await editor.executeStep();
			await editor.hints.first().waitFor();
			await editor.show('output', 'json');
			await editor.item('sendOnceKey').last().scrollIntoViewIfNeeded();
			await editor.page.mouse.move(1_200, 400);
			await editor.page.mouse.wheel(0, 9_999);
			await editor.output.getByText('doNotContact').waitFor();
		},
	}),
	'add-safeguard.png': panel(640, {
		parameters: { ...REMINDER, safeguards: {} },
		shows: 'fields',
		async steps(editor) {
			// All of the list at once.
			const whole = '.el-select-dropdown__wrap { max-height: none !important; }';
			await editor.page.addStyleTag({ content: whole });
			await editor.part('collection-parameter-add').last().click();
		},
	}),
	'ask.png': panel(1000, { parameters: QUESTION, shows: 'fields' }),
	'human-review.png': {
		viewport: { width: 1000, height: 730 },
		async take({ client, credential }, editor, file) {
			const example = exampleOf('agent-with-limit.json', { outboundMessagingApi: credential });
			const { id } = await client.createWorkflow(example);
			await editor.openWorkflow(id);
			const tools = '.vue-flow__handle[data-handleid="inputs/ai_tool/0"]';
			await editor.openCreator(editor.page.locator(tools).first());
			await editor.entry('Human review').click();
			await editor.entry(builders.NODE).waitFor();
			await shoot(editor.page, file, () => boxAround([editor.part('node-creator')]));
		},
	},
	'retry.png': {
		viewport: { width: 1080, height: 540 },
		async take(stage, editor, file) {
			const id = await save(stage, builders.edit('Customer', NO_PLUS));
			const { stored } = await stage.client.run(id);
			await editor.page.goto(`${editor.url}/workflow/${id}/executions/${stored.id}`);
			const retry = editor.part('execution-preview-retry-button');
			await retry.click();
			const menu = editor.page.getByRole('menu');
			await menu.getByText('Retry with original workflow').waitFor();
			const shown = ['Error in', 'Start', 'Send WhatsApp template'].map((text) =>
				editor.page.locator('main').getByText(text).last(),
			);
			// The line above says when.
			const ended = shown[0].locator('xpath=../..');
			await shoot(editor.page, file, () => boxAround([ended, ...shown, retry, menu], 12));
		},
	},
	'question.png': page(QUESTION),
	'question-pt-BR.png': page({
		...QUESTION,
		message: 'Olá, Ana! O seu horário de sexta-feira às 10:00 continua bom para você?',
		...choices('Confirmar', 'Remarcar', 'Cancelar'),
		options: {
			limitWaitTime: {
				values: { limitType: 'atSpecifiedTime', maxDateAndTime: '2029-11-22T18:00:00' },
			},
			responsePage: {
				texts: { title: 'Salão Aurora', deadlineMessage: 'Responda até:', language: 'pt-BR' },
			},
		},
	}),
	'thanks.png': page(QUESTION, async (editor) => {
		await editor.page.getByRole('button', { name: 'Confirm' }).click();
		await editor.page.getByText('Thank you').waitFor();
	}),
};

/** The page that the link of a question opens, after these steps. */
function page(parameters: object, steps?: (editor: Editor) => Promise<void>): Scene {
	return {
		viewport: { width: 360, height: 420 },
		async take({ client, credential, sandbox, n8n }, editor, file) {
			const asks = builders.outboundMessaging({
				credentialId: credential.id,
				parameters,
			});
			const { id } = await client.createWorkflow({
				...builders.workflow('A question', [builders.manualTrigger(), asks]),
				settings: { executionOrder: 'v1', timezone: 'America/Sao_Paulo' },
			});
			const execution = await client.start(id);
			const isWaiting = async () => (await client.execution(execution)).status === 'waiting';
			await poll(isWaiting, { what: 'the question' });
			const { body } = sandbox.ledger.accepted().at(-1)!;
			const { pathname, search } = new URL(String(body!.text).split('\n').at(-1)!);
			await editor.page.goto(n8n.url + pathname + search);
			await steps?.(editor);
			// The page lets no style in that `shoot` would add.
			await editor.page.screenshot({ path: file, fullPage: true });
		},
	};
}

interface Sender {
	rows?: Array<typeof ADA>;
	parameters?: object;
	settings?: object;
	/** What happens before the picture is taken. */
	steps?(editor: Editor): Promise<void>;
	/** The output as well, by default. */
	shows?: 'fields';
}

/** The node's panel without its input, in a window of this height. */
function panel(height: number, sender: Sender): Scene {
	return {
		viewport: { width: 1380, height },
		async take(stage, editor, file) {
			await openSender(stage, editor, sender);
			await sender.steps?.(editor);
			const output = sender.shows === 'fields' ? [] : [editor.output];
			await shoot(editor.page, file, () => boxAround([fields(editor), ...output]));
		},
	};
}

const fields = (editor: Editor) =>
	editor.part('ndv').locator('main > *', { has: editor.part('node-parameters') });

/** The node's panel, behind rows as Google Sheets hands them over. */
async function openSender(stage: Stage, editor: Editor, { rows = [ADA, BEN], ...sender }: Sender) {
	const sheet = builders.node('Rows', 'n8n-nodes-base.googleSheets', 4.7, { operation: 'read' });
	sheet.pinned = rows.map((json) => ({ json }));
	await editor.openWorkflow(await save(stage, sheet, sender));
	await editor.openNode(SENDER);
}

/** A workflow that sends what comes from one node. @returns its ID */
async function save(
	{ client, credential }: Stage,
	from: builders.NodeDefinition,
	{ parameters = REMINDER, settings }: Sender = {},
) {
	const sender = { name: SENDER, parameters, settings, credentialId: credential.id };
	const chain = [builders.manualTrigger(), from, builders.outboundMessaging(sender)];
	return (await client.createWorkflow(builders.workflow('Reminders', chain))).id;
}

/** A column is dragged into a field, the step is executed, and the phones show what arrived. */
async function sheetToPhone(stage: Stage, editor: Editor, file: string): Promise<void> {
	await openSender(stage, editor, { parameters: { ...REMINDER, customerPhone: '' } });
	await editor.show('input', 'table');
	// The phones of another picture.
	await fetch(`${stage.sandbox.inboxUrl}_sandbox/ledger`, { method: 'DELETE' });
	const clip = await boxAround([editor.part('ndv-input-panel'), fields(editor)]);
	const recording = new Recording(editor.page, clip, { x: 200, y: 420 });
	await recording.start();
	await recording.hold(1_500);
	await recording.moveTo(editor.part('ndv-input-panel').getByText('Phone', { exact: true }));
	await recording.hold(300);
	await recording.dragTo(editor.field('customerPhone'));
	await editor.field('customerPhone').getByText('$json.Phone').waitFor();
	await recording.hold(1_500);
	await recording.moveTo(editor.part('node-execute-button'));
	await recording.hold(300);
	await editor.part('node-execute-button').click();
	await editor.output.getByText('2 items').first().waitFor();
	await recording.hold(1_000);
	const { width, height } = clip;
	await editor.page.setViewportSize({ width: Math.round(width), height: Math.round(height) });
	await editor.page.goto(stage.sandbox.inboxUrl);
	await editor.page.getByText('Hi Ben').waitFor();
	// Two phones fill the picture.
	await editor.page.evaluate(() => {
		document.body.style.zoom = '1.25';
		document.querySelector<HTMLElement>('.phones')!.style.gridTemplateColumns = '1fr 1fr';
	});
	await recording.hold(4_000, { x: 0, y: 0, width, height });
	await recording.save(file);
}
