/** Whether figures grow along a line. */

/**
 * @param rows in ascending order of x
 * @returns growth for one more of x; and how much steeper the second half is than the first: 1 on a line, about 2 to 3
 *   on a parabola
 */
export function linear<Name extends string>(rows: Array<Record<Name, number>>, x: Name, y: Name) {
	const slope = (from: number, to: number) =>
		(rows[to][y] - rows[from][y]) / (rows[to][x] - rows[from][x]);
	const last = rows.length - 1;
	const middle = Math.floor(last / 2);
	return { slope: slope(0, last), bend: slope(middle, last) / slope(0, middle) };
}
