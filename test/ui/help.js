/** How a browser test is written here: one stage for all of them, one page for each. */
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const paths = require('../../scripts/lib/paths.cts');
const { items, manualTrigger, outboundMessaging, workflow } = require('../n8n/workflow.cts');
const { STEP_TIMEOUT_MS } = require('./editor.cts');
const { openWindow, startUi } = require('./stage.cts');

const BOOT_TIMEOUT_MS = 240_000;
const FAILURES = path.join(paths.tmp, 'ui-failures');

/** Name of the node under test in all workflows here. */
const NODE = 'Outbound Messaging';

jest.setTimeout(180_000);

/** Boots everything once for a test file, and ends it after the last test. */
function useStage() {
	const used = {};
	/** One for each look, so that the editor is loaded from the browser's own store. */
	const windows = new Map();
	const windowOf = async (look) => {
		const key = JSON.stringify(look);
		if (!windows.has(key)) windows.set(key, await openWindow(used, look));
		return windows.get(key);
	};

	beforeAll(async () => {
		fs.rmSync(FAILURES, { recursive: true, force: true });
		Object.assign(used, await startUi({ credentialName: NODE }));
	}, BOOT_TIMEOUT_MS);

	beforeEach(() => {
		used.sandbox.ledger.clear();
		used.sandbox.faults.clear();
	});

	afterAll(async () => await used.end?.(), BOOT_TIMEOUT_MS);

	/**
	 * A test with a page of its own; when it fails, what was to be seen is kept.
	 *
	 * @param {string} name
	 * @param {(editor: import('./editor.cts').Editor) => Promise<void>} body
	 * @param {{ newLists?: boolean, dark?: boolean }} [look]
	 */
	used.test = (name, body, look = {}) =>
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

	/**
	 * Saves a workflow: trigger, pinned items where there are any, and the node where there are parameters.
	 *
	 * @returns {Promise<string>} its id
	 */
	used.save = async ({ list, parameters, settings, credentialId = used.credential.id }) => {
		const chain = [
			manualTrigger(),
			...(list ? [items(list, 'Orders')] : []),
			...(parameters ? [outboundMessaging({ credentialId, parameters, settings })] : []),
		];
		return (await used.client.createWorkflow(workflow('Order updates', chain))).id;
	};

	/** Opens the node's panel in such a workflow. */
	used.openPanel = async (editor, definition) => {
		await editor.openWorkflow(await used.save(definition));
		await editor.openNode(NODE);
	};

	return used;
}

/** Asks until the expectation holds; what is seen on a screen comes when it comes. */
async function eventually(expectation) {
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
async function keep(page) {
	const name = expect.getState().currentTestName.replace(/[^a-z0-9]+/gi, '-');
	const file = path.join(FAILURES, name.slice(-120));
	try {
		await page.screenshot({ path: `${file}.png` });
		fs.writeFileSync(`${file}.txt`, `${page.url()}\n\n${await page.locator('body').innerText()}`);
	} catch (error) {
		console.error(`Nothing of the page could be kept: ${error.message}`);
	}
}

module.exports = { useStage, eventually, NODE };
