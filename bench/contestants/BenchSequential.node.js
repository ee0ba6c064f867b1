/** A programmatic node as most community nodes are written: a loop that sends one item after the other. */
const { messageFields, operationField } = require('./fields');
const paths = require('./endpoints');
const { bodyOf } = require('./body');

class BenchSequential {
	description = {
		displayName: 'Bench Sequential',
		name: 'benchSequential',
		group: ['output'],
		version: 1,
		description: 'The usual way',
		defaults: { name: 'Bench Sequential' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'benchApi', required: true }],
		properties: [operationField(), ...messageFields()],
	};

	async execute() {
		const items = this.getInputData();
		const { baseUrl } = await this.getCredentials('benchApi');
		const output = [];
		for (let index = 0; index < items.length; index++) {
			try {
				const operation = this.getNodeParameter('operation', index);
				const body = bodyOf(operation, (name) => this.getNodeParameter(name, index));
				const json = await this.helpers.httpRequestWithAuthentication.call(this, 'benchApi', {
					method: 'POST',
					url: baseUrl + paths[operation],
					body,
					json: true,
				});
				output.push({ json, pairedItem: { item: index } });
			} catch (error) {
				if (!this.continueOnFail()) throw error;
				output.push({ json: { error: error.message }, pairedItem: { item: index } });
			}
		}
		return [output];
	}
}

module.exports = { BenchSequential };
