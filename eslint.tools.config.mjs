/**
 * Lints what n8n's linter doesn't look at: everything that isn't published, and which folder of the
 * node may use which.
 */
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/**
 * Imports in nodes/OutboundMessaging run one way: what each folder may use of the others. All of
 * them may use common/ and n8n/, which use none.
 */
const MAY_IMPORT = {
	common: [],
	n8n: [],
	validation: [],
	recipients: ['validation'],
	delivery: [],
	service: ['delivery', 'validation'],
	output: ['delivery', 'recipients', 'validation'],
	parameters: ['validation'],
	waitForResponse: ['delivery', 'parameters', 'validation'],
	operations: ['parameters', 'recipients', 'validation', 'waitForResponse'],
	safeguards: ['delivery', 'parameters', 'recipients', 'validation'],
	run: [
		...['delivery', 'operations', 'output', 'parameters', 'recipients', 'safeguards', 'service'],
		'waitForResponse',
	],
	tool: ['delivery', 'operations', 'output', 'parameters', 'run', 'safeguards'],
};
/**
 * What the node itself may use: a call of an agent's tool goes through tool/, which
 * plans as a run does.
 */
const TOP = {
	'OutboundMessaging.node': [
		'operations',
		'run',
		'safeguards',
		'service',
		'tool',
		'waitForResponse',
	],
};

/** @param up the way from the file to the folder of the node */
const importsOnly = (files, up, name, allowed) => ({
	files,
	languageOptions: { parser: tseslint.parser },
	rules: {
		'no-restricted-imports': [
			'error',
			{
				patterns: [
					{
						regex: `^${up}(?!(${['common', 'n8n', ...allowed].join('|')})(/|$))`,
						message:
							`${name} may import ${allowed.join(', ') || 'only common/ and n8n/'}: see ` +
							'eslint.tools.config.mjs.',
					},
				],
			},
		],
	},
});

const NODE = 'nodes/OutboundMessaging';
const layers = [
	...Object.entries(MAY_IMPORT).flatMap(([folder, allowed]) => [
		importsOnly([`${NODE}/${folder}/*.ts`], '\\.\\./', `${folder}/`, allowed),
		importsOnly([`${NODE}/${folder}/*/*.ts`], '\\.\\./\\.\\./', `${folder}/`, allowed),
	]),
	...Object.entries(TOP).map(([file, allowed]) =>
		importsOnly([`${NODE}/${file}.ts`], '\\./', `${file}.ts`, allowed),
	),
];

export default defineConfig(
	{ ignores: ['**/node_modules/', 'dist/', '.tmp/', '.stryker-tmp/', '**/*.js', '**/*.mjs'] },
	layers,
	{
		files: ['nodes/OutboundMessaging/delivery/**/*.ts'],
		rules: {
			'no-restricted-syntax': [
				'error',
				{
					selector: 'MemberExpression[property.name=/^(getNodeParameter|getCredentials|http.*)$/]',
					message:
						'delivery/ knows neither HTTP nor parameters: it sends through the port in message.ts.',
				},
			],
		},
	},
	{
		files: ['**/*.cts', '**/*.mts'],
		extends: [tseslint.configs.recommended],
		languageOptions: {
			parserOptions: { project: 'tsconfig.tools.json', tsconfigRootDir: import.meta.dirname },
		},
		rules: {
			'@typescript-eslint/await-thenable': 'error',
			'@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
			'@typescript-eslint/no-floating-promises': 'error',
			'@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
			'@typescript-eslint/no-unused-vars': [
				'error',
				{ argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
			],
			'@typescript-eslint/switch-exhaustiveness-check': 'error',
		},
	},
);
