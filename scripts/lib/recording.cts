/**
 * A silent animation of the editor, frame by frame, with a cursor that shows where the mouse is.
 */
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { STILL, type Box } from './screenshot.cts';

const STEP_MS = 60;
const STEPS = 10;
const POSTER_MS = 1_500;

type Point = Pick<Box, 'x' | 'y'>;

export class Recording {
	readonly #frames: Buffer[] = [];
	readonly #delays: number[] = [];

	/** @param clip the part of the window that is recorded @param at where the mouse begins */
	constructor(
		private readonly page: Page,
		private clip: Box,
		private at: Point,
	) {}

	async start() {
		await this.page.addStyleTag({ content: STILL });
		await this.page.evaluate(drawCursor);
		await this.page.mouse.move(this.at.x, this.at.y);
	}

	/** What there is to see now, for so many milliseconds. */
	async hold(milliseconds: number, clip = this.clip) {
		this.#frames.push(await this.page.screenshot({ clip }));
		this.#delays.push(milliseconds);
	}

	/** Glides to the middle of an element. @param view what is recorded then, at the same height */
	async moveTo(element: Locator, view = this.clip) {
		const { x, y, width, height } = (await element.boundingBox())!;
		const from = this.at;
		const left = this.clip.x;
		const to = { x: x + width / 2, y: y + height / 2 };
		for (let step = 1; step <= STEPS; step++) {
			const part = (1 - Math.cos((step / STEPS) * Math.PI)) / 2;
			this.at = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
			await this.page.mouse.move(this.at.x, this.at.y);
			this.clip = { ...view, x: left + Math.round((view.x - left) * part) };
			await this.hold(STEP_MS);
		}
	}

	async dragTo(element: Locator, view: Box) {
		await this.page.mouse.down();
		await this.moveTo(element, view);
		await this.page.mouse.up();
	}

	/**
	 * Also begins with its end: where nothing moves, only the first picture is shown.
	 * @param file ends in .webp
	 */
	async save(file: string) {
		const frames = [this.#frames.at(-1)!, ...this.#frames];
		await sharp(frames, { join: { animated: true } })
			.webp({ delay: [POSTER_MS, ...this.#delays], loop: 0, quality: 80, effort: 6 })
			.toFile(file);
	}
}

/** Runs in the browser, which draws no cursor into its pictures. */
function drawCursor() {
	const cursor = document.createElement('div');
	cursor.innerHTML =
		'<svg width="22" height="22" viewBox="0 0 22 22"><path d="M3 2v15l4-4 3 6 3-1-3-6h6z" ' +
		'fill="#fff" stroke="#222" stroke-width="1.4"/></svg>';
	Object.assign(cursor.style, { position: 'fixed', zIndex: '99999', pointerEvents: 'none' });
	document.body.append(cursor);
	document.addEventListener(
		'mousemove',
		({ clientX, clientY }) =>
			Object.assign(cursor.style, { left: `${clientX}px`, top: `${clientY}px` }),
		true,
	);
}
