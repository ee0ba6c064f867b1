/** What the pictures of the README and the docs show. Each is a file of its name in docs/images. */
import * as builders from '../../test/n8n/workflow.cts';
import type { Locator } from 'playwright-core';
import type { NodeDefinition } from '../../test/n8n/workflow.cts';
import type { Editor } from '../../test/ui/editor.cts';
import type { Stage } from '../../test/ui/stage.cts';
import { poll } from './child.cts';
import { Recording } from './recording.cts';
import { boxWithin, shoot } from './screenshot.cts';

const SENDER = 'Remind';

const ROWS = [
	{ Name: 'Ada', Phone: '+1 (202) 555-0143', Date: '2026-11-25', Time: '09:00' },
	{ Name: 'Ben', Phone: '0044 7700 900461', Date: '2026-11-27', Time: '14:30' },
];

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

const WINDOW = { width: 1100, height: 640 };

/** How large the window is, and what happens in it before the picture is taken. */
export interface Scene {
	viewport: { width: number; height: number };
	take(stage: Stage, editor: Editor, file: string): Promise<void>;
}

export const scenes: Record<string, Scene> = {
	'sheet-to-phone.webp': {
		viewport: WINDOW,
		async take(stage, editor, file) {
			await openSender(stage, editor, {
				from: sheet(),
				parameters: { ...REMINDER, customerPhone: '' },
			});
			await editor.show('input', 'table');
			// The phones of another picture.
			await fetch(`${stage.sandbox.inboxUrl}_sandbox/ledger`, { method: 'DELETE' });
			const recording = await Recording.of(editor.part('ndv'), 200, 420);
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
			await recording.hold(1_500);
			await editor.page.setViewportSize(await sizeOf(editor.part('ndv')));
			await editor.page.goto(stage.sandbox.inboxUrl);
			await editor.page.getByText('Hi Ben').waitFor();
			await editor.page.evaluate(() => Object.assign(document.body.style, { zoom: '1.4' }));
			await recording.holdWhole(4_000);
			await recording.save(file);
		},
	},
	'credential.png': {
		viewport: { width: 1200, height: 900 },
		async take(stage, editor, file) {
			await openSender(stage, editor, {});
			await editor.newCredential();
			await editor.input('baseUrl').fill('https://api.example.com');
			await editor.input('apiKeyHeader').fill('X-Example-Api-Key');
			await editor.input('apiKey').fill('example-key');
			await shoot(editor.page, file, editor.page.locator('.el-dialog', { has: editor.dialog }));
		},
	},
	'dry-run.png': {
		viewport: { width: 1200, height: 700 },
		async take(stage, editor, file) {
			await openSender(stage, editor, {
				from: sheet(),
				parameters: {
					...REMINDER,
					options: { templateText: 'Hi {{1}}, a reminder of your appointment: {{2}}, {{3}}.' },
					safeguards: { dryRun: true },
				},
			});
			await editor.executeStep();
			await editor.show('output', 'json');
			await editor.output.getByText('Hi Ada').scrollIntoViewIfNeeded();
			await shoot(editor.page, file, editor.part('ndv'));
		},
	},
	'on-error.png': {
		viewport: { width: 1200, height: 760 },
		async take(stage, editor, file) {
			await openSender(stage, editor, {
				from: sheet([{ ...ROWS[0], Phone: '555-0143' }, ROWS[1]]),
				parameters: REMINDER,
				settings: { onError: 'continueErrorOutput' },
			});
			await editor.executeStep();
			await editor.part('tab-settings').click();
			await editor.output.getByText('Error Branch').click();
			await editor.show('output', 'schema');
			await shoot(editor.page, file, editor.part('ndv'));
		},
	},
	'safeguards.png': {
		viewport: { width: 1200, height: 640 },
		async take(stage, editor, file) {
			const [ada, ben] = ROWS;
			await openSender(stage, editor, {
				from: sheet([ada, ben, ada, { ...ben, Phone: '+61 491 570 156' }]),
				parameters: {
					...REMINDER,
					safeguards: {
						doNotContact: '+61 491 570 156',
						maxMessages: 100,
						repeatedRecipients: 'sendFirst',
						sendOnceKey: '={{ $json.Date }}-reminder',
					},
				},
			});
			await editor.executeStep();
			await editor.hints.first().waitFor();
			await editor.show('input', 'table');
			await editor.show('output', 'table');
			await editor.item('sendOnceKey').last().scrollIntoViewIfNeeded();
			await editor.output.getByText('reason', { exact: true }).scrollIntoViewIfNeeded();
			await shoot(editor.page, file, editor.part('ndv'));
		},
	},
	'error.png': {
		viewport: { width: 1200, height: 520 },
		async take(stage, editor, file) {
			await openSender(stage, editor, {
				from: sheet([{ ...ROWS[0], Phone: '555-0143' }, ROWS[1]]),
				parameters: REMINDER,
			});
			await editor.executeStep();
			await editor.errorTitle.waitFor();
			await editor.show('input', 'table');
			await shoot(editor.page, file, editor.part('ndv'));
		},
	},
	'retry.png': {
		viewport: { width: 1100, height: 560 },
		async take({ client, credential }, editor, file) {
			const node = builders.outboundMessaging({
				name: SENDER,
				parameters: REMINDER,
				credentialId: credential.id,
			});
			const rows = builders.items([{ ...ROWS[0], Phone: '555-0143' }, ROWS[1]], 'Rows');
			const chain = [builders.manualTrigger(), rows, node];
			const { id } = await client.createWorkflow(builders.workflow('Reminders', chain));
			const execution = await client.start(id);
			const hasFailed = async () => (await client.execution(execution)).status === 'error';
			await poll(hasFailed, { what: 'the end of the execution' });
			await editor.page.goto(`${editor.url}/workflow/${id}/executions/${execution}`);
			await editor.part('execution-preview-retry-button').click();
			await editor.page.getByText('Retry with original workflow').waitFor();
			await editor.page.screenshot({ path: file });
		},
	},
	'question.png': question({
		message: 'Hello Ada, does your appointment on Friday at 10:00 still suit you?',
		...choice('Confirm', 'Move', 'Cancel'),
		options: { responsePage: { texts: { title: 'Salon Aurora' } } },
	}),
	'question-pt-BR.png': question({
		message: 'Olá, Ana! O seu horário de sexta-feira às 10:00 continua bom para você?',
		...choice('Confirmar', 'Remarcar', 'Cancelar'),
		options: {
			limitWaitTime: {
				values: { limitType: 'atSpecifiedTime', maxDateAndTime: '2029-11-22T18:00:00' },
			},
			responsePage: {
				texts: { title: 'Salão Aurora', deadlineMessage: 'Responda até:', language: 'pt-BR' },
			},
		},
	}),
};

function choice(...labels: string[]) {
	return { responseType: 'choice', choices: { choice: labels.map((label) => ({ label })) } };
}

/** The page that the link of a question opens. */
function question(parameters: object): Scene {
	return {
		viewport: { width: 360, height: 420 },
		async take({ client, credential, sandbox, n8n }, editor, file) {
			const asks = builders.outboundMessaging({
				credentialId: credential.id,
				parameters: { operation: 'sendAndWait', customerId: '4711', ...parameters },
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
			// The page lets no style in that `shoot` would add.
			await editor.page.screenshot({ path: file, fullPage: true });
		},
	};
}

/** Rows as Google Sheets hands them over. */
const sheet = (rows = ROWS): NodeDefinition => ({
	...builders.node('Rows', 'n8n-nodes-base.googleSheets', 4.7, { operation: 'read' }),
	pinned: rows.map((json) => ({ json })),
});

async function sizeOf(element: Locator) {
	const { width, height } = await boxWithin(element);
	return { width, height };
}

interface Sender {
	from?: NodeDefinition;
	parameters?: object;
	settings?: object;
}

/** The panel of the node behind these rows, with a template filled in. */
async function openSender(
	stage: Stage,
	editor: Editor,
	{ from = sheet(), parameters = REMINDER, settings }: Sender,
): Promise<void> {
	const node = builders.outboundMessaging({
		name: SENDER,
		parameters,
		settings,
		credentialId: stage.credential.id,
	});
	const chain = [builders.manualTrigger(), from, node];
	const { id } = await stage.client.createWorkflow(builders.workflow('Reminders', chain));
	await editor.openWorkflow(id);
	await editor.openNode(SENDER);
}
