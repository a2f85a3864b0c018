import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { PROJECT } from '../launcher/folders.js';

export interface Instruction {
  /** The name of the build stage; empty before the first one. */
  stage: string;
  name: string;
  text: string;
}

/** A COPY instruction: `from` is the stage that it copies from, or null for the files of the project. */
interface Copy {
  from: string | null;
  sources: string[];
  target: string;
}

/** The instructions of the Dockerfile in their order. */
export function instructions(): Instruction[] {
  const text = readFileSync(join(PROJECT, 'Dockerfile'), 'utf8');
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n');
  let stage = '';
  return lines.flatMap((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
    if (name === 'FROM') stage = /\sAS\s+(\S+)$/.exec(rest)?.[1] ?? '';
    return name === '' ? [] : [{ stage, name, text: rest.trim() }];
  });
}

/** The texts of the instructions with this name in a stage. */
export function textsOf(stage: string, name: string): string[] {
  return instructions()
    .filter((each) => each.stage === stage && each.name === name)
    .map(({ text }) => text);
}

export function readCopy({ text }: Pick<Instruction, 'text'>): Copy {
  const words = text.split(/\s+/);
  const paths = words.filter((word) => !word.startsWith('--'));
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length) ?? null;
  return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
}

export function copiesOf(stage: string): Copy[] {
  return textsOf(stage, 'COPY').map((text) => readCopy({ text }));
}

/** The lines of .dockerignore without comments. */
export const ignoreLines = readFileSync(join(PROJECT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** Returns whether .dockerignore includes a file of the project; the last matching line decides. */
export function isInContext(file: string): boolean {
  const path = relative(PROJECT, file);
  const deciding = ignoreLines.findLast((line) => patternOf(line.replace(/^!/, '')).test(path));
  return deciding === undefined || deciding.startsWith('!');
}

/** The pattern also matches files below a folder. */
function patternOf(line: string): RegExp {
  const text = line.replace(/\*\*\/|\*|[.+^${}()|[\]\\]/g, (part) => {
    if (part === '**/') return '(?:.*/)?';
    return part === '*' ? '[^/]*' : `\\${part}`;
  });
  return new RegExp(`^${text}(?:/.*)?$`);
}

/** Returns the words that start a container of the image: the given command, or the service without `words`. */
export function containerCommand(words = commandOf('service', 'CMD')): string[] {
  return [...commandOf('service', 'ENTRYPOINT'), ...words];
}

/** Returns the words of an instruction with a JSON array, such as CMD. */
export function commandOf(stage: string, name: 'CMD' | 'ENTRYPOINT' | 'HEALTHCHECK'): string[] {
  const [text = ''] = textsOf(stage, name);
  return JSON.parse(text.slice(text.indexOf('['))) as string[];
}

/** The variables that the image sets. */
export function imageEnvironment(): Record<string, string> {
  const words = textsOf('service', 'ENV').flatMap((text) => text.split(/\s+/));
  return Object.fromEntries(words.map((word) => word.split('=', 2) as [string, string]));
}
