/** Lints what n8n's linter doesn't look at: everything that isn't published, and which folder of the node may use which. */
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Imports in nodes/OutboundMessaging run one way: what each folder may use of the others. */
const MAY_IMPORT = {
	validation: [],
	delivery: [],
	service: ['delivery', 'validation'],
	safeguards: ['delivery', 'validation'],
	waitForResponse: ['validation'],
	operations: ['validation', 'waitForResponse'],
	parameters: ['delivery', 'operations', 'safeguards', 'validation', 'waitForResponse'],
	output: ['delivery', 'validation'],
	tool: ['delivery', 'operations', 'output', 'parameters', 'plan', 'validation'],
};
/** Files beside the folders that all of them may use. */
const SHARED = ['isObject', 'messageOf', 'twoLines'];

const layers = Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
	files: [`nodes/OutboundMessaging/${folder}/**/*.ts`],
	languageOptions: { parser: tseslint.parser },
	rules: {
		'no-restricted-imports': [
			'error',
			{
				patterns: [
					{
						regex: `^\\.\\./(?!(${[...allowed, ...SHARED].join('|')})(/|$))`,
						message: `${folder}/ may import ${allowed.join(', ') || 'nothing of the other folders'}: see MAY_IMPORT in eslint.tools.config.mjs.`,
					},
				],
			},
		],
	},
}));

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
						'delivery/ knows neither HTTP nor parameters: it sends through the port in outcome.ts.',
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
