import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it } from '@jest/globals';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');
/** The only file that builds patterns at run time: alternations of escaped words. */
const BUILDS_PATTERNS = 'src/platform/validation/word-pattern.ts';

interface Pattern {
  /** `file:line /pattern/flags` */
  place: string;
  source: string;
  flags: string;
}

const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
  .map((name) => readPatterns(`src/${name}`, readFileSync(join(ROOT, 'src', name), 'utf8')));

it('every regular expression in src takes linear time on any input', async () => {
  const patterns = files.flatMap(({ literals }) => literals);
  expect(patterns.length).toBeGreaterThan(100);
  expect(await slowPatterns(patterns)).toEqual([]);
}, 300_000);

it('regular expressions are built at run time in one place only', () => {
  expect(files.filter(({ built }) => built > 0).map(({ path }) => path)).toEqual([BUILDS_PATTERNS]);
});

it('a vulnerable pattern is reported with its place and an attack', async () => {
  const sample = 'const fine = /^a+$/;\nconst slow = (text: string) => text.replace(/0+$/, "");';
  expect(await slowPatterns(readPatterns('src/sample.ts', sample).literals)).toEqual([
    expect.stringMatching(/^src\/sample\.ts:2 \/0\+\$\/: '0'\.repeat/),
  ]);
  expect(readPatterns('src/sample.ts', 'const [a, b] = [new RegExp(text), RegExp("a")];').built).toBe(2);
});

/** The literals of a file, and the number of patterns that it builds at run time. */
function readPatterns(path: string, text: string): { path: string; literals: Pattern[]; built: number } {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const literals: Pattern[] = [];
  let built = 0;
  const visit = (node: ts.Node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      const [source, flags] = [node.text.slice(1, end), node.text.slice(end + 1)];
      literals.push({ place: `${path}:${line} ${node.text}`, source, flags });
    }
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp') built += 1;
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { path, literals, built };
}

/** `place: attack` of each vulnerable pattern. */
async function slowPatterns(patterns: Pattern[]): Promise<string[]> {
  const worker = new Worker(new URL('./pattern-verdicts.js', import.meta.url), { workerData: patterns });
  const [attacks] = (await once(worker, 'message')) as [(string | null)[]];
  return patterns.flatMap(({ place }, index) => (attacks[index] == null ? [] : [`${place}: ${attacks[index]}`]));
}
