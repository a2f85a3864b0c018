// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { ROOT } from '../environment.js';
import { EXIT_CODES } from '../launch-error.js';
import { COMMANDS, GROUPS } from './commands.js';

/** @typedef {import('./commands.js').CommandDescription} CommandDescription */
/**
 * A command with checked arguments and options by name; `json`: whether to print JSON.
 * @typedef {{ name: string, options: Record<string, unknown>, json: boolean }} Request
 */

/**
 * Builds the command line. It reports invalid arguments on standard error and throws a CommanderError before it runs anything.
 * @param {(request: Request) => Promise<void>} run
 * @returns {Command}
 */
export function createProgram(run) {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const program = configured(new Command('platform'))
    .description('Operates the travel operations platform.')
    .version(version)
    // Options belong to the command that they follow: `backup` and `backup copy` both have --to.
    .enablePositionalOptions()
    .addHelpText('after', '\n`platform <command> --help` has arguments, examples and exit codes of a command.');
  /** @type {Map<string, Command>} */
  const groups = new Map();
  for (const description of COMMANDS) {
    const [first = '', second] = description.name.split(' ');
    if (second === undefined) {
      const command = built(first, description, run);
      program.addCommand(command, { hidden: description.hidden });
      groups.set(first, command.enablePositionalOptions());
    } else {
      const group = groups.get(first) ?? configured(new Command(first)).description(GROUPS.get(first) ?? '');
      if (!groups.has(first)) program.addCommand(group);
      groups.set(first, group);
      group.addCommand(built(second, description, run), { hidden: description.hidden });
    }
  }
  return program;
}

/**
 * @param {string} word
 * @param {CommandDescription} description
 * @param {(request: Request) => Promise<void>} run
 */
function built(word, description, run) {
  const { name, purpose, details, printsJson = true } = description;
  const command = configured(new Command(word)).summary(purpose);
  command.description(details === undefined ? `${purpose}.` : `${purpose}.\n\n${details}`);
  for (const argument of argumentsOf(description)) command.addArgument(argument);
  for (const option of optionsOf(description)) command.addOption(option);
  if (printsJson) command.option('--json', 'print the result as one JSON document');
  command.addHelpText('after', textAfter(description));
  return command.action(async () => {
    const { json = false, ...options } = command.opts();
    const words = description.arguments ?? [];
    const given = Object.fromEntries(words.map((each, index) => [each.name, command.processedArgs[index]]));
    await run({ name, options: { ...given, ...options }, json });
  });
}

/** Commands added later do not inherit this setting. @param {Command} command */
function configured(command) {
  return command.exitOverride().showHelpAfterError('(--help lists what is possible)').helpCommand(false);
}

/** @param {CommandDescription} description */
function argumentsOf({ arguments: words = [] }) {
  return words.map(({ name, purpose, parse, optional, many }) => {
    const inside = `${kebab(name)}${many ? '...' : ''}`;
    const argument = new Argument(optional ? `[${inside}]` : `<${inside}>`, purpose);
    return parse ? argument.argParser(parse) : argument;
  });
}

/** @param {CommandDescription} description */
function optionsOf({ options = [] }) {
  return options.map(({ flags, purpose, parse, choices, required, many, conflicts }) => {
    const option = new Option(flags, purpose);
    if (choices) option.choices(choices);
    if (parse) option.argParser(parse);
    if (many) option.argParser(collecting(choices));
    if (conflicts) option.conflicts(conflicts);
    return option.makeOptionMandatory(required === true);
  });
}

/**
 * Makes an option that may be repeated. A list of words would consume the following arguments. @param {readonly string[]}
 * [choices]
 */
function collecting(choices) {
  return (/** @type {string} */ word, /** @type {string[]} */ earlier = []) => {
    if (choices && !choices.includes(word)) {
      throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    }
    return [...earlier, word];
  };
}

/** @param {CommandDescription} description */
function textAfter({ examples, failure }) {
  const codes = [...EXIT_CODES].map(([code, meaning]) => [code, code === 1 && failure ? failure : meaning]);
  return [
    '\nExamples:',
    ...examples.map((example) => `  platform ${example}`),
    '\nExit codes:',
    ...codes.map(([code, meaning]) => `  ${String(code).padEnd(3)}  ${meaning}`),
  ].join('\n');
}

/** @param {string} name */
function kebab(name) {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
