/** The credential as most community packages write it: generic, with expressions. */
class BenchApi {
	name = 'benchApi';

	displayName = 'Bench API';

	properties = [
		{ displayName: 'Base URL', name: 'baseUrl', type: 'string', default: '' },
		{ displayName: 'API Key Header', name: 'apiKeyHeader', type: 'string', default: '' },
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
		},
	];

	authenticate = {
		type: 'generic',
		properties: { headers: { '={{$credentials.apiKeyHeader}}': '={{$credentials.apiKey}}' } },
	};
}

module.exports = { BenchApi };
