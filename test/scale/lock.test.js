/** The lock that is made of n8n's deduplication store, against a store that behaves as n8n's does. */
const { setImmediate: turn } = require('node:timers/promises');
const path = require('node:path');
const paths = require('../../scripts/lib/paths');
const { packNode } = require('../n8n/package-under-test');

let locked;
let store;

beforeAll(async () => {
	await packNode();
	({ locked } = require(
		path.join(paths.root, 'dist/nodes/OutboundMessaging/delivery/storeLock.js'),
	));
}, 120_000);

beforeEach(() => {
	store = new Store();
});

/** One row: read, changed and written with time in between, inserted only once. */
class Store {
	row;
	broken = {};

	async checkProcessedAndRecord(items, scope, { mode }) {
		expect(scope).toBe('workflow');
		const row = await this.#read();
		if (row && row.mode !== mode) throw new Error('incompatible');
		if (!row) {
			await turn();
			if (this.row) throw new Error('duplicate key');
			this.row = { mode, data: [...items] };
			return { new: items, processed: [] };
		}
		const fresh = items.filter((item) => !row.data.includes(item));
		await this.#write({ mode, data: [...row.data, ...fresh] });
		return { new: fresh, processed: items.filter((item) => !fresh.includes(item)) };
	}

	async removeProcessed(items) {
		const row = await this.#read();
		if (row) await this.#write({ ...row, data: row.data.filter((each) => !items.includes(each)) });
	}

	async getProcessedDataCount() {
		return (await this.#read())?.data.length ?? 0;
	}

	async clearAllProcessedItems() {
		await turn();
		if (this.broken.clear) throw new Error('the database is gone');
		this.row = undefined;
	}

	async #read() {
		await turn();
		return this.row && structuredClone(this.row);
	}

	/** An update of a row that is gone changes nothing. */
	async #write(row) {
		await turn();
		if (this.row) this.row = row;
	}
}

test('many at the same time get in one after the other', async () => {
	let inside = 0;
	let most = 0;
	const work = async () => {
		most = Math.max(most, ++inside);
		await turn();
		await turn();
		return inside--;
	};
	const results = await Promise.all(Array.from({ length: 20 }, () => locked(store, work)));
	expect(results).toEqual(Array(20).fill(1));
	expect(most).toBe(1);
	expect(store.row).toBeUndefined();
}, 30_000);

test('it is free again when the work failed', async () => {
	const failing = locked(store, async () => {
		throw new Error('no');
	});
	await expect(failing).rejects.toThrow('no');
	expect(store.row).toBeUndefined();
});

test('work that is done counts, even when the lock cannot be given back', async () => {
	store.broken.clear = true;
	await expect(locked(store, async () => 'done')).resolves.toBe('done');
});

test.each(['entries', 'latestDate'])(
	'a row of another node (%s) stays as it is, and the work goes on',
	async (mode) => {
		const row = { mode, data: ['theirs'] };
		store.row = structuredClone(row);
		await expect(locked(store, async () => 'done')).resolves.toBe('done');
		expect(store.row).toEqual(row);
	},
);

test('what another node adds meanwhile is not lost', async () => {
	await locked(store, async () => {
		store.row.data.push('theirs');
	});
	expect(store.row.data).toEqual(['theirs']);
});

describe('a lock whose process was killed', () => {
	beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
	afterEach(() => jest.useRealTimers());

	test('holds the others up for half a minute, and not for ever', async () => {
		const killed = new Promise(() => {});
		void locked(store, async () => await killed);
		await pass(1);
		let done = 0;
		void locked(store, async () => done++);
		await pass(29);
		expect(done).toBe(0);
		await pass(20);
		expect(done).toBe(1);
	}, 30_000);

	async function pass(seconds) {
		for (let step = 0; step < seconds * 20; step++) {
			await jest.advanceTimersByTimeAsync(50);
			for (let turns = 0; turns < 8; turns++) await turn();
		}
	}
});
