/** A list of fields in the node's panel, in both ways in which n8n shows it. */

import type { ElementHandle, Locator } from 'playwright-core';
import type { Editor } from './editor.cts';

const MAX_STEPS = 50;

export class List {
	readonly box: Locator;

	/** @param name of the parameter */
	constructor(
		readonly editor: Editor,
		name: string,
	) {
		this.box = editor.part(`fixed-collection-${name}`);
	}

	get items() {
		return this.box.locator('[data-draggable="true"]');
	}

	/** A part by its name in the older or in the newer way. */
	part(older: string, newer: string, within = this.box): Locator {
		const [a, b] = [older, newer].map((id) => `[data-test-id="fixed-collection-${id}"]`);
		return within.locator(`${a}, ${b}`);
	}

	async add() {
		await this.part('add', 'add-top-level-button').first().click();
	}

	input(index: number): Locator {
		return this.items.nth(index).locator('input[type="text"]').first();
	}

	async values() {
		return await this.items
			.locator('input[type="text"]')
			.evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));
	}

	/** The heading of each entry, in the newer way. */
	async titles() {
		return await this.items.evaluateAll((items) =>
			items.map((item) => item.querySelector('[class*="title"]')?.textContent?.trim()),
		);
	}

	async remove(index: number): Promise<void> {
		const item = this.items.nth(index);
		await item.hover();
		await this.part('delete', 'item-delete', item).click();
	}

	/** Drags an entry by its handle to the place of another one, and lets go once it is there. */
	async move(from: number, to: number): Promise<void> {
		const { mouse } = this.editor.page;
		const dragged = (await this.items.nth(from).elementHandle())!;
		await dragged.hover();
		const start = await this.middleOfHandle(from);
		const end = await this.middleOfHandle(to);
		const beyond = Math.sign(to - from) * 12;
		await mouse.move(start.x, start.y);
		await mouse.down();
		await mouse.move(start.x, start.y + beyond, { steps: 5 });
		for (let step = 0; step < MAX_STEPS && (await placeOf(dragged)) !== to; step++) {
			await mouse.move(end.x, end.y + beyond + (step % 2), { steps: 10 });
		}
		await mouse.up();
	}

	async middleOfHandle(index: number) {
		const box = await this.items.nth(index).locator('.drag-handle').boundingBox();
		if (!box) throw new Error(`Entry ${index} can't be seen`);
		return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
	}
}

const placeOf = async (item: ElementHandle<Element>) =>
	await item.evaluate((element) =>
		[...element.parentElement!.querySelectorAll(':scope > [data-draggable="true"]')].indexOf(
			element,
		),
	);
