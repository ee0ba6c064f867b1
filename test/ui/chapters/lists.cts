import { eventually, type Stage } from '../help.cts';

const TEMPLATE = {
	operation: 'sendTemplate',
	templateId: 'order_confirmation',
	channelId: '5001',
	customerPhone: '+15550100200',
};

const LOOKS = [
	{ name: 'the older way of showing lists', look: {} },
	{ name: 'the newer way of showing lists', look: { newLists: true } },
];

export function lists(stage: Stage) {
	for (const { name, look } of LOOKS) {
		stage.test(
			`attributes are added, moved and removed, and header media is limited to one: ${name}`,
			async (editor) => {
				await stage.openPanel(editor, { parameters: TEMPLATE });
				const list = editor.list('attributes');
				const shows = async (values: string[]) => {
					await eventually(async () => expect(await list.values()).toEqual(values));
					if (!look.newLists) return;
					const titles = values.map((value, index) => `Variable ${index + 1}: ${value}`);
					await eventually(async () => expect(await list.titles()).toEqual(titles));
				};

				for (const [index, value] of ['Ada', 'A-1042', 'Friday', 'noon'].entries()) {
					await list.add();
					await list.input(index).fill(value);
				}
				await shows(['Ada', 'A-1042', 'Friday', 'noon']);
				await list.move(3, 0);
				await shows(['noon', 'Ada', 'A-1042', 'Friday']);
				await list.remove(1);
				await shows(['noon', 'A-1042', 'Friday']);
				await list.move(0, 1);
				await shows(['A-1042', 'noon', 'Friday']);

				const media = editor.list('headerMedia');
				await eventually(async () => expect(await media.canAdd()).toBe(true));
				await media.add();
				await editor.field('type').waitFor();
				expect(await media.canAdd()).toBe(false);
				await editor.choose('type', 'Document');
				const url = 'https://example.com/orders/a-1042/invoice.pdf';
				await editor.fill('url', url);
				expect(await media.canAdd()).toBe(false);

				await editor.executeStep();
				await eventually(() =>
					expect(stage.sandbox.ledger.accepted().map(({ body }) => body)).toMatchObject([
						{
							attributes: { 1: 'A-1042', 2: 'noon', 3: 'Friday' },
							attachment: { document: url },
						},
					]),
				);
			},
			look,
		);
	}

	stage.test(
		'equal attributes name all their positions instead of a wrong one',
		async (editor) => {
			const attribute = [{ value: 'Ada' }, { value: 'Ada' }, { value: '={{ "noon" }}' }];
			await stage.openPanel(editor, { parameters: { ...TEMPLATE, attributes: { attribute } } });
			const list = editor.list('attributes');
			await eventually(async () =>
				expect(await list.titles()).toEqual([
					'Variable 1 or 2: Ada',
					'Variable 1 or 2: Ada',
					'Variable 3: {{ "noon" }}',
				]),
			);
		},
		{ newLists: true },
	);
}
