/**
 * docs/reminders.md as its reader follows it: from an empty n8n with a working credential to a
 * published workflow.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import * as paths from '../../scripts/lib/paths.cts';
import { poll } from '../../scripts/lib/child.cts';
import { temporaryFolder } from '../../scripts/lib/temporaryFolder.cts';
import { source } from '../docs/markdown.cts';
import { useOwnN8n } from '../e2e/help.cts';
import { launchBrowser, openWindow } from './stage.cts';

jest.setTimeout(300_000);

const MAX_STEPS = 8;
/** To a dry run that shows the owner's own texts. */
const MAX_CLICKS = 30;

const used = useOwnN8n();
let browser: Browser;

beforeAll(async () => {
	browser = await launchBrowser();
});
afterAll(async () => await browser?.close());

/** The numbered steps of the page. */
const steps = () => {
	const [, setUp] = source('docs/reminders.md').split(/^## .*$/m);
	return [...setUp.matchAll(/^(\d)\. (.*)$/gm)].map(([, , text]) => text);
};

test(
	'an owner publishes her reminders in few steps and clicks, ' + 'after she has read her own texts',
	async () => {
		expect(steps().length).toBeLessThanOrEqual(MAX_STEPS);
		const window = await openWindow(
			{ browser, client: used.client },
			{ viewport: { width: 1366, height: 768 } },
		);
		const editor = await window.open();
		const { page, part } = editor;
		let clicks = 0;
		const click = async (what: Locator) => {
			clicks++;
			await what.click();
		};
		const openNode = async (name: string) => {
			// A double click.
			clicks += 2;
			await editor.openNode(name);
		};
		const closeNode = async () => {
			clicks++;
			await editor.closeNode();
		};
		const chooseFile = async (button: Locator, file: string) => {
			const chooser = page.waitForEvent('filechooser');
			await click(button);
			await (await chooser).setFiles(file);
		};
		const execute = async () => {
			await click(part('execute-workflow-button').last());
			await page.getByText('Workflow executed successfully').waitFor();
		};
		/** Clicks into a field and pastes. */
		const paste = async (field: Locator, text: string) => {
			await click(field);
			await field.fill(text);
			await field.blur();
		};

		// 1. The file is on her computer.
		await page.goto(used.client.url);
		await click(part('add-resource-workflow'));
		await click(part('workflow-menu'));
		await click(part('workflow-menu-item-import'));
		const file = path.join(paths.root, 'examples/reminders.json');
		await chooseFile(part('workflow-menu-item-import-from-file'), file);

		// 2.
		await openNode('Your settings');
		const settings = {
			...{ 'Template ID': 'my_reminder', 'Channel ID': '1024' },
			...{ 'Time zone': 'Europe/Berlin', Country: 'DE', Language: 'de' },
		};
		const names = await part('assignment-name').locator('input').evaluateAll(valuesOf);
		for (const [name, value] of Object.entries(settings)) {
			const row = part('assignment').nth(names.indexOf(name));
			await paste(part('assignment-value', row).locator('input, textarea').first(), value);
		}
		await closeNode();

		// 3. n8n has chosen the only credential.
		await openNode('Remind');
		await paste(editor.input('templateText'), 'Hallo {{1}}, Ihr Termin: {{2}}, {{3}} Uhr.');
		await closeNode();

		// 4.
		await execute();

		// 5. and 6. The menu of the table has the import.
		const { folder, remove } = temporaryFolder('csv-');
		const csv = path.join(folder, 'appointments.csv');
		const tomorrow = new Date(Date.now() + 86_400_000).toLocaleDateString('sv', {
			timeZone: settings['Time zone'],
		});
		fs.writeFileSync(csv, `Name,Phone,Date,Time\nEmma,0151 23456789,${tomorrow},23:30\n`);
		await click(part('home-project'));
		await click(part('tab-project-data-tables'));
		await click(part('data-table-card-name').filter({ hasText: 'reminders' }));
		await click(part('data-table-card-actions', part('data-table-details-view')));
		await click(part('action-import-csv'));
		await chooseFile(part('import-csv-upload'), csv);
		await click(part('import-csv-confirm'));
		await page.getByText('Emma').waitFor();
		remove();

		// 7.
		await click(part('home-project'));
		await click(part('workflow-card-name').filter({ hasText: 'Reminders from a list' }));
		await part('canvas-node').first().waitFor();
		await execute();
		await openNode('Remind');
		await editor.show('output', 'table');
		const text = /Hallo Emma, Ihr Termin: [A-Z]\w+, \d+\. [A-Z][\wä]+, 23:30 Uhr\./;
		await editor.output.getByText(text).waitFor();
		expect(clicks).toBeLessThanOrEqual(MAX_CLICKS);
		expect(used.requests()).toEqual([]);

		// 8. n8n asks for the name of the version, and proposes one.
		await closeNode();
		await click(part('workflow-open-publish-modal-button'));
		await click(part('workflow-publish-button'));
		const [{ id }] = await used.client.workflows();
		const isPublished = async () => Boolean((await used.client.workflow(id)).activeVersionId);
		await poll(isPublished, { timeoutMs: 60_000, what: 'the workflow to be published' });
		await window.close();
	},
);

const valuesOf = (inputs: Element[]) => inputs.map((input) => (input as HTMLInputElement).value);
