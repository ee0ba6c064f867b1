/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** promises.md, "What is sent again": each row of its table, judged by the sandbox. */
import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';

import * as help from './help';
import { clickRetry, engine, received } from './help';
import type { Execution } from '../engine/engine';
import { time } from '../engine/virtualTime';
import type { Sending } from '../engine/workflows';
import * as flows from '../engine/workflows';
import { CONTINUE, customer, customers, cuts, looped, rejects, toSend } from '../engine/workflows';

const ROWS = customers(5);

/** How many messages each of five customers has, of whom two had theirs before. */
const NOTHING = [1, 1, 0, 0, 0];
const THE_REST = [1, 1, 1, 1, 1];
const EVERYTHING = [2, 2, 1, 1, 1];

/** The last two columns of the table: how many messages each customer has in the end. */
const columns = (
	without: number[],
	withKey: number[],
): Array<[column: string, key: Sending, timesReceived: number[]]> => [
	['without a key', {}, without],
	['with a key', { safeguards: { sendOnceKey: '={{ $json.customer }}' } }, withKey],
];

/** Sends one row after the other. */
const inTurn = (spec: Sending): Sending => ({ ...flows.ONE_BY_ONE, ...spec });
const executeWorkflow = async (spec: Sending, rows = ROWS) => await engine.send(spec, rows);

/** The rows, with another text in the third one. */
const CORRECTED = ROWS.with(2, { customer: customer(2), text: 'corrected' });
/** The third row has no customer. */
const WITH_A_BAD_ROW = ROWS.with(2, { customer: '', text: 'text 2' });

/** From its third request on, n8n can't connect. */
function loseConnection(): () => void {
	const { authenticate } = engine.credentials;
	let requests = 0;
	const mock = jest.spyOn(engine.credentials, 'authenticate');
	mock.mockImplementation(async (credentials, type, request) => {
		const url = ++requests > 2 ? 'http://127.0.0.1:9/' : request.url;
		return await authenticate(credentials, type, { ...request, url });
	});
	return () => mock.mockRestore();
}

/** The step stops at the third of five messages, which has nothing to do with its row. */
async function stoppedByService(spec: Sending): Promise<Execution> {
	return await help.stoppedBy({ what: 'status', status: 401, when: { nth: 3 } }, spec);
}
async function stoppedWithoutConnection(spec: Sending): Promise<Execution> {
	const connectAgain = loseConnection();
	const failed = await engine.send(inTurn(spec), ROWS);
	connectAgain();
	return failed;
}

describe("The service stopped the step, or n8n couldn't connect", () => {
	const STOPS: Array<[why: string, stop: (spec: Sending) => Promise<Execution>]> = [
		['the service rejected the API key', stoppedByService],
		["n8n couldn't connect", stoppedWithoutConnection],
	];

	describe('Retry | The rest | The rest', () => {
		describe.each(STOPS)('%s', (_, stop) => {
			it.each(columns(THE_REST, THE_REST))('%s', async (__, key, timesReceived) => {
				const failed = await stop(key);
				expect([failed.status, received()]).toEqual(['error', NOTHING]);
				expect((await clickRetry(failed)).status).toBe('success');
				expect(received()).toEqual(timesReceived);
			});
		});
	});

	describe('Execute workflow | Everything | The rest', () => {
		describe.each(STOPS)('%s', (_, stop) => {
			it.each(columns(EVERYTHING, THE_REST))('%s', async (__, key, timesReceived) => {
				await stop(key);
				expect((await executeWorkflow(key)).status).toBe('success');
				expect(received()).toEqual(timesReceived);
			});
		});
	});
});

describe('A row was rejected by the service or uncertain, and others were accepted', () => {
	const atThird = { recipient: customer(2) };

	describe(
		'Retry, with On Error set to Continue for it | ' +
			'The rest. A rejected row is tried again as it was. | The same',
		() => {
			it.each(columns(THE_REST, THE_REST))('rejected, %s', async (_, key, timesReceived) => {
				const failed = await help.stoppedBy(rejects(atThird), key);
				expect(received()).toEqual(NOTHING);
				await clickRetry(failed, { ...key, ...CONTINUE });
				expect(received()).toEqual(timesReceived);
				expect(help.textsOf(2)).toEqual(['text 2']);
			});

			it.each(columns(THE_REST, THE_REST))('uncertain, %s', async (_, key, timesReceived) => {
				const failed = await help.stoppedBy(cuts(atThird), key);
				const retried = await clickRetry(failed, { ...key, ...CONTINUE });
				expect(retried.deliveries()).toEqual(new Array(5).fill('accepted').with(2, 'uncertain'));
				expect(received()).toEqual(timesReceived);
			});
		},
	);

	describe(
		'Execute workflow, with the row corrected | Everything: ' + 'use only this row | The rest',
		() => {
			it.each(columns(EVERYTHING, THE_REST))('rejected, %s', async (_, key, timesReceived) => {
				await help.stoppedBy(rejects(atThird), key);
				await executeWorkflow(key, CORRECTED);
				expect(received()).toEqual(timesReceived);
				expect(help.textsOf(2)).toEqual(['corrected']);
			});

			const EVERYTHING_AND_THE_UNCERTAIN = [2, 2, 2, 1, 1];
			it.each(columns(EVERYTHING_AND_THE_UNCERTAIN, THE_REST))(
				'uncertain, %s',
				async (_, key, timesReceived) => {
					await help.stoppedBy(cuts(atThird), key);
					await executeWorkflow({ ...key, ...CONTINUE }, CORRECTED);
					expect(received()).toEqual(timesReceived);
				},
			);
		},
	);
});

describe('A row stopped the step before it sent anything', () => {
	const NO_ONE = [0, 0, 0, 0, 0];

	describe('Retry | Nothing: it has the old data | Nothing', () => {
		it.each(columns(NO_ONE, NO_ONE))('%s', async (_, key, timesReceived) => {
			const failed = await engine.send(key, WITH_A_BAD_ROW);
			expect((await clickRetry(failed)).status).toBe('error');
			expect(received()).toEqual(timesReceived);
		});
	});

	describe(
		'Execute workflow, with the row corrected | The list; ' +
			'also what an earlier batch or another step has sent | ' +
			'The list, without what this node has sent',
		() => {
			it.each(columns(EVERYTHING, THE_REST))('a batch, %s', async (_, key, timesReceived) => {
				const failed = await engine.run(looped(key, 2), WITH_A_BAD_ROW);
				expect([failed.status, received()]).toEqual(['error', NOTHING]);
				await engine.run(looped(key, 2), ROWS);
				expect(received()).toEqual(timesReceived);
			});

			const FOUR_BY_ANOTHER_STEP = [3, 3, 2, 3, 3];
			it.each(columns(FOUR_BY_ANOTHER_STEP, FOUR_BY_ANOTHER_STEP))(
				'another step, whose node has no key; this one is %s',
				async (_, key, timesReceived) => {
					const ofStart = (field: string) => `={{ $('Start').item.json.${field} }}`;
					const mapped = { text: ofStart('text'), customerId: ofStart('customer') };
					const safeguards = key.safeguards && { sendOnceKey: ofStart('customer') };
					const flow = flows.workflow([
						flows.START,
						flows.sending({ ...CONTINUE, name: 'Another step' }),
						flows.sending({ parameters: mapped, safeguards }),
					]);
					const failed = await engine.run(flow, WITH_A_BAD_ROW);
					expect([failed.status, received()]).toEqual(['error', [1, 1, 0, 1, 1]]);
					await engine.run(flow, ROWS);
					expect(received()).toEqual(timesReceived);
				},
			);
		},
	);
});

describe('As a success, with rows on the error output', () => {
	describe(
		'Execute workflow, with them corrected | Everything: ' + 'use only these rows | The rest',
		() => {
			it.each(columns([2, 2, 1, 2, 2], THE_REST))('%s', async (_, key, timesReceived) => {
				engine.faults(rejects({ recipient: customer(2) }));
				const spec = { ...flows.ERROR_OUTPUT, ...key };
				expect((await executeWorkflow(spec)).status).toBe('success');
				engine.faults();
				await executeWorkflow(spec, CORRECTED);
				expect(received()).toEqual(timesReceived);
			});
		},
	);
});

describe('As a success', () => {
	describe(
		'Execute workflow or Execute step, or the webhook is called again | ' + 'Everything | Nothing',
		() => {
			it.each(columns([2, 2, 2, 2, 2], [1, 1, 1, 1, 1]))('%s', async (_, key, timesReceived) => {
				expect((await executeWorkflow(key)).status).toBe('success');
				await executeWorkflow(key);
				expect(received()).toEqual(timesReceived);
			});
		},
	);
});

/** n8n ends an execution while the third customer's message is in flight, which arrives. */
async function endedByN8n(key: Sending): Promise<Execution> {
	time.isVirtual = false;
	engine.faults({ what: 'hang', afterAccept: true, when: { nth: 3 } });
	const { ended, cancel } = engine.start(toSend(inTurn(key)), ROWS);
	while (engine.accepted().length < 3) await new Promise((resolve) => setTimeout(resolve, 2));
	time.isVirtual = true;
	cancel();
	const execution = await ended;
	engine.faults();
	expect([execution.status, received()]).toEqual(['canceled', [1, 1, 1, 0, 0]]);
	return execution;
}
const EVERYTHING_AFTER_THREE = [2, 2, 2, 1, 1];

describe('It was canceled', () => {
	describe('Execute workflow | Everything | The rest', () => {
		it.each(columns(EVERYTHING_AFTER_THREE, THE_REST))('%s', async (_, key, timesReceived) => {
			await endedByN8n(key);
			await executeWorkflow({ ...key, ...CONTINUE });
			expect(received()).toEqual(timesReceived);
		});
	});
});

/** For the node, it's the same as an execution that someone cancels. */
describe('It timed out', () => {
	describe('Retry | Nothing, although it succeeds | Nothing', () => {
		const THE_THREE = [1, 1, 1, 0, 0];
		it.each(columns(THE_THREE, THE_THREE))('%s', async (_, key, timesReceived) => {
			const timedOut = await endedByN8n(key);
			expect((await clickRetry(timedOut)).status).toBe('success');
			expect(received()).toEqual(timesReceived);
		});
	});

	describe(
		'Execute workflow | ' +
			"Everything: use only the rows that aren't in the service's dashboard | The rest",
		() => {
			it.each(columns(EVERYTHING_AFTER_THREE, THE_REST))('%s', async (_, key, timesReceived) => {
				await endedByN8n(key);
				await executeWorkflow({ ...key, ...CONTINUE });
				expect(received()).toEqual(timesReceived);
			});
		},
	);
});

/** A process that is really killed is in `test/e2e/kill.test.cts` and `test/scale`. */
describe('n8n crashed', () => {
	const behindWait = (key: Sending) =>
		flows.workflow([flows.node('Wait', 'test.pass'), flows.sending(key)]);

	/** @param saved what n8n saved at the Wait node, before the process sent two messages and died */
	async function crashed(key: Sending, saved?: IDataObject[]): Promise<Execution> {
		await help.stoppedAt(2, key);
		expect(received()).toEqual(NOTHING);
		return engine.crashed(behindWait(key), saved);
	}

	describe(
		'Retry | Nothing: it fails. Or everything, from where n8n last saved it, ' +
			'e.g. at a Wait node | Nothing, or the rest',
		() => {
			it.each(columns(NOTHING, NOTHING))('never saved, %s', async (_, key, timesReceived) => {
				const execution = await crashed(key);
				await expect(clickRetry(execution)).rejects.toThrow('before n8n saved its data');
				expect(received()).toEqual(timesReceived);
			});

			it.each(columns(EVERYTHING, THE_REST))(
				'saved at a Wait node, %s',
				async (_, key, timesReceived) => {
					const execution = await crashed(key, ROWS);
					expect((await clickRetry(execution)).status).toBe('success');
					expect(received()).toEqual(timesReceived);
				},
			);
		},
	);

	describe(
		'Execute workflow | ' +
			"Everything: use only the rows that aren't in the service's dashboard | The rest",
		() => {
			it.each(columns(EVERYTHING, THE_REST))('%s', async (_, key, timesReceived) => {
				await crashed(key);
				await executeWorkflow(key);
				expect(received()).toEqual(timesReceived);
			});
		},
	);
});

describe('A sub-workflow failed', () => {
	describe(
		'Retry of the execution that called it | ' +
			"Everything: retry the sub-workflow's own execution | The rest",
		() => {
			it.each(columns(EVERYTHING, THE_REST))(
				'which calls it again, in a new execution, %s',
				async (_, key, timesReceived) => {
					await help.stoppedAt(2, key);
					await engine.run(toSend(key), ROWS);
					expect(received()).toEqual(timesReceived);
				},
			);

			it.each(columns(THE_REST, THE_REST))(
				"a Retry of the sub-workflow's own execution, %s",
				async (_, key, timesReceived) => {
					const subWorkflow = await help.stoppedAt(2, key);
					await clickRetry(subWorkflow);
					expect(received()).toEqual(timesReceived);
				},
			);
		},
	);
});

it(
	'If Stop and Error follows an error output, ' + 'a retry starts there and sends nothing.',
	async () => {
		engine.faults(rejects({ recipient: customer(2) }));
		const name = 'Stop and Error';
		const flow = flows.workflow([
			flows.START,
			flows.sending(flows.ERROR_OUTPUT),
			flows.node(name, 'test.step'),
		]);
		help.setStep(name, () => {
			throw new UserError('A message failed');
		});
		const failed = await engine.run(flow, ROWS);
		engine.faults();
		const retried = await clickRetry(failed);
		expect([failed.words, retried.words]).toEqual([
			expect.stringContaining('A message failed'),
			expect.stringContaining('A message failed'),
		]);
		expect(received()).toEqual([1, 1, 0, 1, 1]);
	},
);

describe('Retry On Fail sends the rest, when n8n tries again.', () => {
	describe.each(help.CHANGING)('with %s in each message', (_, parameters) => {
		const spec = inTurn({ parameters });

		it('in one step', async () => {
			engine.faults(rejects({ nth: [3, 5] }));
			const execution = await engine.send({ ...spec, tries: 3 }, ROWS);
			expect([execution.status, received()]).toEqual(['success', THE_REST]);
		});

		it('in a loop', async () => {
			engine.faults(rejects({ nth: [2, 5] }));
			const execution = await engine.run(looped({ ...spec, tries: 3 }, 2), ROWS);
			expect([execution.status, received()]).toEqual(['success', THE_REST]);
		});

		it('in a Retry', async () => {
			const failed = await help.stoppedAt(2, spec);
			engine.faults(rejects({ nth: [1, 3] }));
			const retried = await clickRetry(failed, { ...spec, tries: 4 });
			expect([retried.status, received()]).toEqual(['success', THE_REST]);
		});
	});
});

describe(
	'A loop in which an item comes around again sends it again, ' +
		"unless 'Repeated Recipients' or a key skips it.",
	() => {
		it.each<[what: string, safeguards: IDataObject, times: number]>([
			['neither', {}, 3],
			["'Repeated Recipients'", { repeatedRecipients: 'sendFirst' }, 1],
			['a key', { sendOnceKey: 'spring' }, 1],
		])('with %s', async (_, safeguards, times) => {
			const parameters = { customerId: customer(0), text: 'Hi' };
			const again = flows.node('Twice more', 'test.twice');
			const flow = flows.workflow([flows.START, flows.sending({ parameters, safeguards }), again], {
				[again.name]: { main: [[flows.to({ name: flows.NODE })]] },
			});
			await engine.run(flow, customers(1));
			expect(received(1)).toEqual([times]);
		});
	},
);

describe(
	'A copy of the node, or a second node with the same list, sends everything, ' +
		'with keys too: each node has its own.',
	() => {
		const TWICE = [2, 2, 2, 2, 2];
		it.each(columns(TWICE, TWICE))('%s', async (_, key, timesReceived) => {
			await engine.run(flows.workflow([flows.START, flows.sending(key)]), ROWS);
			const copy = flows.sending({ ...key, name: `${flows.NODE}1` });
			await engine.run(flows.workflow([flows.START, copy]), ROWS);
			expect(received()).toEqual(timesReceived);
		});
	},
);

/**
 * The service works for one message of a list, and for one more in a Retry.
 * @param left how many messages the retry has to send
 */
async function retryWithSoManyLeft(left: number, key: Sending): Promise<Execution> {
	const noLonger = { what: 'status', status: 401, when: { nth: 2 } } as const;
	const failed = await help.stoppedBy(noLonger, key, customers(1 + left));
	engine.faults(noLonger);
	return await clickRetry(failed, inTurn(key));
}

describe(
	'A retry can send 20,000 messages, or 10,000 with send-once keys, ' +
		'since it keeps a key for each.',
	() => {
		// With keys, what was sent before counts, too.
		it.each(columns([20_000], [9_999]))('it begins, %s', async (_, key, [left]) => {
			const retried = await retryWithSoManyLeft(left, key);
			expect(retried.words).toContain("The service didn't accept the API key (401)");
			expect(engine.accepted()).toEqual([customer(0), customer(1)]);
		});
	},
);

describe('One that has more left is rejected.', () => {
	it.each(columns([20_001], [10_000]))('%s', async (_, key, [left]) => {
		const retried = await retryWithSoManyLeft(left, key);
		expect(retried.words).toContain('more than the');
		expect(engine.accepted()).toEqual([customer(0)]);
	});
});
