/**
 * What the node can say, read from its sources, and the pages that list it: docs/errors.md, and a section of the page of a
 * subject. One entry for each kind of text, with … for what is filled in.
 */
import ts from 'typescript';
import { isInEditor, parse, sources } from './texts.cts';
import { WHYS } from './whys.cts';

/** A text, and how to fix it: empty if that's given from elsewhere, undefined if the text is alone. */
interface Kind {
	text: string;
	fix?: string;
	/** Where the sources say it. */
	file: string;
}

const trees = sources().map((file) => [file, parse(file)] as const);

/** Constants at the top of their files, by name. */
const shared = new Map(trees.flatMap(([, tree]) => [...declaredIn(tree)]));

function declaredIn(scope: ts.Node): Map<string, ts.Expression> {
	const statements = ts.isSourceFile(scope) || ts.isBlock(scope) ? scope.statements : [];
	const declared = [...statements].flatMap((statement) =>
		ts.isVariableStatement(statement) ? [...statement.declarationList.declarations] : [],
	);
	return new Map(
		declared.flatMap(({ name, initializer }) =>
			initializer ? [[name.getText(), initializer]] : [],
		),
	);
}

/** What a name stands for where it's used. */
function held(name: string, scope: ts.Node): ts.Expression | undefined {
	const own = declaredIn(scope).get(name);
	return own ?? (ts.isSourceFile(scope) ? shared.get(name) : held(name, scope.parent));
}

/** The text that an expression is, with … for what only a run knows. */
function textOf(node: ts.Expression): string {
	if (ts.isStringLiteralLike(node)) return node.text;
	if (ts.isTemplateExpression(node)) {
		const spans = node.templateSpans.map(
			({ expression, literal }) => textOf(expression) + literal.text,
		);
		return (node.head.text + spans.join('')).replaceAll(/…[…\s]*…/g, '…');
	}
	const constant = ts.isIdentifier(node) && held(node.text, node);
	const isText =
		constant && (ts.isStringLiteralLike(constant) || ts.isTemplateExpression(constant));
	return isText ? textOf(constant) : '…';
}

/** Text and fix, as the sources write them: two lines of a template, two arguments, or a row that begins with a pattern. */
function pairOf(node: ts.Node): string[] {
	if (ts.isTaggedTemplateExpression(node)) return textOf(node.template).split(/\n\t+/);
	if (ts.isNewExpression(node) && node.expression.getText() === 'InvalidValue')
		return node.arguments!.map((argument) => textOf(argument));
	const row = ts.isArrayLiteralExpression(node) ? node.elements : undefined;
	return row?.[0] && ts.isRegularExpressionLiteral(row[0])
		? row.slice(1).map((element) => textOf(element))
		: [];
}

/** Fewer words only fill in another text. */
const SENTENCE = /(?:[\p{L}'…)]+[.,:;]? ){3}[\p{L}'"…]/u;
/** What no person reads. */
const MACHINE = /=>|\)\.\w|-src |^(?:retry|no) …|\$fromAI/;

/** What agents and reviewers read, wherever it's said. */
const FOR_AGENTS = /^(?:forAgents|forReviewers|TELL_A_PERSON)$/;
const nameOf = (node: ts.Node) =>
	ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node) ? node.name.getText() : '';

function kindsOf(file: string, tree: ts.SourceFile): Kind[] {
	const found: Kind[] = [];
	const visit = (node: ts.Node, given: string): void => {
		if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
		const file = FOR_AGENTS.test(nameOf(node)) ? 'tool/' : given;
		const [text, fix] = pairOf(node);
		if (fix !== undefined) found.push({ file, text, fix: fix.replace(/^…$/, '') });
		const alone = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) ? textOf(node) : '';
		if (SENTENCE.test(alone) && !alone.includes('\n') && !MACHINE.test(alone) && !isInEditor(node))
			found.push({ file, text: alone });
		ts.forEachChild(node, (child) => visit(child, file));
	};
	visit(tree, file);
	return found;
}

/** Of a long text, the first sentence is enough, without its example: n8n shows all of it. */
const LONGEST = 10;
const shortened = (text: string) => {
	const isLong = text.split(' ').length > LONGEST;
	return isLong ? text.replace(/(?<=[^.]{4})\. [A-Z{][^]*|, e\.g\. [^]*/, '') : text;
};

/** A text about a field begins with its label and its value: every entry would. */
const withoutField = (text: string) => text.replace(/^(?:'…' )?(?:… (?!of ))?/, '');

const found = trees
	.flatMap(([file, tree]) => kindsOf(file, tree))
	.map(({ file, text, fix }) => ({ file, text: shortened(withoutField(text).trim()), fix }))
	// A text that is given from elsewhere is listed there.
	.map(({ file, text, fix }) => (text === '…' ? { file, text: fix! } : { file, text, fix }));

/** @returns whether another text has it, as a part or as its first sentence */
const isPart = ({ text, fix }: Kind) =>
	fix === undefined &&
	found.some(
		(other) =>
			(other.text !== text && other.text.includes(text)) ||
			shortened(other.fix ?? '').includes(text) ||
			(other.fix !== undefined && `${text}.`.startsWith(`${other.text}.`)),
	);
const kinds = found.filter((kind) => !isPart(kind));

/** Where a text is listed, by the file that says it: the first row that fits. */
const SECTIONS: Array<[page: string, heading: string, files: RegExp]> = [
	['docs/ai-agents.md', 'What it can say', /tool\/|humanReview/],
	['docs/wait-for-response.md', 'Errors', /waitForResponse|limitWaitTime|sendAndWait/],
	['docs/phone-numbers.md', 'Errors', /validation\/phone/],
	['docs/errors.md', 'The credential', /credential|service\/connection/i],
	['docs/errors.md', "The service's response, and the connection to it", /\/service\//],
	['docs/errors.md', 'The end of a step with several messages', /output\/(?:errors|words)/],
	['docs/errors.md', 'Hints', /\/output\/|testRunNotes|progress/],
	['docs/errors.md', 'While messages are sent', /\/delivery\/|stopAfterFailures|\/common\//],
	['docs/errors.md', 'Parameters and safeguards', /parameters|safeguards|\/plan/],
	['docs/errors.md', 'Values', /validation|operations/],
];

/** In Markdown, as it is. */
const plain = (text: string) => text.replaceAll(/[<*&]|\b_|_\b/g, String.raw`\$&`);
const code = (text: string) => `\`${text}\``;

/** A fix on its own, or what fills in another text. */
const isOther = ({ text, fix }: Kind) =>
	fix === undefined &&
	!WHYS.some(([part]) => code(text).includes(part)) &&
	/^(?:\p{Ll}(?!8n)|[,.]|(?:Check|Choose|Correct|Enter|Map|Put|Send|Turn|Use|Write) )/u.test(text);

/** Texts with the same fix are one entry: the texts, the fix, and why. */
function listOf(section: Kind[]): string {
	const byFix = new Map<string, Set<string>>();
	for (const { text, fix } of section.filter((kind) => !isOther(kind)))
		byFix.set(fix || text, (byFix.get(fix || text) ?? new Set()).add(text));
	const entries = [...byFix].map(([fix, same]) => {
		const texts = [...same].sort();
		const whys = WHYS.filter(([part]) => texts.some((text) => code(text).includes(part)));
		const fixes = same.has(fix) ? [] : [plain(shortened(fix))];
		return [...texts.map(code), ...fixes, ...whys.map(([, why]) => `Why: ${why}`)].join('\\\n');
	});
	const parts = [...new Set(section.filter(isOther).map(({ text }) => code(text)))].sort();
	const more = parts.length > 0 ? [`Parts of these texts: ${parts.join(', ')}`] : [];
	return [...entries.sort(), ...more].join('\n\n');
}

/** Each section as its page should have it. */
export const sections = SECTIONS.map((section) => {
	const [page, heading] = section;
	const isOwn = ({ file }: Kind) => SECTIONS.find(([, , files]) => files.test(file)) === section;
	return { page, heading, list: listOf(kinds.filter(isOwn)) };
});
