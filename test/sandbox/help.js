'use strict';

const { startSandbox } = require('../../sandbox');

const paths = {
	template: '/stable/open/whatsapp/send-template-message',
	text: '/stable/open/customers/send-text-message',
	attachment: '/stable/open/customers/send-attachment-message',
};

const bodies = {
	template: { template_id: 'welcome', channel_id: 'wa-1', customer_phone: '+4915112345678' },
	text: { customer_id: '42', text: 'Hello' },
	attachment: {
		customer_id: '42',
		attachment_type: 'image',
		attachment_url: 'https://files.example.com/a.png',
	},
};

/** One sandbox for a test file; every test begins with an empty ledger and no faults. */
function useSandbox(options) {
	const used = {};
	beforeAll(async () => {
		used.sandbox = await startSandbox(options);
	});
	beforeEach(() => {
		used.sandbox.ledger.clear();
		used.sandbox.faults.clear();
	});
	afterAll(() => used.sandbox.stop());

	/** Posts and answers `{ status, headers, text, json }`. */
	used.post = async (operation, body = bodies[operation], more = {}) => {
		const { sandbox } = used;
		const response = await fetch(sandbox.url + paths[operation], {
			method: 'POST',
			redirect: 'manual',
			headers: {
				'content-type': 'application/json',
				[sandbox.headerName]: sandbox.apiKey,
				...more.headers,
			},
			body: typeof body === 'string' ? body : JSON.stringify(body),
			signal: AbortSignal.timeout(more.timeout ?? 5000),
		});
		return read(response);
	};

	/** What a credential check does: a POST without content. */
	used.postNothing = async (key = used.sandbox.apiKey) => {
		const { sandbox } = used;
		const headers = key === null ? {} : { [sandbox.headerName]: key };
		return read(
			await fetch(sandbox.url + paths.text, { method: 'POST', redirect: 'manual', headers }),
		);
	};
	return used;
}

async function read(response) {
	const text = await response.text();
	let json;
	try {
		json = JSON.parse(text);
	} catch {
		json = undefined;
	}
	return { status: response.status, headers: response.headers, text, json };
}

module.exports = { useSandbox, paths, bodies };
