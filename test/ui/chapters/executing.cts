import type { Stage } from '../help.cts';

const ORDER = { phone: '+1 555 010 0200', name: 'Ada', order: 'A-1042' };

const TEMPLATE = {
	operation: 'sendTemplate',
	templateId: 'order_confirmation',
	channelId: '5001',
	customerPhone: '={{ $json.phone }}',
	attributes: { attribute: [{ value: '={{ $json.name }}' }, { value: '={{ $json.order }}' }] },
	headerMedia: { media: { type: 'image', url: 'https://example.com/orders/parcel.jpg' } },
};

export function executing(stage: Stage) {
	stage.test("shows the service's record in the output panel", async (editor) => {
		await stage.openPanel(editor, { list: [ORDER], parameters: TEMPLATE });
		await editor.executeStep();
		await editor.part('ndv-items-count', editor.output).waitFor();
		const [record, ...others] = await editor.outputItems();
		expect(others).toEqual([]);
		expect(record).toMatchObject({
			function_name: 'send_template_message',
			message: 'Template message queued',
			status: 'ongoing',
			extra: {
				customer_phone: '+15550100200',
				template_id: 'order_confirmation',
				success: true,
			},
		});
		expect(record.id).toMatch(/^[0-9a-f-]{36}$/);
		const accepted = stage.sandbox.ledger.accepted();
		expect(accepted.map(({ body }) => body)).toEqual([
			{
				template_id: 'order_confirmation',
				channel_id: '5001',
				customer_phone: '+15550100200',
				attributes: { 1: 'Ada', 2: 'A-1042' },
				attachment: { image: 'https://example.com/orders/parcel.jpg' },
			},
		]);
	});
}
