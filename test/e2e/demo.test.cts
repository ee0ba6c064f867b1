/** The demo as a newcomer starts it. */
import { finish } from '../../scripts/lib/child.cts';
import * as paths from '../../scripts/lib/paths.cts';

jest.setTimeout(600_000);

test('npm run demo -- --once sends one message of each kind and ends', async () => {
	const { child, problem } = await finish('npm', ['run', 'demo', '--', '--once'], {
		cwd: paths.root,
	});
	expect([problem, child.output()]).toEqual([
		undefined,
		expect.stringContaining('All three were accepted.'),
	]);
});
