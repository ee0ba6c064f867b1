/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests run on a developer's machine */
/** The table at the head of nodeState.ts. What each part is for shows in test/engine. */
import { readFileSync } from 'node:fs';

it('the table has each part, and no other', () => {
	const file = readFileSync('nodes/OutboundMessaging/n8n/nodeState.ts', 'utf8');
	const listed = [...file.matchAll(/^ \* {3}(\w+) {2,}/gm)].map(([, part]) => part);
	const [, fields] = /^export interface NodeState \{\n([^}]*\n)\}/m.exec(
		file.replaceAll(/\{ .* \}/g, ''),
	)!;
	const parts = [...fields.matchAll(/^\t(\w+)\?:/gm)].map(([, part]) => part);
	expect(listed).toEqual(['part', ...parts]);
});
