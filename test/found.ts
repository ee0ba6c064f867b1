/**
 * A list that a test has read from files or from the code. Empty, it would let the test pass
 * without looking at anything. Tables need no such guard, since jest rejects an empty one, nor do
 * loops: see `hasAssertions.js`.
 */
export function found<Each>(list: Each[]): Each[] {
	if (list.length === 0) throw new Error('There is nothing for this test to look at');
	return list;
}
