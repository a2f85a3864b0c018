import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../launcher/folders.js';

const page = readFileSync(join(PROJECT, 'docs/security.md'), 'utf8');
/** `| 1.2.3 | requirement | state | evidence |` */
const rows = [...page.matchAll(/^\| (API\d+|\d+\.\d+\.\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, item = '', , state = '', evidence = '']) => ({ item, state, evidence }),
);

/** How many requirements of levels 1 and 2 each chapter of ASVS 5.0 has. */
const CHAPTERS = [27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7];

describe('docs/security.md', () => {
  it('the page assesses every requirement of levels 1 and 2 of ASVS 5.0 and every risk of the API Top 10 once', () => {
    const items = rows.map(({ item }) => item);
    expect(items.filter((item, index) => items.indexOf(item) !== index)).toEqual([]);
    const chapter = (number: number) => items.filter((item) => item.startsWith(`${number}.`)).length;
    expect(CHAPTERS.map((_, index) => chapter(index + 1))).toEqual(CHAPTERS);
    expect(items.filter((item) => item.startsWith('API'))).toHaveLength(10);
  });

  it('each item has a state and evidence', () => {
    const states = ['met', 'not met', 'not applicable', 'operator'];
    expect(rows.filter(({ state, evidence }) => !states.includes(state) || evidence.trim() === '')).toEqual([]);
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
        `${count('not applicable')} are not applicable and ${count('operator')} belong to the operator.`,
    );
  });
});
