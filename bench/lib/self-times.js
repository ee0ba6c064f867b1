/** Reads a .cpuprofile: how much time was spent in each function itself, within a window of time. */

const LONGEST_MS = 2;
const UNSEEN = '(no sample taken: the machine was busy)';
const OTHERS = '(callbacks of n8n and Node)';
const UNDER_TEST = /node_modules\/n8n-nodes-(outbound-messaging|bench)\/|HttpRequest\/V3\//;

/**
 * @param {{ nodes: object[], samples: number[], timeDeltas: number[], startTime: number }} profile
 * @param {{ from: number, to: number }} window ms since the epoch
 * @returns {Record<'package' | 'function' | 'caller', Map<string, number>>} milliseconds
 */
function selfTimes({ nodes, samples, timeDeltas, startTime }, window) {
	// V8 counts on the monotonic clock that this process has as well.
	const epochUs = Date.now() * 1000 - Number(process.hrtime.bigint() / 1000n);
	const from = window.from * 1000 - epochUs;
	const to = window.to * 1000 - epochUs;
	const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
	const byPackage = new Map();
	const byFunction = new Map();
	const byCaller = new Map();
	const callerOf = callers(nodes);

	let now = startTime;
	samples.forEach((id, at) => {
		now += timeDeltas[at];
		if (now < from || now > to) return;
		// A sample stands for the time until the next one, unless the machine had no time to take that.
		const ms = (timeDeltas[at + 1] ?? 0) / 1000;
		const seen = Math.min(ms, LONGEST_MS);
		const frame = frames.get(id);
		add(byPackage, packageOf(frame), seen);
		add(byFunction, nameOf(frame), seen);
		add(byCaller, callerOf(id), seen);
		for (const table of [byPackage, byFunction, byCaller]) add(table, UNSEEN, ms - seen);
	});
	return { package: byPackage, function: byFunction, caller: byCaller };
}

/** The innermost function of a node under test on the stack: whose doing it is. Callbacks of others have none. */
function callers(nodes) {
	const parents = new Map(
		nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
	);
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const known = new Map();
	const callerOf = (id) => {
		if (known.has(id)) return known.get(id);
		const { callFrame } = byId.get(id);
		const own = UNDER_TEST.test(callFrame.url);
		const parent = parents.get(id);
		const inherited = () => (parent === undefined ? OTHERS : callerOf(parent));
		const idle = callFrame.functionName === '(idle)';
		known.set(id, idle ? '(idle)' : own ? nameOf(callFrame) : inherited());
		return known.get(id);
	};
	return callerOf;
}

function packageOf({ url, functionName }) {
	if (!url) return functionName.startsWith('(') ? functionName : '(built in)';
	if (url.startsWith('node:'))
		return `node:${
			url
				.slice(5)
				.replace(/^internal\//, '')
				.split('/')[0]
		}`;
	const [, name] = url.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)/) ?? [];
	return name ?? url;
}

function nameOf(frame) {
	const { functionName, url, lineNumber } = frame;
	if (!url) return functionName || '(anonymous)';
	const file = url.startsWith('node:') ? url : url.split('/').slice(-2).join('/');
	return `${functionName || '(anonymous)'}  ${packageOf(frame)}  ${file}:${lineNumber + 1}`;
}

const add = (table, name, ms) => table.set(name, (table.get(name) ?? 0) + ms);

module.exports = { selfTimes };
