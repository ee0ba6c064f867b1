/**
 * A test that expects nothing fails: its loop went through an empty list, or a callback never ran.
 */
beforeEach(() => {
	// `npm run docs` writes what tests otherwise compare.
	if (!process.env.WRITE_DOCS) expect.hasAssertions();
});
