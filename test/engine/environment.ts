/* eslint-disable @n8n/community-nodes/no-restricted-imports,
	@n8n/community-nodes/no-restricted-globals */
/** Must be imported before n8n-core, which reads all of this once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'outbound-messaging-engine-'));

process.env.N8N_USER_FOLDER = folder;
process.env.N8N_ENCRYPTION_KEY = 'a key of the tests';
process.env.N8N_LOG_LEVEL = 'silent';
process.env.N8N_DIAGNOSTICS_ENABLED = 'false';

afterAll(() => rmSync(folder, { recursive: true, force: true }));
