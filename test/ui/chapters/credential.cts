import { eventually, NODE, type Stage } from '../help.cts';

const PARAMETERS = { operation: 'sendText', customerId: '4711', text: 'Hello Ada' };

export function credential(stage: Stage) {
	/** What a test has created must not be what later nodes take by themselves. */
	afterEach(async () => {
		const others = (await stage.client.credentials()).filter(
			({ id }) => id !== stage.credential.id,
		);
		for (const { id } of others) await stage.client.call('DELETE', `/rest/credentials/${id}`);
	});

	stage.test(
		'creates a credential, says what is wrong with a bad one, and takes a good one',
		async (editor) => {
			await stage.openPanel(editor, { parameters: PARAMETERS });
			await editor.newCredential();
			const fields = ['Base URL *', 'API Key Header *', 'API Key *'];
			await eventually(async () => {
				const labels = await editor.dialog.locator('label:visible').allInnerTexts();
				expect(labels.map((label) => label.split('\n')[0].trim())).toEqual(
					expect.arrayContaining(fields),
				);
				expect(await editor.input('apiKeyHeader').inputValue()).toBe('X-Service-Api-Key');
				expect(await editor.input('apiKey').getAttribute('type')).toBe('password');
			});

			await editor.fill('baseUrl', stage.sandbox.url);
			await editor.fill('apiKey', 'not-the-key');
			await editor.saveCredential();
			await editor.dialog.getByText('Couldn’t connect with these settings').waitFor();
			await editor.dialog.getByText('More details').click();
			await eventually(async () => {
				const shown = await editor.dialog.innerText();
				expect(shown).toContain("The service didn't accept the API key (401)");
				expect(shown).toContain(
					"Check 'API Key', and that 'API Key Header' is the exact header name",
				);
				expect(shown).toContain('It said: Invalid API key provided');
				expect(shown).not.toContain('not-the-key');
			});

			// n8n closes the dialog after a credential that works.
			await editor.fill('apiKey', stage.sandbox.apiKey);
			await editor.saveCredential();
			await editor.dialog.waitFor({ state: 'hidden' });
			await editor.part('credential-edit-button').click();
			await editor.dialog.getByText('Connection tested successfully').waitFor();
			expect(await editor.input('apiKey').inputValue()).not.toContain(stage.sandbox.apiKey);
			expect(stage.sandbox.ledger.accepted()).toEqual([]);
		},
	);

	stage.test('is asked for by a node without a credential', async (editor) => {
		const id = await stage.save({ parameters: PARAMETERS, credentialId: '' });
		await editor.openWorkflow(id);
		expect(await editor.issuesOf(NODE)).toContain('Credentials for Outbound Messaging are not set');
	});
}
