/** Types of jest.config.js: the suites. */
export const projects: Array<{ displayName: string }>;
