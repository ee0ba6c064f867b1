import type { MessageBody } from './specification.cts';

/** The templates of the examples, so that the inbox can show what a customer reads. One ID can have several texts. */
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

/** What a customer reads; undefined if the template isn't known, or not with so many variables. */
export function filledTemplate(body: MessageBody): string | undefined {
	if (!('template_id' in body)) return undefined;
	const { template_id: template, attributes = {} } = body;
	const isFilled = (text: string) =>
		(text.match(VARIABLE) ?? []).length === Object.keys(attributes).length;
	const [, text] = TEXTS.find(([id, each]) => id === template && isFilled(each)) ?? [];
	return text?.replace(VARIABLE, (_, position: string) => attributes[position]);
}
