import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT_CODES } from '../../scripts/launch-error.js';
import { COMMANDS, ROLES as CHOICES } from '../../scripts/platform/commands.js';
import { createProgram, type Request } from '../../scripts/platform/program.js';
import { ROLES } from '../../src/modules/identity/index.js';

const PROJECT = join(import.meta.dirname, '../..');

interface Printed {
  /** The commands that would have been run. */
  run: Request[];
  code: string;
  standardOutput: string;
  standardError: string;
}

/** Returns the command that the command line would run for these words. */
let parse: (words: string[]) => Promise<Printed>;

beforeEach(() => {
  const printed = { standardOutput: '', standardError: '' };
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => (printed.standardOutput += String(text)) !== '');
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => (printed.standardError += String(text)) !== '');
  parse = async (words) => {
    const run: Request[] = [];
    Object.assign(printed, { standardOutput: '', standardError: '' });
    const program = createProgram(async (request) => void run.push(request));
    const code = await program.parseAsync(words, { from: 'user' }).then(
      () => 'accepted',
      (error: { code: string }) => error.code,
    );
    return { run, code, ...printed };
  };
});
afterEach(() => void jest.restoreAllMocks());

/** The words of an example, without its redirections and with a file that exists. */
function wordsOf(example: string): string[] {
  const words = [...example.replace(/ [<>] .*/, '').matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, word]) => quoted ?? word,
  );
  return words.map((word = '') => (word === 'installation.json' ? join(PROJECT, 'package.json') : word));
}

describe('the help of the command line', () => {
  it('--help lists every command, with those for development omitted', async () => {
    const { standardOutput, code } = await parse(['--help']);
    expect(code).toBe('commander.helpDisplayed');
    const groups = new Set(COMMANDS.filter(({ hidden }) => !hidden).map(({ name }) => name.split(' ')[0] ?? ''));
    for (const name of groups) expect(standardOutput).toMatch(new RegExp(`^  ${name}( |$)`, 'm'));
    for (const { name, hidden } of COMMANDS) if (hidden) expect(standardOutput).not.toContain(`  ${name}`);
  });

  it.each(COMMANDS)('--help of $name has its purpose, examples and exit codes', async (command) => {
    const { standardOutput, standardError } = await parse([...command.name.split(' '), '--help']);
    const text = standardOutput.replace(/\s+/g, ' ');
    expect(text).toContain(`Usage: platform ${command.name} [options]`);
    expect(text).toContain(`${command.purpose}.`);
    for (const example of command.examples) expect(text).toContain(` platform ${example} `);
    for (const code of EXIT_CODES.keys()) expect(standardOutput).toMatch(new RegExp(`^  ${code} +\\w`, 'm'));
    expect(standardOutput.includes('--json')).toBe(command.printsJson !== false);
    expect(standardError).toBe('');
  });

  it.each(COMMANDS)('the examples of $name run this command', async ({ name, examples }) => {
    for (const example of examples) {
      const { run, code, standardError } = await parse(wordsOf(example));
      expect([code, standardError, run.map((request) => request.name)]).toEqual(['accepted', '', [name]]);
    }
  });

  it('docs/operations/command-line.md lists every command and every exit code', () => {
    const page = readFileSync(join(PROJECT, 'docs/operations/command-line.md'), 'utf8');
    const [, section = ''] = /^# Command line\n(.*?)^## /ms.exec(page) ?? [];
    const listed = [...section.matchAll(/`([a-z][a-z -]*)( <file>)?`(?=[^\n]*\|)/g)].map(([, name]) => name);
    const commands = COMMANDS.filter(({ hidden }) => !hidden).map(({ name }) => name);
    expect(commands.filter((name) => !listed.includes(name))).toEqual([]);
    const codes = [...section.matchAll(/^\| (\d+)[ ,]/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual([...EXIT_CODES.keys()]);
  });
});

describe('words that are wrong', () => {
  it.each([
    [['leger'], "unknown command 'leger'\n(Did you mean ledger?)"],
    [['keys', 'rotat'], "unknown command 'rotat'\n(Did you mean rotate?)"],
    [['constructor'], "unknown command 'constructor'"],
    [['keys'], 'Usage: platform keys'],
    [[], 'Usage: platform [options] [command]'],
    [['backup', 'kopy'], "error: too many arguments for 'backup'"],
    [['backup', '--too', 'x'], "unknown option '--too'\n(Did you mean --to?)"],
    [['start', '--json'], "unknown option '--json'"],
    [['migrate', 'now'], 'too many arguments'],
    [['provision'], "missing required argument 'file'"],
    [['provision', '/no/such/file'], 'It cannot be read (ENOENT).'],
    [['restore', 'one', 'two'], 'too many arguments'],
    [['ledger', 'erase', 'a reason'], "missing required argument 'entry-ids'"],
    [['ledger', 'erase', ' ', 'alog_1'], 'Expected a reason.'],
    [['ledger', 'checkpoint', '--restored'], 'argument missing'],
    [['users', 'add', 'nobody', '--name', 'A', '--role', 'owner'], 'Expected an e-mail address.'],
    [['users', 'add', 'a@b.test', '--name', '', '--role', 'owner'], 'Expected a name.'],
    [['users', 'add', 'a@b.test', '--name', 'A', '--role', 'boss'], 'Allowed choices are owner, manager, '],
    [['users', 'add', 'a@b.test', '--name', 'A'], "required option '--role <role>' not specified"],
    [['users', 'list', '--active', '--disabled'], "option '--active' cannot be used with option '--disabled'"],
  ])('%j are reported on standard error, and nothing is run', async (words, message) => {
    const { run, code, standardOutput, standardError } = await parse(words);
    expect([run, standardOutput]).toEqual([[], '']);
    expect(code).toMatch(/^commander\./);
    expect(standardError).toContain(message);
  });

  it('an option may be repeated, and --json is no option of the work', async () => {
    const { run } = await parse(wordsOf('users invite a@b.test --name "A B" --role finance --json --role viewer'));
    const options = { email: 'a@b.test', name: 'A B', role: ['finance', 'viewer'] };
    expect(run).toEqual([{ name: 'users invite', options, json: true }]);
  });

  it('the roles of the command line are those of the service', () => {
    expect(CHOICES).toEqual(ROLES);
  });
});
