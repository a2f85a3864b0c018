import { describe, expect, it } from '@jest/globals';
import { commandsIn, filesIn, linksOf, readPage } from './markdown.js';

const FIRST = 'docs/operations.md';

describe('docs/operations.md', () => {
  it('the first page has at most 200 lines', () => {
    expect(readPage(FIRST).split('\n').length).toBeLessThanOrEqual(200);
  });

  it('the set-up of one machine takes at most twelve commands', () => {
    const [, section = ''] = /^## Set up one machine\n(.*?)^## /ms.exec(readPage(FIRST)) ?? [];
    const commands = commandsIn(section);
    expect(commands.length).toBeGreaterThan(5);
    expect(commands.length).toBeLessThanOrEqual(12);
    // A line is one command, and each block of the section counts.
    expect(commands.filter((command) => / && /.test(command))).toEqual([]);
    expect(section.match(/```sh/g)).toHaveLength(1);
  });

  it('the first page leads to every page of docs/operations', () => {
    const linked = new Set(linksOf(FIRST).map(({ file }) => file));
    const all = filesIn('docs/operations');
    expect(all.length).toBeGreaterThan(15);
    expect(all.filter((page) => !linked.has(page))).toEqual([]);
  });

  it('no line of prose occurs on two pages', () => {
    const lines = [FIRST, ...filesIn('docs/operations')].flatMap((page) => [
      ...new Set(
        readPage(page)
          .split('\n')
          .filter((line) => line.length > 60),
      ),
    ]);
    expect(lines.length).toBeGreaterThan(300);
    expect(lines.filter((line, index) => lines.indexOf(line) !== index)).toEqual([]);
  });
});
