import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../launcher/folders.js';

const page = readFileSync(join(PROJECT, 'docs/security.md'), 'utf8');
/** `| 1.2.3 | requirement | state | evidence |` */
const rows = [...page.matchAll(/^\| (API\d+|\d+\.\d+\.\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, item = '', , state = '', evidence = '']) => ({ item, state, evidence }),
);

/** The number of requirements of levels 1 and 2 in each chapter of ASVS 5.0. */
const CHAPTERS = [27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7];

/** A test as evidence: its file, and its title as the file has it. */
const TEST = /`((?:src|test)\/[\w./-]+spec\.ts)` "([^"]+)"/g;

/** Whether the file has a test with this title: an `it` or an `it.each`, not a `describe` or a text of another kind. */
function hasTest(file: string, title: string): boolean {
  const path = join(PROJECT, file);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const written = title.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`);
  return [`'${title}'`, `'${written}'`, `\`${title}\``, `"${title}"`].some((quoted) =>
    text
      .split(quoted)
      .slice(0, -1)
      .some((before) => /(?:\bit|\)|\]`?)\(\s*$|`\(\s*$/.test(before)),
  );
}

describe('docs/security.md', () => {
  it('the page assesses every requirement of levels 1 and 2 of ASVS 5.0 and every risk of the API Top 10 once', () => {
    const items = rows.map(({ item }) => item);
    expect(items.filter((item, index) => items.indexOf(item) !== index)).toEqual([]);
    const chapter = (number: number) => items.filter((item) => item.startsWith(`${number}.`)).length;
    expect(CHAPTERS.map((_, index) => chapter(index + 1))).toEqual(CHAPTERS);
    expect(items.filter((item) => item.startsWith('API'))).toHaveLength(10);
  });

  it('each item has a state and evidence', () => {
    const states = ['met', 'not met', 'not shown', 'not applicable', 'operator'];
    expect(rows.filter(({ state, evidence }) => !states.includes(state) || evidence.trim() === '')).toEqual([]);
  });

  it('each item that is met names a test by its file and its title, and each of these tests exists', () => {
    const wrong = rows.flatMap(({ item, state, evidence }) => {
      const tests = [...evidence.matchAll(TEST)].map(([, file = '', title = '']) => ({ file, title }));
      if (state === 'met' && tests.length === 0) return [`${item} names no test`];
      if (tests.length < evidence.split('spec.ts`').length - 1) return [`${item} names a file without a title`];
      return tests
        .filter(({ file, title }) => !hasTest(file, title))
        .map((test) => `${item}: ${test.file} ${test.title}`);
    });
    expect(wrong).toEqual([]);
  });

  it('a title counts only where a test has it', () => {
    const own = 'test/docs/security-page.spec.ts';
    expect(hasTest(own, 'a title counts only where a test has it')).toBe(true);
    expect(hasTest(own, 'each item that is met')).toBe(false);
    expect(hasTest(own, 'docs/security.md')).toBe(false);
    expect(hasTest('test/docs/missing.spec.ts', 'a title counts only where a test has it')).toBe(false);
  });

  it('each file that the page names exists', () => {
    const files = [...page.matchAll(/`((?:src|test|docs|scripts)\/[\w./-]+)`/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(150);
    expect(files.filter((file) => !existsSync(join(PROJECT, file)))).toEqual([]);
  });

  it('the figures of the introduction are those of the tables', () => {
    const asvs = rows.filter(({ item }) => !item.startsWith('API'));
    const count = (state: string) => asvs.filter((row) => row.state === state).length;
    expect(page).toContain(
      `Of ${asvs.length} items ${count('met')} are met, ${count('not met')} are not met, ` +
        `${count('not shown')} are not shown, ${count('not applicable')} are not applicable and ` +
        `${count('operator')} belong to the operator.`,
    );
  });
});
