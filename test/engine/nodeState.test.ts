/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests run on a developer's machine */
/** What the node keeps in n8n's context: walks through the table at the head of n8n/nodeState.ts. */
import { readFileSync } from 'node:fs';

import type { Execution } from './engine';
import { useEngine } from './engine';
import * as flows from './workflows';
import { CONTINUE, customer, customers, cuts, looped, ONE_BY_ONE, rejects } from './workflows';

const engine = useEngine();

/** A first try that ends at the third message: one is accepted, the second one gets no response. */
const safeguards = { repeatedRecipients: 'sendFirst' };
const FIRST = { ...ONE_BY_ONE, safeguards };
async function firstTry(spec: flows.Sending = {}): Promise<Execution> {
	engine.faults(cuts({ nth: 2 }), rejects({ nth: 3 }));
	const execution = await engine.send({ ...FIRST, ...spec }, customers(3));
	engine.faults();
	return execution;
}
const PACED = { maxConcurrency: 1, messagesPerSecond: 100 };
const entriesOf = ({ runs = {} }: ReturnType<Execution['state']>) =>
	Object.fromEntries(Object.entries(runs).map(([run, items]) => [run, Object.keys(items)]));

it('a retry: it knows what was sent, has the same beginning, and goes on counting what was sent', async () => {
	const failed = await firstTry();
	const before = failed.state();
	expect(before.beginning).toMatchObject({ isRetry: false });
	expect(entriesOf(before)).toEqual({ 0: ['0', '1'] });
	expect(before.counts).toMatchObject({ sent: { 0: 2 }, failures: { 0: 1 }, hasAccepted: true });
	const retried = await failed.retry(flows.toSend({ ...FIRST, ...CONTINUE }));
	const after = retried.state();
	expect(after.beginning).toMatchObject({ id: before.beginning?.id, isRetry: true });
	expect(after.counts).toMatchObject({ sent: { 0: 3 }, hasAccepted: true });
	expect(after.counts?.failures).toEqual({});
	expect(retried.deliveries()).toEqual(['accepted', 'uncertain', 'accepted']);
	// The run is over: what is uncertain stays, and nothing else.
	expect(after.runs).toEqual({});
	expect(after.leftUncertain).toMatchObject({ 0: [{ recipient: customer(1) }] });
});

it('the next run of a loop: entries of its own, and it knows and counts what the runs before it did', async () => {
	engine.faults(cuts({ nth: 1 }), cuts({ nth: 2 }));
	const { runs, leftUncertain, counts } = (
		await engine.run(looped({ ...CONTINUE, safeguards }, 1), customers(2))
	).state();
	expect(runs).toEqual({});
	expect(Object.keys(leftUncertain ?? {})).toEqual(['0', '1']);
	expect(counts).toMatchObject({ sent: { 0: 1, 1: 1 } });
});

it('another operation: entries of its own next to those of the first one', async () => {
	const failed = await firstTry({ options: PACED });
	engine.faults(rejects());
	const attachment = { attachmentType: 'image', attachmentUrl: 'https://example.com/a.png' };
	const parameters = { operation: 'sendAttachment', ...attachment };
	const state = (await failed.retry(flows.toSend({ options: PACED, parameters }))).state();
	expect(state.pace).toHaveProperty('nextStart');
	expect(entriesOf(state)).toEqual({ 0: ['0', '1'] });
	const [entry] = Object.values(state.runs![0][1]);
	expect(entry.url).toMatch(/send-text-message$/);
});

it('a dry run: it counts apart, and knows what was sent', async () => {
	const failed = await firstTry();
	const dryRun = { ...FIRST, ...CONTINUE, safeguards: { ...safeguards, dryRun: true } };
	const shown = await failed.retry(flows.toSend(dryRun));
	expect(shown.deliveries()).toEqual(['accepted', 'uncertain', 'dryRun']);
	expect(shown.state().counts).toEqual(failed.state().counts);
	expect(shown.state().dryRunCounts).toMatchObject({ sent: { 0: 1 } });
});

it('a step that rejects what an earlier execution left uncertain keeps that for the next one', async () => {
	const left = { ...customers(1)[0], details: { delivery: 'uncertain' } };
	const { leftUncertain } = (await engine.send(CONTINUE, [left])).state();
	expect(leftUncertain).toMatchObject({ 0: [{ recipient: customer(0) }] });
	expect(engine.received()).toEqual([]);
});

it('an agent: what one call has sent is known in the next one, and in a retry', async () => {
	const calls = [1, 2].map(() => ({ customer: '7', text: 'the same words' }));
	const state = (await engine.run(flows.agent('test.agent'), calls)).state();
	expect(Object.values(state.calls ?? {})).toHaveLength(1);
	expect(engine.received()).toEqual(['7']);
});

it('a question: the secret of its link, and the execution that it leads to', async () => {
	const parameters = { operation: 'sendAndWait', message: 'Does Friday suit you?' };
	const asked = await engine.send({ parameters }, customers(1));
	const { questions, runs } = asked.state();
	expect(questions).toEqual({ 0: expect.stringMatching(/^[\w-]{22}$/) });
	expect(Object.values(runs![0][0])).toMatchObject([{ askedIn: asked.id }]);
});

it('the table has each part, and no other', () => {
	const file = readFileSync('nodes/OutboundMessaging/n8n/nodeState.ts', 'utf8');
	const listed = [...file.matchAll(/^ \* {3}(\w+) {2,}/gm)].map(([, part]) => part);
	const [, fields] = /^export interface NodeState \{\n([^}]*\n)\}/m.exec(
		file.replaceAll(/\{ .* \}/g, ''),
	)!;
	const parts = [...fields.matchAll(/^\t(\w+)\?:/gm)].map(([, part]) => part);
	expect(listed).toEqual(['part', ...parts]);
});
