/** How a browser test is written here: one stage for all of them, one page for each. */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as paths from '../../scripts/lib/paths.cts';
import {
	items,
	manualTrigger,
	NODE,
	outboundMessaging,
	workflow,
	type NodeDefinition,
} from '../n8n/workflow.cts';
import type { Page } from 'playwright-core';
import { STEP_TIMEOUT_MS, type Editor } from './editor.cts';
import { openWindow, startUi } from './stage.cts';

const BOOT_TIMEOUT_MS = 240_000;
const FAILURES = path.join(paths.tmp, 'ui-failures');

export { NODE };

jest.setTimeout(180_000);

/** How the editor looks. */
type Look = Parameters<typeof openWindow>[1];

interface Definition {
	list?: object[];
	parameters?: object;
	/** Nodes that follow. */
	after?: NodeDefinition[];
}

type Parts = Awaited<ReturnType<typeof startUi>>;

export type Stage = ReturnType<typeof useStage>;

/** Boots everything once for a test file, and ends it after the last test. */
export function useStage() {
	/** Filled in before the first test. */
	const parts = {} as Parts;
	/** One for each look, so that the editor is loaded from the browser's own store. */
	const windows = new Map<string, Awaited<ReturnType<typeof openWindow>>>();

	beforeAll(async () => {
		fs.rmSync(FAILURES, { recursive: true, force: true });
		Object.assign(parts, await startUi({ credentialName: NODE }));
	}, BOOT_TIMEOUT_MS);

	beforeEach(() => {
		parts.sandbox.ledger.clear();
		parts.sandbox.faults.clear();
	});

	// It is missing if it couldn't start.
	afterAll(async () => await (parts as Partial<Parts>).end?.(), BOOT_TIMEOUT_MS);

	const windowOf = async (look: Look) => {
		const key = JSON.stringify(look);
		const window = windows.get(key) ?? (await openWindow(parts, look));
		windows.set(key, window);
		return window;
	};

	/**
	 * Saves a workflow: trigger, pinned items where there are any, the node where there are parameters, and what follows.
	 *
	 * @returns its id
	 */
	const save = async ({ list, parameters, after = [] }: Definition) => {
		const credentialId = parts.credential.id;
		const chain = [
			manualTrigger(),
			...(list ? [items(list, 'Orders')] : []),
			...(parameters ? [outboundMessaging({ credentialId, parameters })] : []),
			...after,
		];
		return (await parts.client.createWorkflow(workflow('Order updates', chain))).id;
	};

	return Object.assign(parts, {
		save,

		/** Opens the node's panel in such a workflow. */
		async openPanel(editor: Editor, definition: Definition) {
			await editor.openWorkflow(await save(definition));
			await editor.openNode(NODE);
		},

		/** A test with a page of its own; when it fails, its picture and text are kept. */
		test(name: string, body: (editor: Editor) => Promise<void>, look: Look = {}) {
			test(name, async () => {
				const editor = await (await windowOf(look)).open();
				try {
					await body(editor);
				} catch (error) {
					await keep(editor.page);
					throw error;
				} finally {
					await editor.page.close();
				}
			});
		},

		requests: () => parts.sandbox.ledger.entries(),

		/** Who got a message. */
		recipients: () => parts.sandbox.ledger.accepted().map(({ recipient }) => recipient),
	});
}

/** Asks until the expectation holds; what is seen on a screen comes when it comes. */
export async function eventually<T>(expectation: () => T | Promise<T>): Promise<T> {
	const deadline = Date.now() + STEP_TIMEOUT_MS;
	for (;;) {
		try {
			return await expectation();
		} catch (error) {
			if (Date.now() > deadline) throw error;
		}
		await sleep(100);
	}
}

/** A picture of the page and the words on it, under the name of the test. */
async function keep(page: Page) {
	const name = expect.getState().currentTestName!.replace(/[^a-z0-9]+/gi, '-');
	const file = path.join(FAILURES, name.slice(-120));
	try {
		await page.screenshot({ path: `${file}.png` });
		fs.writeFileSync(`${file}.txt`, `${page.url()}\n\n${await page.locator('body').innerText()}`);
	} catch (error) {
		console.error(`Nothing of the page could be kept: ${(error as Error).message}`);
	}
}
