/** `docs/promises.md`, "Uncertain messages": each sentence, by what the sandbox received. */
import type { IDataObject, INode, INodeParameters, IWorkflowBase } from 'n8n-workflow';

import * as help from './help';
import { clickRetry, engine, once, received, stoppedBy, textsOf, told } from './help';
import type { Sending } from '../engine/workflows';
import * as flows from '../engine/workflows';
import { CONTINUE, customer, customers, cuts, looped, NODE, node } from '../engine/workflows';

const { ERROR_OUTPUT, ONE_BY_ONE, RESEND, sending, START, to, workflow } = flows;

const HELD_BACK = {
	details: expect.objectContaining({ code: 'uncertainDelivery' }) as IDataObject,
};

/** Two steps that send, the second one at the error output of the first one. */
function onErrorOutput(first: Sending, second: Sending): IWorkflowBase {
	const one = sending({ name: 'First', ...ERROR_OUTPUT, ...ONE_BY_ONE, ...first });
	return workflow([START, one, sending({ ...CONTINUE, ...second })]);
}

/** The connection breaks while the first step sends its second message, which the customer has. */
async function secondIsUncertain(second: Sending = {}, rows = customers(3)) {
	engine.faults(cuts({ nth: 2 }));
	const execution = await engine.run(onErrorOutput({}, second), rows);
	expect(execution.status).toBe('success');
	return execution;
}

/** The first step sends a template whose text is the same for all. */
const FIXED = 'Your order is on its way';
const template: Sending = {
	...CONTINUE,
	...ONE_BY_ONE,
	name: 'First',
	parameters: flows.TEMPLATE,
	options: { ...ONE_BY_ONE.options, templateText: FIXED },
};
const sameText: Sending = { ...CONTINUE, parameters: help.says(FIXED) };
const PEOPLE = ['+12025550143', '+12025550144', '+12025550145', '+12025550146'].map(
	(phone, index) => ({ phone, customer: customer(index) }),
);

describe(
	'Neither a retry, a loop nor a later step resends an uncertain message, ' +
		"unless 'If Delivery Is Uncertain' is Resend.",
	() => {
		describe('Retry', () => {
			describe.each([['a text that stays the same', {}] as const, ...help.CHANGING])(
				'with %s',
				(_, parameters: INodeParameters) => {
					const spec = { ...ONE_BY_ONE, parameters };
					const andContinue = { ...spec, ...CONTINUE };

					it('one click, and another one', async () => {
						const failed = await stoppedBy(cuts({ nth: 2 }), spec);
						expect(received()).toEqual([1, 1, 0, 0, 0]);
						const first = await clickRetry(failed, andContinue);
						const second = await clickRetry(failed, andContinue);
						expect(received()).toEqual(once());
						expect([first, second].map((each) => each.deliveries()[1])).toEqual([
							'uncertain',
							'uncertain',
						]);
					});

					it('with Stop Workflow, the others are sent, and the step fails', async () => {
						const failed = await stoppedBy(cuts({ nth: 2 }), { ...spec, tries: 3 });
						expect([failed.status, received()]).toEqual(['error', once()]);
						expect((await clickRetry(failed)).status).toBe('error');
						expect(received()).toEqual(once());
					});

					it('with Resend, each click sends it once more', async () => {
						const failed = await stoppedBy(cuts({ nth: 2 }), { ...spec, tries: 3 });
						await clickRetry(failed, { ...spec, safeguards: RESEND });
						expect(received()).toEqual(once().with(1, 2));
					});
				},
			);

			it('after the status 408, too: the message may have been sent', async () => {
				const timedOut = { what: 'status', status: 408, accepted: true } as const;
				const failed = await stoppedBy({ ...timedOut, when: { nth: 2 } });
				const again = await clickRetry(failed, CONTINUE);
				expect(again.deliveries()[1]).toBe('uncertain');
				expect(received()).toEqual(once());
			});

			it.each([
				['Retry On Fail in a Retry', { clicks: 1, tries: 2 }],
				['a Retry of a Retry', { clicks: 2, tries: 0 }],
			])(
				"with Resend, %s sends it once more, and also the customer's next message",
				async (_, { clicks, tries }) => {
					const rows = help.toOneCustomer('uncertain', 'next');
					const resends = flows.toSend({ ...ONE_BY_ONE, safeguards: RESEND, tries });
					let failed = await help.stoppedAtSheet(resends, rows, rows);
					engine.faults(cuts({ nth: 1 }));
					for (let click = 0; click < clicks; click++) failed = await clickRetry(failed);
					expect(textsOf(0)).toEqual(['uncertain', 'uncertain', 'next']);
				},
			);
		});

		describe('an error output that is wired into a second step', () => {
			it('the same message to the same customer is not sent', async () => {
				const execution = await secondIsUncertain();
				expect(received(3)).toEqual(once(3));
				expect(execution.json()).toMatchObject([HELD_BACK]);
			});

			it('another message to the same customer is not sent', async () => {
				const other = { parameters: help.says('Sorry for the trouble') };
				const execution = await secondIsUncertain(other);
				expect(received(3)).toEqual(once(3));
				expect(execution.json()).toMatchObject([HELD_BACK]);
			});

			it('a message is not sent after the status 409: it may repeat an earlier one', async () => {
				engine.faults({ what: 'status', status: 409, when: { nth: 2 } });
				const execution = await engine.run(onErrorOutput({}, {}), customers(3));
				expect(received(3)).toEqual([1, 0, 1]);
				expect(execution.json()).toMatchObject([HELD_BACK]);
			});

			it('it is sent if uncertain messages are to be resent', async () => {
				const execution = await secondIsUncertain({ safeguards: RESEND });
				expect(told(execution)).toEqual(['accepted']);
				expect(received(3)).toEqual([1, 2, 1]);
			});

			it('a message to someone else is sent', async () => {
				const toOwner = {
					parameters: { customerId: '99', text: '={{ $json.customer }} is unclear' },
				};
				expect(told(await secondIsUncertain(toOwner))).toEqual(['accepted']);
				expect(engine.accepted()).toEqual([...customers(3).map((row) => row.customer), '99']);
			});

			it('an item that cannot be read fails, and is as uncertain as before', async () => {
				const unreadable = { parameters: { customerId: "={{ '' }}" } };
				expect((await secondIsUncertain(unreadable)).json()).toMatchObject([HELD_BACK]);
			});

			it('a third step behind the second one does not send it either', async () => {
				const steps = ['First', 'Second', NODE].map((name) =>
					sending({ name, ...ERROR_OUTPUT, ...ONE_BY_ONE }),
				);
				engine.faults(cuts({ nth: 2 }));
				const flow = workflow([START, ...steps, node('Failed', 'test.pass')]);
				const execution = await engine.run(flow, customers(3));
				expect(execution.json(0, 'Failed')).toMatchObject([HELD_BACK]);
				expect(received(3)).toEqual(once(3));
			});
		});

		describe('a template with one text for all is uncertain for one customer', () => {
			it('a later step with equal texts for three others: all of them are sent', async () => {
				engine.faults(cuts({ nth: 1 }));
				const first = workflow([START, sending(template), sending(sameText)]);
				const others = PEOPLE.slice(1);
				const execution = await engine.run(
					help.addStep(first, 'First', () => others),
					[PEOPLE[0]],
				);
				expect(told(execution)).toEqual(['accepted', 'accepted', 'accepted']);
				expect(received(4)).toEqual([0, 1, 1, 1]);
			});

			it('in a loop of four, with equal texts: those for the three others are sent', async () => {
				engine.faults(cuts({ nth: 1 }));
				const flow = looped(sameText, 1);
				const withTemplate: IWorkflowBase = {
					...flow,
					nodes: [...flow.nodes, sending(template)],
					connections: {
						...flow.connections,
						Loop: { main: [[to({ name: 'Done' })], [to({ name: 'First' })]] },
						First: { main: [[to({ name: 'Rows' })]] },
						Rows: { main: [[to({ name: NODE })]] },
					},
				};
				let turn = 0;
				const rows: INode = node('Rows', 'test.step');
				withTemplate.nodes.push(rows);
				help.setStep('Rows', ([{ details }]) => [
					{ ...PEOPLE[turn++], ...(details ? { details } : {}) },
				]);
				const execution = await engine.run(withTemplate, PEOPLE);
				expect(received(4)).toEqual([0, 1, 1, 1]);
				const [first, ...others] = told(execution, 'Done');
				expect(first).toEqual(help.failedWith(/an earlier step/));
				expect(others).toEqual(['accepted', 'accepted', 'accepted']);
			});
		});

		describe('a loop', () => {
			const inTurns = async (rows: IDataObject[], spec: Sending = {}) =>
				await engine.run(looped({ ...CONTINUE, ...spec }, 1), rows);

			it('the same content for the same customer is rejected with a code', async () => {
				engine.faults(cuts({ nth: 1 }));
				const execution = await inTurns(help.toOneCustomer('a', 'a', 'b'));
				const [, second, third] = execution.json(0, 'Done');
				expect(second).toMatchObject(HELD_BACK);
				expect(third.error).toBeUndefined();
				expect(textsOf(0)).toEqual(['a', 'b']);
			});

			it('equal texts for four customers are sent', async () => {
				engine.faults(cuts({ nth: 1 }));
				const execution = await inTurns(customers(4), { parameters: help.says('Hi') });
				expect(received(4)).toEqual(once(4));
				expect(told(execution, 'Done').slice(1)).toEqual(['accepted', 'accepted', 'accepted']);
			});

			it('the same content is sent if uncertain messages are to be resent', async () => {
				engine.faults(cuts({ nth: 1 }));
				await inTurns(help.toOneCustomer('a', 'a'), { safeguards: RESEND });
				expect(textsOf(0)).toEqual(['a', 'a']);
			});

			it('a message that was accepted keeps an equal one from nothing', async () => {
				await inTurns(help.toOneCustomer('a', 'a'));
				expect(textsOf(0)).toEqual(['a', 'a']);
			});

			it('after a Retry, too, the same content is rejected', async () => {
				const flow = looped({}, 1);
				engine.faults(cuts({ nth: 1 }));
				const failed = await engine.run(flow, help.toOneCustomer('a', 'a', 'b'));
				engine.faults();
				expect(failed.status).toBe('error');
				const again = await clickRetry(failed, looped(CONTINUE, 1));
				expect(again.json(0, 'Done')[1]).toMatchObject(HELD_BACK);
				expect(textsOf(0)).toEqual(['a', 'b']);
			});
		});
	},
);
