import { eventually, type Stage } from '../help.cts';

const PARAMETERS = { operation: 'sendText', customerId: '4711', text: 'Hello Ada' };
const FIELDS = ['Base URL *', 'API Key Header *', 'API Key *'];

export function credential(stage: Stage) {
	/** What a test has created must not be what later nodes take by themselves. */
	afterEach(async () => {
		const all = await stage.client.credentials();
		for (const { id } of all.filter((each) => each.id !== stage.credential.id)) {
			await stage.client.call('DELETE', `/rest/credentials/${id}`);
		}
	});

	stage.test(
		'creates a credential, says what is wrong with a bad one, and takes a good one',
		async (editor) => {
			await stage.openPanel(editor, { parameters: PARAMETERS });
			await editor.newCredential();
			await eventually(async () => {
				const labels = await editor.dialog.locator('label:visible').allInnerTexts();
				expect(labels.map((label) => label.split('\n')[0].trim())).toEqual(
					expect.arrayContaining(FIELDS),
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
				for (const words of [
					"The service didn't accept the API key (401)",
					"Check 'API Key', and that 'API Key Header' is the exact header name",
					'It said: Invalid API key provided',
				]) {
					expect(shown).toContain(words);
				}
				expect(shown).not.toContain('not-the-key');
			});

			// n8n closes the dialog after a credential that works.
			await editor.fill('apiKey', stage.sandbox.apiKey);
			await editor.saveCredential();
			await editor.dialog.waitFor({ state: 'hidden' });
			await editor.part('credential-edit-button').click();
			await editor.dialog.getByText('Connection tested successfully').waitFor();
			expect(await editor.input('apiKey').inputValue()).not.toContain(stage.sandbox.apiKey);
			expect(stage.recipients()).toEqual([]);
		},
	);
}
