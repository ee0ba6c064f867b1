import type { MessageBody } from './specification.cts';

/**
 * The templates of the examples, so that the inbox can show what a customer reads. One ID can
 * have several texts.
 */
const TEXTS: Array<[id: string, text: string]> = [
	['appointment_question', '{{1}} Answer here: {{2}}'],
	['appointment_reminder', 'Hi {{1}}, a reminder of your appointment: {{2}}, {{3}}.'],
	['deal_won', 'Hi {{1}}, thank you for your order: {{2}}. We get started right away.'],
	['new_opening_hours', 'Hi {{1}}, from Monday on we open at 7 in the morning.'],
	['order_confirmation', 'Hi {{1}}, your order {{2}} is confirmed.'],
	['order_confirmation', 'Hi {{1}}, your order {{2}} of {{3}} is confirmed. It arrives on {{4}}.'],
	['order_update', 'Hi {{1}}, your order {{2}} {{3}}.'],
	['spring_news', 'Hi {{1}}, our spring collection is here.'],
	['spring_offer', 'Hi {{1}}, spring is here, and so is your code: {{2}}.'],
	['welcome', 'Hi {{1}}, welcome!'],
];
const VARIABLE = /\{\{(\d+)\}\}/g;

const countOf = (text: string) => text.match(VARIABLE)?.length ?? 0;

/** The texts of a template, by its ID. */
export const textsOf = (template: string): string[] =>
	TEXTS.filter(([id]) => id === template).map(([, text]) => text);

/** What a customer reads, or why there's nothing to read; neither if the template isn't known. */
export function filledTemplate(body: MessageBody): { text?: string; problem?: string } {
	if (!('template_id' in body)) return {};
	const { template_id: template, attributes = {} } = body;
	const texts = textsOf(template);
	if (texts.length === 0) return {};
	const got = Object.keys(attributes).length;
	const text = texts.find((each) => countOf(each) === got);
	const needed = texts.map(countOf).join(' or ');
	return text === undefined
		? { problem: `Needs ${needed} ${needed === '1' ? 'value' : 'values'}, got ${got}` }
		: { text: text.replace(VARIABLE, (_, position: string) => attributes[position]) };
}
