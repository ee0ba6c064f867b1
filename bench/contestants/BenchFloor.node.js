/**
 * The floor: what n8n needs for the same work the usual way. Each expression is evaluated once per item, in stretches
 * that let the event loop have its turns, and then bare requests go out; nothing is checked, nothing is remembered.
 */
const { sleep } = require('n8n-workflow');
const { messageFields, operationField } = require('./fields');
const paths = require('./endpoints');
const { bodyOf } = require('./body');

const STRETCH_MS = 12;

class BenchFloor {
	description = {
		displayName: 'Bench Floor',
		name: 'benchFloor',
		group: ['output'],
		version: 1,
		description: 'The least that can be done',
		defaults: { name: 'Bench Floor' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'benchApi', required: true }],
		properties: [
			operationField(),
			...messageFields(),
			{ displayName: 'In Flight', name: 'inFlight', type: 'number', default: 1 },
			{ displayName: 'Read Only', name: 'readOnly', type: 'boolean', default: false },
		],
	};

	async execute() {
		const operation = this.getNodeParameter('operation', 0);
		const { baseUrl, apiKeyHeader, apiKey } = await this.getCredentials('benchApi');
		const bodies = await readAll(this, operation);
		const paired = (json, item) => ({ json, pairedItem: { item } });
		if (this.getNodeParameter('readOnly', 0)) return [bodies.map(paired)];

		const request = {
			method: 'POST',
			url: baseUrl + paths[operation],
			headers: { [apiKeyHeader]: apiKey },
			json: true,
		};
		const output = [];
		let next = 0;
		const worker = async () => {
			while (next < bodies.length) {
				const at = next++;
				const json = await this.helpers.httpRequest({ ...request, body: bodies[at] });
				output[at] = paired(json, at);
			}
		};
		await Promise.all(Array.from({ length: this.getNodeParameter('inFlight', 0) }, worker));
		return [output];
	}
}

async function readAll(context, operation) {
	const read = reader(context);
	const count = context.getInputData().length;
	const bodies = [];
	let since = performance.now();
	for (let item = 0; item < count; item++) {
		bodies.push(bodyOf(operation, (name) => read(name, item)));
		if (performance.now() - since < STRETCH_MS) continue;
		await sleep(0);
		since = performance.now();
	}
	return bodies;
}

/** What has no expression in it is the same for all items, and read once. */
function reader(context) {
	const fixed = new Map();
	const varies = new Set();
	return (name, item) => {
		if (fixed.has(name)) return fixed.get(name);
		const value = context.getNodeParameter(name, item);
		if (varies.has(name)) return value;
		const raw = context.getNodeParameter(name, 0, '', { rawExpressions: true });
		if (JSON.stringify(raw).includes('"=')) varies.add(name);
		else fixed.set(name, value);
		return value;
	};
}

module.exports = { BenchFloor };
