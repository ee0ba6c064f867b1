/** Lints what n8n's linter doesn't look at: everything that isn't published. */
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
	{ ignores: ['**/node_modules/', 'dist/', '.tmp/', '**/*.js', '**/*.mjs'] },
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
