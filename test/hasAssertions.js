/**
 * A test that expects nothing fails: its loop went through an empty list, or a callback never ran.
 */
beforeEach(() => expect.hasAssertions());
