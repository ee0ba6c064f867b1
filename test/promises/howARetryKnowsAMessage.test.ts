/** promises.md, "How a retry knows a message": each sentence, judged by the sandbox. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import * as help from './help';
import { clickRetry, CLICKS, engine, once, received, SENT_BEFORE, textsOf, told } from './help';
import type { Execution } from '../engine/engine';
import type { Sending } from '../engine/workflows';
import * as flows from '../engine/workflows';
import { CONTINUE, customer, customers, cuts, looped, rejects, toSend } from '../engine/workflows';

const { oneAfterTheOther, stoppedAt, stoppedAtSheet, stoppedBy } = help;

const ROWS = customers(5);
const FIVE_ACCEPTED = new Array<string>(5).fill('accepted');

/** Two messages to one customer were sent, and the third one was rejected. */
const TEXTS = ['a', 'b', 'c'];

/** A Retry in which the rows have these texts. */
async function retryWithTexts(...later: string[]): Promise<Execution> {
	const rows = help.toOneCustomer(...TEXTS).map((row, index) => ({ ...row, later: later[index] }));
	const failed = await stoppedBy(rejects({ nth: 3 }), {}, rows);
	return await clickRetry(failed, { parameters: help.says('={{ $json.later }}') });
}
/** How many hints above the output say that a text has changed. */
const hintsOfChanges = (execution: Execution) =>
	execution.hints().filter((hint) => /\bchanged\b|\bearlier content\b/i.test(hint)).length;

describe(
	"By its customer, operation and Base URL, and by the order of that customer's messages, " +
		'not by its text.',
	() => {
		it('the texts of all rows have changed: each customer has one', async () => {
			const failed = await stoppedAt(2);
			await clickRetry(failed, { parameters: help.says('={{ $json.text }}, changed') });
			expect(received()).toEqual(once());
			expect([0, 1, 2].map(textsOf)).toEqual([['text 0'], ['text 1'], ['text 2, changed']]);
		});

		it('the text of the third message has changed: it is the one that is sent', async () => {
			await retryWithTexts('a', 'b', 'c, corrected');
			expect(textsOf(0)).toEqual(['a', 'b', 'c, corrected']);
		});

		it.each<[order: string, later: string[]]>([
			['b, a, c', ['b', 'a', 'c']],
			['c, a, b', ['c', 'a', 'b']],
			['b, c, a', ['b', 'c', 'a']],
			['c, b, a', ['c', 'b', 'a']],
		])("one customer's texts a, b, c are now %s: each is sent once", async (_, later) => {
			const again = await retryWithTexts(...later);
			expect([again.status, textsOf(0)]).toEqual(['success', TEXTS]);
			expect(hintsOfChanges(again)).toBe(0);
		});
	},
);

describe(
	'So clicking Retry twice is safe, ' +
		'also with a text that changes by itself, such as the time.',
	() => {
		describe.each([['a text that stays the same', {}] as const, ...help.CHANGING])(
			'%s',
			(what, parameters: INodeParameters) => {
				const spec: Sending = { parameters };
				const andContinue: Sending = { ...spec, ...CONTINUE };

				it.each(CLICKS)('the third of five was rejected, %s: each once', async (_, click) => {
					const failed = await stoppedAt(2, spec);
					const clicks = await click(async () => await clickRetry(failed, andContinue));
					expect(received()).toEqual(once());
					help.expectNoneDropped(clicks, 5);
				});

				it.each(CLICKS)('the third of five was uncertain, %s: each once', async (_, click) => {
					const failed = await stoppedBy(cuts({ recipient: customer(2) }), spec);
					const clicks = await click(async () => await clickRetry(failed, andContinue));
					expect(received()).toEqual(once());
					expect(clicks.map((each) => each.deliveries()[2])).toEqual(['uncertain', 'uncertain']);
				});

				it('the second click sends nothing, and says so', async () => {
					const failed = await stoppedAt(2, spec);
					const click = async () => await clickRetry(failed, andContinue);
					const [first, second] = await oneAfterTheOther(click);
					expect(told(first)).toEqual(FIVE_ACCEPTED);
					const isSame = what === 'a text that stays the same';
					const other = isSame ? SENT_BEFORE : help.SENT_BY_OTHER;
					expect(told(second)).toEqual(['accepted', 'accepted', other, other, other]);
				});

				it.each(CLICKS)('in a loop, %s: each once', async (_, click) => {
					engine.faults(rejects({ recipient: customer(1) }));
					const failed = await engine.run(looped(spec, 1), ROWS);
					engine.faults();
					const saved = looped(andContinue, 1);
					const clicks = await click(async () => await clickRetry(failed, saved));
					expect(received()).toEqual(once());
					help.expectNoneDropped(clicks, 5, 'Done');
				});

				it.each(CLICKS)('the node had not run before, %s: each once', async (_, click) => {
					const failed = await stoppedAtSheet(toSend(andContinue), ROWS, ROWS);
					const clicks = await click(async () => await clickRetry(failed));
					expect(received()).toEqual(once());
					help.expectNoneDropped(clicks, 5);
				});
			},
		);

		it('with Stop Workflow, the second click of a text that stays the same succeeds', async () => {
			const failed = await stoppedAt(2);
			const clicks = await oneAfterTheOther(async () => await clickRetry(failed));
			expect(clicks.map(({ status }) => status)).toEqual(['success', 'success']);
			expect(received()).toEqual(once());
		});

		it.each(help.CHANGING)(
			'with Stop Workflow, the second click stops: %s',
			async (_, parameters) => {
				const failed = await stoppedAt(2, { parameters });
				const [first, second] = await oneAfterTheOther(async () => await clickRetry(failed));
				expect([first.status, second.status]).toEqual(['success', 'error']);
				expect(second.words).toMatch(help.ANOTHER_RETRY);
				expect(received()).toEqual(once());
			},
		);
	},
);

describe(
	'If you correct the text of an accepted message, ' +
		"the new text isn't sent, and a hint says so.",
	() => {
		it('in its place', async () => {
			const again = await retryWithTexts('a, corrected', 'b', 'c');
			expect([again.status, textsOf(0)]).toEqual(['success', TEXTS]);
			const saysSo = expect.stringMatching(/\bchanged\b|\bearlier content\b/i) as string;
			expect(again.hints()).toContainEqual(saysSo);
		});

		it('elsewhere: it is matched by order, after those that are the same', async () => {
			const again = await retryWithTexts('c', 'b', 'a, corrected');
			expect([again.status, received(1)]).toEqual(['success', [3]]);
			expect(hintsOfChanges(again)).toBe(1);
		});
	},
);

const ATTACHMENT: Sending = {
	parameters: {
		operation: 'sendAttachment',
		attachmentType: 'document',
		attachmentUrl: 'https://example.com/a.pdf',
	},
};
/** The sandbox by another URL. */
const useOtherService = () =>
	engine.useCredential({ baseUrl: engine.sandbox.url.replace('127.0.0.1', 'localhost') });

describe("With another recipient, operation or Base URL, it's another message and is sent.", () => {
	const FIVE_TO_TWO_OTHERS = [2, 2, 1, 1, 1];

	it('another recipient', async () => {
		const failed = await stoppedAt(2);
		const corrected = { parameters: { customerId: '=2{{ $json.customer }}' }, ...CONTINUE };
		expect(told(await clickRetry(failed, corrected))).toEqual(FIVE_ACCEPTED);
		const others = ROWS.map((row: IDataObject) => `2${String(row.customer)}`);
		const sent = [customer(0), customer(1), ...others];
		expect(engine.accepted().sort()).toEqual(sent.sort());
	});

	it('another operation', async () => {
		const failed = await stoppedAt(2);
		const other = { ...ATTACHMENT, ...CONTINUE };
		expect(told(await clickRetry(failed, other))).toEqual(FIVE_ACCEPTED);
		expect(received()).toEqual(FIVE_TO_TWO_OTHERS);
	});

	it('one click with each operation: each once', async () => {
		const failed = await stoppedAt(2);
		await clickRetry(failed, CONTINUE);
		const other = { ...ATTACHMENT, ...CONTINUE };
		expect(told(await clickRetry(failed, other))).toEqual(FIVE_ACCEPTED);
		expect(received()).toEqual([2, 2, 2, 2, 2]);
	});

	it('another Base URL', async () => {
		const failed = await stoppedAt(2);
		useOtherService();
		expect(told(await clickRetry(failed, CONTINUE))).toEqual(FIVE_ACCEPTED);
		expect(received()).toEqual(FIVE_TO_TWO_OTHERS);
	});

	it.each(CLICKS)('another Base URL, clicked %s: each once there', async (_, click) => {
		const failed = await stoppedAt(2, { parameters: help.EXECUTION_ID });
		useOtherService();
		const spec = { ...CONTINUE, parameters: help.EXECUTION_ID };
		await click(async () => await clickRetry(failed, spec));
		expect(received()).toEqual(FIVE_TO_TWO_OTHERS);
	});

	it(
		'another Base URL, and then the first one again: ' + 'it knows what that one accepted',
		async () => {
			const failed = await stoppedAt(2);
			useOtherService();
			engine.faults(rejects({ nth: 4 }));
			const elsewhere = await clickRetry(failed, flows.ONE_BY_ONE);
			engine.faults();
			engine.useCredential();
			expect((await clickRetry(elsewhere)).status).toBe('success');
			expect(received()).toEqual([2, 2, 2, 1, 1]);
		},
	);

	it('one click with each Base URL: each once at both', async () => {
		const failed = await stoppedAtSheet(toSend(CONTINUE), ROWS, ROWS);
		await clickRetry(failed);
		useOtherService();
		expect(told(await clickRetry(failed))).toEqual(FIVE_ACCEPTED);
		expect(received()).toEqual([2, 2, 2, 2, 2]);
	});
});
