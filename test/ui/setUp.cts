import { findBrowser } from '../../scripts/lib/browser.cts';
import { ensureN8n } from '../../scripts/lib/setup.cts';
import { packNode } from '../n8n/package-under-test.cts';

/** What is missing is said before the first test starts. */
export default async function setUp() {
	await findBrowser();
	await ensureN8n();
	await packNode();
}
