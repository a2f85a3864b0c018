import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/checks');

const tool = (name, ...args) => [join(ROOT, 'node_modules/.bin', name), ...args];

/** Results for unchanged files are reused; a fresh clone checks everything. */
const cache = (name) => ['--cache', '--cache-strategy', 'content', '--cache-location', join(CACHE, name)];

/** `npm test` also runs it, because Jest does not check types. */
export const types = { name: 'types', command: tool('tsc', '-p', 'tsconfig.test.json') };

/** The other static checks, the slow ones first. They run beside the system tests, so that `npm test` ends sooner. */
export const codeChecks = [
  { name: 'lint', command: tool('eslint', '--max-warnings', '0', ...cache('eslint'), '.') },
  { name: 'format', command: tool('prettier', '--check', '--log-level=warn', ...cache('prettier'), '.') },
  {
    name: 'arrows',
    command: tool('depcruise', '--config', '.dependency-cruiser.cjs', 'src', 'test', 'scripts', 'ormconfig.ts'),
  },
  { name: 'folders', command: tool('depcruise', '--config', '.dependency-cruiser.folders.cjs', 'src') },
  { name: 'unused code', command: tool('knip', '--no-progress') },
];

export const audit = { name: 'audit', command: [join(ROOT, 'scripts/audit.js')] };

export const build = { name: 'build', command: tool('nest', 'build') };

/** The bundle of that build, which `npm start` runs. */
export const bundle = { name: 'bundle', command: [join(ROOT, 'scripts/bundle.js')] };

/** Runs Jest with the options for ES modules; `args` are its command-line arguments. */
export function jest(name, args) {
  const options = [process.env.NODE_OPTIONS, '--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  return { name, command: tool('jest', ...args), env: { NODE_OPTIONS: options.filter(Boolean).join(' ') } };
}
