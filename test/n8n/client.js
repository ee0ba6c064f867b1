/** Drives a running n8n over the REST API that its own editor uses. */
const { randomBytes, randomUUID } = require('node:crypto');
const { setTimeout: sleep } = require('node:timers/promises');
const { poll } = require('../../scripts/lib/child');
const { readExecution } = require('./execution');

/**
 * Somebody to own a fresh n8n, with a password that nobody else on this machine can know.
 *
 * @returns {{ email: string, password: string, firstName: string, lastName: string }}
 */
const newOwner = () => ({
	email: 'owner@example.com',
	// n8n asks for a capital letter and a digit.
	password: `${randomBytes(12).toString('base64url')}-A1`,
	firstName: 'Olive',
	lastName: 'Owner',
});

/** The owner of every n8n that this process sets up and throws away. */
const OWNER = newOwner();

const ENDED = ['success', 'error', 'canceled', 'crashed'];
const RUN_TIMEOUT_MS = 60_000;
const SAVED_WITHIN_MS = 2000;

/**
 * Signs in as the owner; sets the owner up on a fresh n8n.
 *
 * @param {string} url
 * @param {ReturnType<typeof newOwner>} [owner]
 */
async function signIn(url, owner = OWNER) {
	// n8n binds the session cookie to this header.
	const browserId = randomUUID();
	const anonymous = requester(url, { 'browser-id': browserId });

	const { data: settings } = await (await anonymous('GET', '/rest/settings')).json();
	if (settings.userManagement?.showSetupOnFirstLoad) {
		await anonymous('POST', '/rest/owner/setup', owner);
	}
	const { email, password } = owner;
	const login = await anonymous('POST', '/rest/login', { emailOrLdapLoginId: email, password });
	const cookie = login.headers
		.getSetCookie()
		.map((header) => header.split(';')[0])
		.join('; ');

	const request = requester(url, { 'browser-id': browserId, cookie });
	const call = async (...args) => (await (await request(...args)).json()).data;
	return { url, browserId, cookie, call, ...credentials(call), ...workflows(call), ...runs(call) };
}

const credentials = (call) => ({
	/** @param {{ name: string, type: string, data: object }} credential */
	createCredential: (credential) => call('POST', '/rest/credentials', credential),
	updateCredential: (id, credential) => call('PATCH', `/rest/credentials/${id}`, credential),
	credentials: () => call('GET', '/rest/credentials'),
	/**
	 * What the editor's "Test" does; wants an existing id.
	 * @returns {Promise<{ status: 'OK' | 'Error', message: string }>}
	 */
	testCredential: (credential) =>
		call('POST', '/rest/credentials/test', { credentials: credential }),
});

const workflows = (call) => {
	const workflow = (id) => call('GET', `/rest/workflows/${id}`);
	return {
		workflow,
		workflows: () => call('GET', '/rest/workflows'),
		createWorkflow: (definition) => call('POST', '/rest/workflows', definition),
		updateWorkflow: (id, changes) => call('PATCH', `/rest/workflows/${id}?forceSave=true`, changes),
		/** Publishes the workflow and waits until its triggers are live. */
		async activate(id) {
			const { versionId } = await workflow(id);
			try {
				await call('POST', `/rest/workflows/${id}/activate`, { versionId });
			} catch (error) {
				// n8n 1.x needs no word about a workflow that other workflows call, and takes none.
				if (error.message.includes('has no node to start the workflow')) return;
				throw error;
			}
			await poll(
				async () => {
					const status = await call('GET', `/rest/workflows/${id}/publication-status`).catch(
						// The first releases of n8n 2 do not tell: their triggers are live when they answer.
						(error) => (error.status === 404 ? 'published' : Promise.reject(error)),
					);
					return JSON.stringify(status).includes('published');
				},
				{ what: `workflow ${id} to be published` },
			);
		},
		deactivate: (id) => call('POST', `/rest/workflows/${id}/deactivate`, {}),
	};
};

const runs = (call) => {
	const execution = async (id) => readExecution(await call('GET', `/rest/executions/${id}`));

	const waitForExecution = async (id, { timeoutMs = RUN_TIMEOUT_MS } = {}) =>
		await poll(
			async () => {
				const current = await execution(id);
				// Older releases save the end of an execution first and its data a moment later.
				const saved =
					Object.keys(current.runData).length > 0 ||
					Date.now() - Date.parse(current.stored.stoppedAt) > SAVED_WITHIN_MS;
				return ENDED.includes(current.status) && saved && current;
			},
			{ timeoutMs, what: `execution ${id} to end` },
		);

	const startRun = async (workflowId, triggerToStartFrom) => {
		const start = (body) => call('POST', `/rest/workflows/${workflowId}/run`, body);
		try {
			return await start({ triggerToStartFrom });
		} catch (error) {
			// Older releases run what the editor sends along, and not what is saved.
			if (!error.message.includes("reading 'id'")) throw error;
			const workflowData = await call('GET', `/rest/workflows/${workflowId}`);
			return await start({ triggerToStartFrom, workflowData });
		}
	};

	return {
		execution,
		waitForExecution,
		/** Those of one workflow, newest first, without their data. */
		async executions(workflowId) {
			const filter = encodeURIComponent(JSON.stringify({ workflowId }));
			return (await call('GET', `/rest/executions?filter=${filter}`)).results;
		},
		/**
		 * Runs a workflow from its trigger, as the editor's button does.
		 * With `wait: false` it returns at once, with the id alone.
		 */
		async run(workflowId, { trigger = 'Start', wait = true, timeoutMs } = {}) {
			const { executionId: id } = await startRun(workflowId, { name: trigger });
			return wait ? await waitForExecution(id, { timeoutMs }) : { id };
		},
		/** "Retry" in the executions list: with the original workflow, or with the one saved now. */
		async retry(id, { loadWorkflow = false, wait = true, timeoutMs } = {}) {
			const retried = await call('POST', `/rest/executions/${id}/retry`, { loadWorkflow });
			return wait ? await waitForExecution(retried.id, { timeoutMs }) : retried;
		},
		stop: (id) => call('POST', `/rest/executions/${id}/stop`, {}),
	};
};

/** While n8n's event loop is held up it turns requests away before it looks at them. */
const BUSY = /Database is not ready/;
const BUSY_TRIES = 50;

const requester = (url, headers) =>
	async function request(method, path, body, tries = BUSY_TRIES) {
		let response;
		try {
			response = await fetch(url + path, {
				method,
				headers: { ...headers, 'content-type': 'application/json' },
				body: body && JSON.stringify(body),
			});
		} catch (error) {
			// Held up, n8n also closes connections just when they are used again. Asking twice does no harm.
			if (method !== 'GET' || error.cause?.code !== 'ECONNRESET' || tries <= 1) throw error;
			return await request(method, path, body, tries - 1);
		}
		if (response.ok) return response;
		const text = await response.text();
		if (response.status === 503 && BUSY.test(text) && tries > 1) {
			await sleep(200);
			return await request(method, path, body, tries - 1);
		}
		throw Object.assign(new Error(`${method} ${path}: ${response.status} ${text}`), {
			status: response.status,
		});
	};

module.exports = { signIn, newOwner };
