/** What is measured: a choice of cases, since all against all would take hours. */

const WORKS = ['text', 'templateFields', 'templateJson'];
const SPECIALS = ['tls', 'dry', 'memory'];
const ALL = ['ours', 'http', 'declarative', 'sequential', 'floor'];
const ALL_TEXT = ['ours', 'http', 'httpJson', 'declarative', 'sequential', 'floor'];
const PARALLEL = ['ours', 'http', 'httpJson', 'declarative', 'floor'];
const WAITING = ['ours', 'ours300', 'http', 'httpJson', 'declarative', 'floor'];
const LEAN = ['ours', 'http', 'floor'];
/** Who can do everything but send. */
const READERS = ['ours', 'floor'];

/**
 * @typedef {object} Case
 * @property {string} id
 * @property {string} work
 * @property {number} size items
 * @property {number} latency of the service, in ms
 * @property {string[]} contestants
 * @property {number} [rounds] fewer than the others have
 * @property {'tls' | 'dry' | 'memory'} [special] TLS; nothing sent; in an n8n started anew for each contestant
 */

/** @returns {Case} */
const plain = (work, size, latency, contestants, more) => ({
	id: `${work}-${size}-${latency}`,
	work,
	size,
	latency,
	contestants,
	...more,
});

/** @returns {Case} */
const special = (name, size, contestants, more) => ({
	...plain('text', size, 0, contestants, more),
	id: `${name}-${size}`,
	special: name,
});

const full = () => [
	plain('text', 1000, 0, ALL_TEXT),
	plain('text', 1000, 50, PARALLEL),
	plain('text', 1000, 200, WAITING),
	plain('text', 10_000, 0, LEAN, { rounds: 2 }),
	plain('templateFields', 1000, 0, ALL),
	plain('templateJson', 1000, 0, ALL),
	plain('text', 100, 0, ALL),
	plain('text', 100, 50, ALL, { rounds: 2 }),
	plain('text', 100, 200, ALL, { rounds: 2 }),
	special('tls', 1000, LEAN),
	special('dry', 10_000, READERS, { rounds: 2 }),
	special('memory', 10_000, LEAN, { rounds: 1 }),
];

/** Enough to see that everything works, and roughly how it stands. */
const quick = () => [
	plain('text', 1000, 0, PARALLEL),
	plain('text', 100, 0, ALL),
	plain('text', 100, 50, PARALLEL),
	plain('text', 100, 200, WAITING),
	plain('templateFields', 100, 0, LEAN),
	plain('templateJson', 100, 0, LEAN),
	special('tls', 100, LEAN),
	special('dry', 1000, READERS),
	special('memory', 1000, ['ours', 'http']),
];

/**
 * @param {{ quick: boolean, only?: string[], sizes?: number[], latencies?: number[] }} flags
 * @returns {Case[]}
 */
function cases({ quick: isQuick, only, sizes, latencies }) {
	const kinds = [...WORKS, ...SPECIALS];
	const named = only?.filter((name) => kinds.includes(name)) ?? [];
	const people = only?.filter((name) => !kinds.includes(name)) ?? [];
	const kindOf = ({ special: name, work }) => name ?? work;

	return (isQuick ? quick() : full())
		.concat(sizes || latencies ? asked({ named, sizes, latencies }) : [])
		.filter((each) => named.length === 0 || named.includes(kindOf(each)))
		.filter(({ size }) => !sizes || sizes.includes(size))
		.filter(({ latency }) => !latencies || latencies.includes(latency))
		.map((each) => ({
			...each,
			contestants: each.contestants.filter((id) => people.length === 0 || people.includes(id)),
		}))
		.filter(({ contestants }) => contestants.length > 0)
		.filter(({ id }, at, all) => all.findIndex((other) => other.id === id) === at);
}

/** Sizes and latencies that were asked for by name and are not in the list. */
function asked({ named, sizes = [1000], latencies = [0] }) {
	const works = WORKS.filter((work) => named.includes(work) || (!named.length && work === 'text'));
	const specials = SPECIALS.filter((name) => named.includes(name));
	return sizes.flatMap((size) => [
		...works.flatMap((work) => latencies.map((latency) => plain(work, size, latency, PARALLEL))),
		...specials.map((name) => special(name, size, name === 'dry' ? READERS : LEAN)),
	]);
}

module.exports = { cases, SPECIALS, WORKS };
