/** Drives a running n8n over the REST API that its own editor uses. */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { poll } from '../../scripts/lib/child.cts';
import { readExecution, type Execution, type StoredExecution } from './execution.cts';
import type { WorkflowDefinition } from './workflow.cts';

export type Owner = ReturnType<typeof newOwner>;

/** The owner of a fresh n8n, with a password that no one else on this machine can know. */
export const newOwner = () => ({
	email: 'owner@example.com',
	// n8n asks for a capital letter and a digit.
	password: `${randomBytes(12).toString('base64url')}-A1`,
	firstName: 'Olive',
	lastName: 'Owner',
});

/** The owner of every n8n that this process sets up and throws away. */
const OWNER = newOwner();

/** How an execution can end. */
export const ENDED = ['success', 'error', 'canceled', 'crashed'];
const SAVED_WITHIN_MS = 2000;

/** A credential as n8n stores it. */
export interface Credential {
	id: string;
	name: string;
	type: string;
	data: object;
}

/** A workflow as n8n stores it. */
export interface Workflow extends WorkflowDefinition {
	id: string;
	versionId: string;
	/** Of what is published. */
	activeVersionId?: string | null;
}

/** A row of a data table, by its columns. */
export type Row = Record<string, string | null>;

export type Client = Awaited<ReturnType<typeof signIn>>;

/** Signs in as the owner; sets the owner up on a fresh n8n. */
export async function signIn(url: string, owner: Owner = OWNER) {
	// n8n binds the session cookie to this header.
	const browserId = randomUUID();
	const anonymous = requester(url, { 'browser-id': browserId });

	const settings = await (await anonymous('GET', '/rest/settings')).text();
	if (settings.includes('"showSetupOnFirstLoad":true'))
		await anonymous('POST', '/rest/owner/setup', owner);
	const { email, password } = owner;
	const login = await anonymous('POST', '/rest/login', { emailOrLdapLoginId: email, password });
	const cookies = login.headers.getSetCookie().map((header) => header.split(';')[0]);
	return resume({ url, browserId, cookie: cookies.join('; ') });
}

/** A signed-in session; n8n takes five sign-ins a minute. */
export type Session = Record<'url' | 'browserId' | 'cookie', string>;

export function resume({ url, browserId, cookie }: Session) {
	const request = requester(url, { 'browser-id': browserId, cookie });
	const call = async <T = unknown,>(method: string, path: string, body?: object) =>
		((await (await request(method, path, body)).json()) as { data: T }).data;

	const workflow = (id: string) => call<Workflow>('GET', `/rest/workflows/${id}`);
	const createWorkflow = (definition: object) =>
		call<Workflow>('POST', '/rest/workflows', definition);
	/** Publishes the workflow and waits until its triggers are live. */
	const activate = async (id: string) => {
		const { versionId } = await workflow(id);
		try {
			await call('POST', `/rest/workflows/${id}/activate`, { versionId });
		} catch (error) {
			// n8n 1.x needs no word about a workflow that other workflows call, and takes none.
			if ((error as Error).message.includes('has no node to start the workflow')) return;
			throw error;
		}
		// The first releases of n8n 2 do not tell: their triggers are live when they answer.
		const ifUntold = (error: { status: number }) =>
			error.status === 404 ? 'published' : Promise.reject(error);
		const path = `/rest/workflows/${id}/publication-status`;
		const isPublished = async () =>
			JSON.stringify(await call('GET', path).catch(ifUntold)).includes('published');
		await poll(isPublished, { what: `workflow ${id} to be published` });
	};

	const execution = async (id: string) =>
		readExecution(await call<StoredExecution>('GET', `/rest/executions/${id}`));
	const waitForExecution = async (id: string): Promise<Execution> =>
		await poll(
			async () => {
				const current = await execution(id);
				// Older releases save the end of an execution first and its data a moment later.
				const saved =
					Object.keys(current.runData).length > 0 ||
					Date.now() - Date.parse(current.stored.stoppedAt ?? '') > SAVED_WITHIN_MS;
				return ENDED.includes(current.status) && saved ? current : undefined;
			},
			{ timeoutMs: 300_000, what: `execution ${id} to end` },
		);

	/** Starts a workflow from its trigger. @returns ID of the execution, at once */
	const start = async (workflowId: string, { trigger = 'Start' } = {}) => {
		const triggerToStartFrom = { name: trigger };
		const run = async (body: object) => {
			const path = `/rest/workflows/${workflowId}/run`;
			return (await call<{ executionId: string }>('POST', path, body)).executionId;
		};
		try {
			return await run({ triggerToStartFrom });
		} catch (error) {
			// Older releases run what the editor sends along, and not what is saved.
			if (!(error as Error).message.includes("reading 'id'")) throw error;
			return await run({ triggerToStartFrom, workflowData: await workflow(workflowId) });
		}
	};

	const tableOf = async (name: string) => {
		type Tables = { data: Array<Record<'id' | 'name' | 'projectId', string>> };
		const { data: tables } = await call<Tables>('GET', '/rest/data-tables-global');
		const table = tables.find((each) => each.name === name);
		return table && `/rest/projects/${table.projectId}/data-tables/${table.id}`;
	};

	return {
		...{ url, browserId, cookie, call },
		/** Puts a data table of texts in place, whatever an earlier one of this name had. */
		async importTable(name: string, rows: Row[]) {
			await this.removeTable(name);
			const { id: project } = await call<{ id: string }>('GET', '/rest/projects/personal');
			const columns = Object.keys(rows[0]).map((column) => ({ name: column, type: 'string' }));
			await call('POST', `/rest/projects/${project}/data-tables`, { name, columns });
			await call('POST', `${await tableOf(name)}/insert`, { data: rows });
		},
		/** Removes a data table, if it's there. */
		async removeTable(name: string) {
			const old = await tableOf(name);
			if (old) await call('DELETE', old);
		},
		/** What a person does to a data table itself. */
		renameTable: async (name: string, newName: string) =>
			await call('PATCH', (await tableOf(name))!, { name: newName }),
		async renameColumn(table: string, name: string, newName: string) {
			const path = `${await tableOf(table)}/columns`;
			const columns = await call<Array<{ id: string; name: string }>>('GET', path);
			const { id } = columns.find((column) => column.name === name)!;
			await call('PATCH', `${path}/${id}/rename`, { name: newName });
		},
		/**
		 * What a person does in a data table: adds rows, writes into those with a name,
		 * or deletes them.
		 */
		addRows: async (table: string, rows: Row[]) =>
			await call('POST', `${await tableOf(table)}/insert`, { data: rows }),
		changeRow: async (table: string, name: string, data: Row) =>
			await call('PATCH', `${await tableOf(table)}/rows`, { filter: rowsOf(name), data }),
		deleteRow: async (table: string, name: string) => {
			const filter = encodeURIComponent(JSON.stringify(rowsOf(name)));
			await call('DELETE', `${await tableOf(table)}/rows?filter=${filter}`);
		},
		/** The rows of a data table, in the order in which they were added. */
		tableRows: async (name: string) =>
			(await call<{ data: Row[] }>('GET', `${await tableOf(name)}/rows?take=1000`)).data,
		createCredential: (credential: Omit<Credential, 'id'>) =>
			call<Credential>('POST', '/rest/credentials', credential),
		updateCredential: (id: string, credential: object) =>
			call<Credential>('PATCH', `/rest/credentials/${id}`, credential),
		credentials: () => call<Credential[]>('GET', '/rest/credentials'),
		...{ workflow, createWorkflow, activate },
		workflows: () => call<Workflow[]>('GET', '/rest/workflows'),
		/** Saves and publishes a workflow. @returns its ID */
		async publish(definition: object) {
			const { id } = await createWorkflow(definition);
			await activate(id);
			return id;
		},
		updateWorkflow: (id: string, changes: object) =>
			call<Workflow>('PATCH', `/rest/workflows/${id}?forceSave=true`, changes),
		deactivate: (id: string) => call('POST', `/rest/workflows/${id}/deactivate`, {}),
		...{ execution, waitForExecution, start },
		/** Those of one workflow, newest first, without their data. */
		async executions(workflowId: string) {
			const filter = encodeURIComponent(JSON.stringify({ workflowId }));
			const path = `/rest/executions?filter=${filter}`;
			return (await call<{ results: StoredExecution[] }>('GET', path)).results;
		},
		/** Runs a workflow from its trigger to its end, as the editor's button does. */
		run: async (workflowId: string, options?: { trigger: string }) =>
			await waitForExecution(await start(workflowId, options)),
		/** "Retry" in the executions list: with the original workflow, or with the one saved now. */
		async retry(id: string, { loadWorkflow = false } = {}) {
			const path = `/rest/executions/${id}/retry`;
			const retried = await call<{ id: string }>('POST', path, { loadWorkflow });
			return await waitForExecution(retried.id);
		},
	};
}

/** Chooses the rows of a data table that have this name. */
const rowsOf = (name: string) => ({
	type: 'and',
	filters: [{ columnName: 'Name', condition: 'eq', value: name }],
});

const requester =
	(url: string, headers: Record<string, string>) =>
	async (method: string, path: string, body?: object): Promise<Response> => {
		for (let tries = 1; ; tries++) {
			const response = await fetch(url + path, {
				method,
				// While it's blocked, n8n closes connections just when they are used again.
				headers: { ...headers, 'content-type': 'application/json', connection: 'close' },
				body: body && JSON.stringify(body),
			});
			const { ok, status } = response;
			if (ok) return response;
			const text = await response.text();
			// While its event loop is blocked, n8n turns requests away before it looks at them.
			if (status !== 503 || !text.includes('Database is not ready') || tries === 50)
				throw Object.assign(new Error(`${method} ${path}: ${status} ${text}`), { status });
			await sleep(200);
		}
	};
