import type { NodeHint } from 'n8n-workflow';

/**
 * In n8n's expressions, `$parameter` has the values of a collection as they are stored:
 * expressions as text.
 */
const DRY_RUN_VALUE = '$parameter["safeguards"]?.["dryRun"]';
const TEST_RECIPIENT = '$parameter["safeguards"]?.["testRecipient"]';
const IS_DRY_RUN = `["true", "always"].includes(String(${DRY_RUN_VALUE}))`;
const IS_MANUAL_DRY_RUN = `${DRY_RUN_VALUE} === "manualExecutions"`;
const IS_MAYBE_DRY_RUN = `String(${DRY_RUN_VALUE}).startsWith("=")`;
const IS_TEST_RUN = `String(${TEST_RECIPIENT} ?? "") !== ""`;

/**
 * In front of the subtitle, whose end the canvas may cut off, while no customer gets a message;
 * code of an expression.
 */
export const testRunSubtitle =
	`(${IS_DRY_RUN} ? "Dry run: " : ${IS_MANUAL_DRY_RUN} ? "Dry run (manual): " : ${IS_TEST_RUN} ` +
	'? "Test run: " : "")';

const note = (message: string, condition: string): NodeHint => ({
	message,
	displayCondition: `={{ ${condition} }}`,
	type: 'warning',
	location: 'outputPane',
	// Also next to an output: it looks as if customers had got the messages.
	whenToDisplay: 'always',
});

/** Notes in the panel, before a run too, that no customer gets a message. */
export const testRunHints: NodeHint[] = [
	note("'Dry Run' is on: nothing is sent. To send, remove it under Safeguards", IS_DRY_RUN),
	note(
		"'Dry Run' is set to When Executed Manually: an execution that you start here sends " +
			'nothing. The published workflow sends',
		IS_MANUAL_DRY_RUN,
	),
	note(
		"'Dry Run' is an expression: nothing is sent in executions in which it's true or always",
		IS_MAYBE_DRY_RUN,
	),
	note(
		"'Test Recipient' is set: the first three messages go there, and customers get none. To " +
			'send to customers, remove it under Safeguards',
		IS_TEST_RUN,
	),
];
