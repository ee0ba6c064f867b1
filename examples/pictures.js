/** A picture of each example on n8n's canvas, for README.md; `scripts/pictures.js` has the browser and the n8n. */
const fs = require('node:fs');
const path = require('node:path');

/** Buttons and panels around the canvas, and the handles to add nodes. */
const BARE = `
	[data-test-id="canvas-controls"], [data-test-id="execute-workflow-button"],
	[data-test-id="canvas-handle-plus-wrapper"], [data-test-id="canvas-handle-plus"],
	[class*="_nodeButtonsWrapper"],
	.vue-flow__panel, .el-notification, .n8n-tooltip { display: none !important; }
	.vue-flow__background { display: none !important; }
	*, *::before, *::after { animation: none !important; transition: none !important; }
`;

const MARGIN = 32;

/** The examples that have a picture here; the first messages have theirs in the main README. */
const names = () =>
	fs
		.readdirSync(__dirname)
		.filter((file) => file.endsWith('.json') && file !== 'first-messages.json')
		.map((file) => path.basename(file, '.json'));

/** The example with one's own credential in every node that wants one. */
function withCredential(name, { id, name: credentialName }) {
	const {
		id: _,
		active: __,
		...definition
	} = JSON.parse(fs.readFileSync(path.join(__dirname, `${name}.json`), 'utf8'));
	const credentials = { outboundMessagingApi: { id, name: credentialName } };
	return {
		...definition,
		nodes: definition.nodes.map((node) => (node.credentials ? { ...node, credentials } : node)),
	};
}

/**
 * Puts an example into n8n and takes its picture.
 *
 * @param {string} name
 * @param {object} stage
 * @param {Awaited<ReturnType<import('../test/n8n/client').signIn>>} stage.client
 * @param {{ id: string, name: string }} stage.credential
 * @param {import('../test/ui/editor').Editor} editor in a window of at least 1400 by 900
 * @param {string} file
 */
async function takePicture(name, { client, credential }, editor, file) {
	const { page } = editor;
	const { id } = await client.createWorkflow(withCredential(name, credential));
	await editor.openWorkflow(id);
	await page.waitForLoadState('networkidle');
	await editor.part('zoom-to-fit').click();
	await page.addStyleTag({ content: BARE });
	await page.mouse.move(0, 0);
	await page.evaluate(() => document.fonts.ready);
	// Until nothing moves any more: the canvas glides to where it shall be.
	let before;
	for (;;) {
		const now = JSON.stringify(await boxes(page));
		if (now === before) break;
		before = now;
		await page.waitForTimeout(300);
	}
	fs.mkdirSync(path.dirname(file), { recursive: true });
	await page.screenshot({ path: file, clip: around(await boxes(page)) });
}

/** Nodes, notes and the words below and on the lines: all that must be seen whole. */
const boxes = async (page) =>
	await page.evaluate(() =>
		[
			...document.querySelectorAll(
				'.vue-flow__node, .vue-flow__node [class*="_description"], .vue-flow__edge-path',
			),
		]
			.map((element) => element.getBoundingClientRect())
			.map(({ left, top, right, bottom }) => ({ left, top, right, bottom })),
	);

function around(all) {
	const [left, top] = ['left', 'top'].map((side) => Math.min(...all.map((box) => box[side])));
	const [right, bottom] = ['right', 'bottom'].map((side) =>
		Math.max(...all.map((box) => box[side])),
	);
	return {
		x: left - MARGIN,
		y: top - MARGIN,
		width: right - left + 2 * MARGIN,
		height: bottom - top + 2 * MARGIN,
	};
}

module.exports = { names, takePicture };
