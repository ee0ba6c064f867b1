/**
 * `npm run pictures`: makes every picture of the README anew, in a real n8n and a real browser.
 *
 *   npm run pictures                   all of them
 *   npm run pictures -- template inbox  some of them
 */
const fs = require('node:fs');
const path = require('node:path');
const { stopAll } = require('./lib/child');
const { onEnd } = require('./lib/lifetime');
const paths = require('./lib/paths');
const { repacked } = require('./lib/png');
const { say, step } = require('./lib/say');
const { ensureDependencies, ensureN8n } = require('./lib/setup');

const FOLDER = path.join(paths.root, 'docs/images');
const SENDER = 'Confirm the order';

/** What moves or passes has no place in a picture. */
const STILL = `
	.el-notification, .n8n-tooltip, [data-test-id="floating-nodes"] { display: none !important; }
	*, *::before, *::after { caret-color: transparent !important; animation: none !important; transition: none !important; }
	::-webkit-scrollbar { display: none; }
`;

const ORDERS = [
	{ order: 'A-1042', name: 'Ada', phone: '+1 (555) 010-0200' },
	{ order: 'A-1043', name: 'Ben', phone: '+1 (555) 010-0201' },
];

const TEMPLATE = {
	operation: 'sendTemplate',
	templateId: 'order_confirmation',
	channelId: '5001',
	customerPhone: '={{ $json.phone }}',
	specifyAttributes: 'fields',
	attributes: { attribute: [{ value: '={{ $json.name }}' }, { value: '={{ $json.order }}' }] },
	headerMedia: {
		media: { type: 'image', url: '=https://example.com/orders/{{ $json.order }}.jpg' },
	},
	options: {},
};

/** Buttons around the canvas. */
const BARE_CANVAS = `
	[data-test-id="canvas-controls"], [data-test-id="execute-workflow-button"],
	[data-test-id="canvas-handle-plus-wrapper"], [data-test-id="canvas-handle-plus"],
	.vue-flow__panel { display: none !important; }
`;

/** Every picture: how large the window is, and what happens in it before the shutter falls. */
const PICTURES = {
	'node-creator': {
		viewport: { width: 1180, height: 640 },
		async take({ editor, workflow, shoot }) {
			await editor.openWorkflow(await workflow([newOrder()]));
			await editor.part('node-creator-plus-button').click();
			await editor.searchNodes('whatsapp');
			await editor.entry('Outbound Messaging').click();
			await editor.entry('Send a text message').waitFor();
			await shoot();
		},
	},
	template: {
		viewport: { width: 1410, height: 1230 },
		async take({ editor, workflow, shoot }) {
			await editor.openWorkflow(await workflow([newOrder(), sender(TEMPLATE)]));
			await editor.openNode(SENDER);
			await editor.executeStep();
			await editor.showOutputAs('schema');
			await editor.item('url').getByText('A-1042.jpg', { exact: false }).last().waitFor();
			await shoot(editor.part('ndv'));
		},
	},
	output: {
		viewport: { width: 1440, height: 530 },
		async take({ editor, workflow, shoot }) {
			await editor.openWorkflow(await workflow([newOrder(), sender(TEMPLATE)]));
			await editor.openNode(SENDER);
			await editor.executeStep();
			await editor.outputItems();
			await shoot(editor.output);
		},
	},
	error: {
		viewport: { width: 1440, height: 572 },
		async take({ editor, workflow, shoot }) {
			const list = [ORDERS[0], { ...ORDERS[1], phone: '555 010 0201' }];
			await editor.openWorkflow(await workflow([newOrder(list), sender(TEMPLATE)]));
			await editor.openNode(SENDER);
			await editor.executeStep();
			await editor.errorTitle.waitFor();
			await editor.part('radio-button-table', editor.part('ndv-input-panel')).click();
			await shoot(editor.part('ndv'));
		},
	},
	credential: {
		viewport: { width: 1200, height: 820 },
		async take({ editor, workflow, shoot }) {
			await editor.openWorkflow(await workflow([newOrder(), sender(TEMPLATE)]));
			await editor.openNode(SENDER);
			await editor.part('credential-edit-button').click();
			await editor.dialog.getByText('Connection tested successfully').waitFor();
			await shoot(editor.page.locator('.el-dialog:visible').filter({ has: editor.dialog }));
		},
	},
	inbox: {
		viewport: { width: 1180, height: 570 },
		async take({ editor, sandbox, shoot }) {
			await fillInbox(sandbox);
			await editor.page.goto(sandbox.inboxUrl);
			await editor.page.getByText('invoice-a-1042.pdf').first().waitFor();
			await shoot();
		},
	},
	'workflow-light': exampleOnCanvas(false),
	'workflow-dark': exampleOnCanvas(true),
};

function exampleOnCanvas(dark) {
	return {
		viewport: { width: 1400, height: 900 },
		dark,
		async take({ editor, example, shoot }) {
			const { page } = editor;
			await editor.openWorkflow(await example());
			await editor.part('execute-workflow-button').last().click();
			await page.getByText('Workflow executed successfully').waitFor();
			await editor.part('zoom-to-fit').click();
			const items = page.getByText('1 item', { exact: true });
			while ((await items.count()) < 6) await items.first().waitFor();
			await page.addStyleTag({ content: BARE_CANVAS });
			const seen = page.locator('.vue-flow__node, .vue-flow__node [class*="_description"]');
			await shoot(
				grown(await Promise.all((await seen.all()).map((each) => each.boundingBox())), 48),
			);
		},
	};
}

/** The part of the window that holds all of these boxes, with a margin; a negative one cuts off the rim. */
function grown(boxes, margin) {
	const left = Math.min(...boxes.map(({ x }) => x)) - margin;
	const top = Math.min(...boxes.map(({ y }) => y)) - margin;
	const right = Math.max(...boxes.map(({ x, width }) => x + width)) + margin;
	const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + margin;
	return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The trigger: orders that a shop has sent. */
function newOrder(list = ORDERS.slice(0, 1)) {
	const { webhook } = require('../test/n8n/workflow');
	return { ...webhook('orders', 'New order'), pinned: list.map((json) => ({ json })) };
}

function sender(parameters) {
	return { name: SENDER, parameters };
}

/** Three customers, each with a conversation. */
async function fillInbox(sandbox) {
	const { customerIdOfPhone } = require('../sandbox/customers');
	const send = async (address, body) => {
		const response = await fetch(`${sandbox.url}/stable/open/${address}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', [sandbox.headerName]: sandbox.apiKey },
			body: JSON.stringify(body),
		});
		if (!response.ok) throw new Error(`The sandbox refused a message: ${await response.text()}`);
	};
	const template = (phone, attributes, attachment) =>
		send('whatsapp/send-template-message', {
			template_id: 'order_confirmation',
			channel_id: '5001',
			customer_phone: phone,
			attributes,
			...(attachment && { attachment }),
		});
	const text = (phone, words) =>
		send('customers/send-text-message', {
			customer_id: String(customerIdOfPhone(phone)),
			text: words,
		});

	await fetch(new URL('/_sandbox/ledger', sandbox.url), { method: 'DELETE' });
	const [ada, ben, cleo] = ['+15550100200', '+15550100201', '+15550100202'];
	await template(cleo, { 1: 'Cleo', 2: 'A-1039' });
	await text(cleo, 'Hello Cleo, your order A-1039 waits for you in our shop.');
	await template(
		ben,
		{ 1: 'Ben', 2: 'A-1043' },
		{ image: 'https://example.com/orders/A-1043.jpg' },
	);
	await template(ada, { 1: 'Ada', 2: 'A-1042' });
	await text(ada, 'Hello Ada, your order A-1042 is on its way. It should reach you on Friday. 📦');
	await send('customers/send-attachment-message', {
		customer_id: String(customerIdOfPhone(ada)),
		attachment_type: 'document',
		attachment_url: 'https://example.com/orders/invoice-a-1042.pdf',
	});
}

async function pictures(names) {
	const unknown = names.filter((name) => !PICTURES[name]);
	if (unknown.length) {
		throw new Error(
			`no picture is called ${unknown.join(', ')}; there are ${Object.keys(PICTURES).join(', ')}`,
		);
	}
	await ensureDependencies();
	await ensureN8n();

	// Only now: these need what was just installed.
	const { openWindow, setStage } = require('../test/ui/stage');
	const builders = require('../test/n8n/workflow');
	const { setUpShowcase } = require('./lib/showcase');

	const stage = await step('Starting n8n, the sandbox and a browser', () =>
		setStage({ editorPort: 5678, sandboxPort: 8025, credentialName: 'Shop messages' }),
	);
	const workflow = async ([trigger, node]) => {
		const chain = [
			trigger,
			...(node ? [builders.outboundMessaging({ ...node, credentialId: stage.credential.id })] : []),
		];
		return (await stage.client.createWorkflow(builders.workflow('Order confirmations', chain))).id;
	};
	const example = () => setUpShowcase(stage.client, stage.sandbox);

	fs.mkdirSync(FOLDER, { recursive: true });
	for (const name of names.length ? names : Object.keys(PICTURES)) {
		const { viewport, dark, take } = PICTURES[name];
		await step(name, async () => {
			// The inbox forbids styles of others; a picture may add its own.
			const window = await openWindow(stage, {
				viewport,
				dark,
				deviceScaleFactor: 2,
				bypassCSP: true,
				timezoneId: morning(),
			});
			const editor = await window.open();
			const file = path.join(FOLDER, `${name}.png`);
			await take({
				editor,
				workflow,
				example,
				sandbox: stage.sandbox,
				shoot: (what) => shoot(editor.page, file, what),
			});
			await window.close();
			say(
				`    ${path.relative(paths.root, file)}: ${Math.round(fs.statSync(file).size / 1000)} kB`,
			);
		});
	}
	await stage.end();
}

/** As much as the rounded corners of n8n's dialogs take away. */
const RIM = 3;

/** @param {object} [what] an element, or a part of the window; all of it by default */
async function shoot(page, file, what) {
	await page.addStyleTag({ content: STILL });
	await page.evaluate(() => document.activeElement?.blur());
	await page.mouse.move(0, 0);
	await page.evaluate(() => document.fonts.ready);
	// Two frames: what the style sheet changed has been painted by then.
	await page.evaluate(
		() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
	);
	const clip = what?.boundingBox ? grown([await what.boundingBox()], -RIM) : what;
	fs.writeFileSync(file, repacked(await page.screenshot(clip && { clip })));
}

/** A time zone in which it is ten in the morning: nobody writes to customers at night. */
function morning() {
	const hoursAhead = ((10 - new Date().getUTCHours() + 36) % 24) - 12;
	return `Etc/GMT${hoursAhead > 0 ? '-' : '+'}${Math.abs(hoursAhead)}`;
}

onEnd(async () => {
	await stopAll();
	process.exit(130);
});

pictures(process.argv.slice(2)).catch(async (error) => {
	say(`\nThe pictures did not come through: ${error.message}`);
	await stopAll();
	process.exit(1);
});
