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

const ADA = { Name: 'Ada', Phone: '+12025550143', Date: '2026-11-25', Time: '9:00' };
const BEN = { Name: 'Ben', Phone: '+442079460018', Date: '2026-11-27', Time: '14:30' };
const NO_PLUS = { ...ADA, Phone: '12025550143' };

const OPTED_OUT = { ...BEN, Phone: '+61 491 570 156' };
const START = '2026-11-25 9:00';

const REMINDER = {
	operation: 'sendTemplate',
	templateId: 'appointment_reminder',
	channelId: '5001',
	customerPhone: '={{ $json.Phone }}',
	specifyAttributes: 'fields',
	attributes: {
		attribute: [
			{ value: '={{ $json.Name }}' },
			{ value: "={{ DateTime.fromISO($json.Date).toFormat('cccc, LLLL d') }}" },
			{ value: '={{ $json.Time }}' },
		],
	},
	headerMedia: {},
	options: {},
};

/** Of the sandbox's inbox, only what a customer has in their hand. */
const PHONES = `
	.top, .avatar, header p, .template h3, .channel, .status { display: none !important; }
	main { padding: 18px; }
	.phones { grid-template-columns: 1fr 1fr; gap: 18px; }
	.phone { border: 7px solid light-dark(#24282c, #5d646c); border-radius: 30px; height: 410px; }
	.phone > header { justify-content: center; }
	.phone:has(+ .phone) { order: 1; }
	.messages { padding: 10px; }
	.bubble { max-width: none; }
`;

/**
 * Input, form and output are equally wide then, and as wide as a phone shows without
 * making them smaller.
 */
const WIDTH = 1316;

/** How large the window is, and what happens in it before the picture is taken. */
export interface Scene {
	viewport: { width: number; height: number };
	take(stage: Stage, editor: Editor, file: string): Promise<void>;
}

export const scenes: Record<string, Scene> = {
	'sheet-to-phone.webp': { viewport: { width: WIDTH, height: 540 }, take: sheetToPhone },
	'credential.png': {
		viewport: { width: 800, height: 700 },
		async take(stage, editor, file) {
			await openSender(stage, editor, {});
			await editor.part('credential-edit-button').click();
			await editor.dialog.getByText('Connection tested successfully').waitFor();
			const dialog = editor.page.locator('.el-dialog', { has: editor.dialog });
			await shoot(editor.page, file, () => boxAround([dialog]));
		},
	},
	'dry-run.png': panel(570, {
		parameters: {
			...REMINDER,
			options: { templateText: 'Hi {{1}}, a reminder of your appointment: {{2}}, {{3}}.' },
			safeguards: { dryRun: 'always' },
		},
		async steps(editor) {
			await editor.executeStep();
			await editor.show('output', 'table');
			// Behind the texts are the requests, which are wider than the picture.
			const afterText = ':is(th, td):nth-child(4) { display: none; }';
			await editor.page.addStyleTag({ content: afterText });
		},
	}),
	'error.png': panel(530, {
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
			await editor.output.getByText('Error Branch').click();
			await editor.show('output', 'schema');
		},
	}),
	'safeguards.png': panel(530, {
		rows: [ADA, BEN, ADA, OPTED_OUT].map((row) => ({ ...row, Start: START })),
		parameters: {
			...REMINDER,
			safeguards: {
				doNotContact: OPTED_OUT.Phone,
				repeatedRecipients: 'sendFirst',
				sendOnceKey: '={{ $json.Start }}',
			},
		},
		withForm: true,
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
			// What comes last, so that nothing closes the menu.
			await editor.part('execution-preview-retry-button').waitFor();
			await editor.part('retry-execution-button').click();
			const menu = editor.page.getByRole('menu');
			await menu.getByText('Retry with original workflow').waitFor();
			const title = editor.part('executions-sidebar').getByText('Executions', { exact: true });
			await shoot(editor.page, file, () => boxAround([title, menu], 20));
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
	/** Shows the fields above the output. */
	withForm?: boolean;
	/** What happens before the picture is taken. */
	steps?(editor: Editor): Promise<void>;
}

/** The output of the node, in a window of this height. */
function panel(height: number, { withForm, ...sender }: Sender): Scene {
	return {
		viewport: { width: WIDTH, height },
		async take(stage, editor, file) {
			await openSender(stage, editor, sender);
			await sender.steps?.(editor);
			const output = () => boxAround([editor.output]);
			const fields = async () => ({ ...(await output()), x: (await boxAround([form(editor)])).x });
			await shoot(editor.page, file, ...(withForm ? [fields, output] : [output]));
		},
	};
}

/** Between input and output. */
const form = (editor: Editor) =>
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
	const column = editor.part('ndv-input-panel').getByText('Phone', { exact: true });
	const node = await boxAround([form(editor)]);
	const sheet = { ...node, x: (await boxAround([editor.part('ndv-input-panel')])).x };
	const recording = new Recording(editor.page, sheet, { x: sheet.x + 200, y: 420 });
	await recording.start();
	await recording.hold(1_800);
	await recording.moveTo(column);
	await recording.hold(200);
	await recording.dragTo(editor.field('customerPhone'), node);
	await editor.field('customerPhone').getByText('$json.Phone').waitFor();
	await recording.hold(1_400);
	await recording.moveTo(editor.part('node-execute-button'));
	await recording.hold(200);
	await editor.part('node-execute-button').click();
	await editor.output.getByText('2 items').first().waitFor();
	await recording.hold(600);
	const { width, height } = node;
	await editor.page.setViewportSize({ width, height });
	await editor.page.goto(stage.sandbox.inboxUrl);
	await editor.page.getByText('Hi Ben').waitFor();
	await editor.page.addStyleTag({ content: PHONES });
	await recording.hold(2_500, { x: 0, y: 0, width, height });
	await recording.save(file);
}
