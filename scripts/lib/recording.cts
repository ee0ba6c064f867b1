/** A silent animation of the editor, frame by frame, with a cursor that shows where the mouse is. */
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { boxWithin, STILL, type Box } from './screenshot.cts';

const STEP_MS = 60;
const STEPS = 10;

export class Recording {
	readonly #page: Page;
	readonly #clip: Box;
	readonly #frames: Buffer[] = [];
	readonly #delays: number[] = [];
	#at = { x: 0, y: 0 };

	private constructor(page: Page, clip: Box) {
		this.#page = page;
		this.#clip = clip;
	}

	/**
	 * @param what is recorded
	 * @param x and y: where the mouse begins
	 */
	static async of(what: Locator, x: number, y: number) {
		const page = what.page();
		await page.addStyleTag({ content: STILL });
		await page.evaluate(drawCursor);
		const recording = new Recording(page, await boxWithin(what));
		recording.#at = { x, y };
		await page.mouse.move(x, y);
		return recording;
	}

	/** What there is to see now, for so many milliseconds. */
	async hold(milliseconds: number) {
		this.#frames.push(await this.#page.screenshot({ clip: this.#clip }));
		this.#delays.push(milliseconds);
	}

	/** Another page of the same size, for so many milliseconds. */
	async holdWhole(milliseconds: number) {
		this.#frames.push(await this.#page.screenshot());
		this.#delays.push(milliseconds);
	}

	/** Glides to the middle of an element. */
	async moveTo(element: Locator) {
		const { x, y, width, height } = (await element.boundingBox())!;
		const from = this.#at;
		const to = { x: x + width / 2, y: y + height / 2 };
		for (let step = 1; step <= STEPS; step++) {
			const part = (1 - Math.cos((step / STEPS) * Math.PI)) / 2;
			this.#at = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
			await this.#page.mouse.move(this.#at.x, this.#at.y);
			await this.hold(STEP_MS);
		}
	}

	async dragTo(element: Locator) {
		await this.#page.mouse.down();
		await this.moveTo(element);
		await this.#page.mouse.up();
	}

	/** @param file ends in .webp */
	async save(file: string) {
		await sharp(this.#frames, { join: { animated: true } })
			.webp({ delay: this.#delays, loop: 0, quality: 80, effort: 6 })
			.toFile(file);
	}
}

/** Runs in the browser, which draws no cursor into its pictures. */
function drawCursor() {
	const cursor = document.createElement('div');
	cursor.innerHTML =
		'<svg width="22" height="22" viewBox="0 0 22 22"><path d="M3 2v15l4-4 3 6 3-1-3-6h6z" fill="#fff" stroke="#222" stroke-width="1.4"/></svg>';
	Object.assign(cursor.style, { position: 'fixed', zIndex: '99999', pointerEvents: 'none' });
	document.body.append(cursor);
	document.addEventListener(
		'mousemove',
		({ clientX, clientY }) =>
			Object.assign(cursor.style, { left: `${clientX}px`, top: `${clientY}px` }),
		true,
	);
}
