import tseslint from 'typescript-eslint';
import { bans } from './eslint.bans.js';

const TYPESCRIPT = ['src/**/*.ts', 'test/**/*.ts', 'clients/*/src/*.ts', 'ormconfig.ts'];
const JAVASCRIPT = ['**/*.js', '**/*.cjs'];
const on = (names) => Object.fromEntries(names.map((name) => [`house/${name}`, 'error']));
const off = (...names) => Object.fromEntries(names.map((name) => [`house/${name}`, 'off']));

export default tseslint.config(
  { ignores: ['**/dist/', 'clients/*/src/schema.d.ts', 'node_modules/', 'coverage/', '.data/'] },
  {
    files: [...TYPESCRIPT, ...JAVASCRIPT],
    // A rule that is wrong is changed here, where everybody sees it, and not switched off on a line.
    linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' },
    plugins: { house: bans },
    rules: {
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'], location: 'anywhere' }],
      'no-eval': 'error',
      'no-new-func': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'object-shorthand': 'error',
      'no-unreachable': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    files: JAVASCRIPT,
    languageOptions: { ecmaVersion: 2024 },
    rules: { 'no-unused-vars': ['error', { argsIgnorePattern: '^_' }], 'no-undef': 'off' },
  },
  {
    files: TYPESCRIPT,
    extends: [tseslint.configs.recommended],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': true }],
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'as' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      ...on(['no-default-export', 'no-double-cast', 'no-insecure-random', 'database-in-platform']),
    },
  },
  {
    // Rules that need types cost most of the time, so they check what ships and not its tests.
    files: ['src/**/*.ts', 'ormconfig.ts'],
    ignores: ['src/**/*.spec.ts'],
    extends: [tseslint.configs.recommendedTypeCheckedOnly],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { allowDefaultCaseForExhaustiveSwitch: false }],
      '@typescript-eslint/no-deprecated': 'error',
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Libraries' enums of texts are compared with the texts.
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      // A port is a promise even where one implementation needs none.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['src/**/*.ts', 'ormconfig.ts'],
    rules: { 'no-console': 'error', ...on(['time-from-clock', 'settings-from-env', 'house-limits']) },
  },
  { files: ['src/modules/**/*.ts'], rules: on(['no-cast', 'no-api-property']) },
  { files: ['src/modules/*/index.ts'], rules: on(['no-entity-at-the-door']) },

  // Where a ban has its one home.
  { files: ['src/platform/clock/clock.ts'], rules: off('time-from-clock') },
  { files: ['src/platform/config/**/*.ts'], rules: off('settings-from-env') },
  { files: ['src/platform/database/**/*.ts'], rules: off('database-in-platform', 'no-double-cast') },
  // A migration runs SQL itself, and one file has the whole schema of a module.
  { files: ['src/migrations/*.ts'], rules: off('database-in-platform') },
  // The application is put together here: what a module is given is made, or read, before there are modules.
  { files: ['src/app.module.ts', 'src/{bootstrap,commands}/*.ts', 'ormconfig.ts'], rules: off('database-in-platform') },
  { files: ['src/bootstrap/boot.ts', 'ormconfig.ts'], rules: off('settings-from-env') },
  { files: ['ormconfig.ts'], rules: off('no-default-export') },
  // Before there is a logger, and in answers to a person at a terminal.
  { files: ['src/main.ts', 'src/commands/commands.ts'], rules: { 'no-console': 'off' } },
  {
    files: ['src/**/*.spec.ts', 'test/**/*.ts'],
    rules: off('time-from-clock', 'no-cast', 'database-in-platform'),
  },
);
