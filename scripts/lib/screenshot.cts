/** Takes pictures of the editor in which nothing moves and nothing is in the way. */
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';

/** What moves, passes or is in the way has no place in a picture. */
export const STILL = `
	.el-notification, .n8n-tooltip, .vue-flow__panel, .tab-bar-container,
	[data-test-id="floating-nodes"], [data-test-id="canvas-controls"], [data-test-id="logs-panel"],
	[data-test-id^="execute-workflow-button"], [data-test-id^="canvas-handle-plus"],
	[class*="_executionButtons"], [class*="_executionDetails_"], [class*="_nodeButtonsWrapper"] {
		display: none !important;
	}
	*, *::before, *::after {
		caret-color: transparent !important;
		animation: none !important;
		transition: none !important;
	}
	::-webkit-scrollbar { display: none; }
`;

/** As much as the rounded corners of n8n's dialogs take away. */
const RIM = 3;

export interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

type Part = () => Promise<Box>;

/**
 * Takes parts of the window, one below the other, once nothing moves, blinks, waits for a font
 * or is in the way.
 */
export async function shoot(page: Page, file: string, ...parts: Part[]): Promise<void> {
	await page.addStyleTag({ content: STILL });
	await page.mouse.move(0, 0);
	await page.evaluate(() => document.fonts.ready);
	// Two frames: what the style sheet changed has been painted by then.
	await page.evaluate(
		() =>
			new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
	);
	const taken: Buffer[] = [];
	for (const part of parts) taken.push(await page.screenshot({ clip: await part() }));
	const png = taken.length > 1 ? sharp(taken, { join: { across: 1 } }) : sharp(taken[0]);
	// Without row filters: they help photographs, but in flat areas and sharp letters they hide
	// the repetitions.
	await png.png({ compressionLevel: 9, adaptiveFiltering: false }).toFile(file);
}

/** The part of the window that holds these elements. */
export const boxAround = async (elements: Locator[], margin = -RIM): Promise<Box> =>
	grown((await Promise.all(elements.map((element) => element.boundingBox()))) as Box[], margin);

/** A part of a workflow on the canvas. */
export async function shootCanvas(page: Page, file: string, nodes: Locator[]): Promise<void> {
	// The words below a node are outside its box.
	const words = nodes.map((node) => node.locator('[class*="_description"]').first());
	const around = () => boxAround([...nodes, ...words], 32);
	// Until nothing moves any more: the canvas glides to where it shall be.
	let before: string | undefined;
	for (;;) {
		const now = JSON.stringify(await around());
		if (now === before) break;
		before = now;
		await page.waitForTimeout(300);
	}
	await shoot(page, file, around);
}

/**
 * The part of the window that holds all of these boxes, with a margin; a negative one
 * cuts off the rim.
 */
function grown(boxes: Box[], margin: number): Box {
	const left = Math.min(...boxes.map(({ x }) => x)) - margin;
	const top = Math.min(...boxes.map(({ y }) => y)) - margin;
	const right = Math.max(...boxes.map(({ x, width }) => x + width)) + margin;
	const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + margin;
	return { x: left, y: top, width: right - left, height: bottom - top };
}
