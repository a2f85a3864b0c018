import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

const tool = (name, ...args) => [join(ROOT, 'node_modules/.bin', name), ...args];

/** What is asked of the sources without running them; the slow ones first, since two run at a time. */
export const staticChecks = [
  { name: 'lint', command: tool('eslint', '--max-warnings', '0', '.') },
  { name: 'types', command: tool('tsc', '--noEmit', '-p', 'tsconfig.test.json') },
  { name: 'format', command: tool('prettier', '--check', '--log-level=warn', '.') },
  {
    name: 'arrows',
    command: tool('depcruise', '--config', '.dependency-cruiser.cjs', 'src', 'test', 'scripts', 'ormconfig.ts'),
  },
  { name: 'unused code', command: tool('knip', '--no-progress') },
];

export const build = { name: 'build', command: tool('nest', 'build') };

/** Jest with this project's way of loading modules; `args` as on its command line. */
export function jest(name, args) {
  const options = [process.env.NODE_OPTIONS, '--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  return { name, command: tool('jest', ...args), env: { NODE_OPTIONS: options.filter(Boolean).join(' ') } };
}
