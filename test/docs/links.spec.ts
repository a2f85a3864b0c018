import { expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../launcher/folders.js';
import { anchorOf, anchorsIn, filesIn, linksOf, pages, readPage } from './markdown.js';

it('each link of a page leads to a file and a section that exist', () => {
  const links = pages().flatMap(linksOf);
  expect(links.length).toBeGreaterThan(150);
  const broken = links.filter(({ file, anchor }) => {
    if (!existsSync(join(PROJECT, file))) return true;
    return anchor !== null && !anchorsIn(readPage(file)).has(anchor);
  });
  expect(broken.map(({ link }) => link)).toEqual([]);
});

it('each page and section that a message, a comment or a manifest names exists', () => {
  const files = ['src', 'scripts', 'deploy', 'test', 'bench', 'chaos'].flatMap(filesIn);
  const named = files.flatMap((file) => {
    const text = readFileSync(join(PROJECT, file), 'utf8');
    return [...text.matchAll(/(?:"([^"\n]+)" in )?(docs\/[\w/-]+\.md)/g)].map(([, section, page = '']) => ({
      file,
      section,
      page,
    }));
  });
  expect(named.filter(({ section }) => section !== undefined).length).toBeGreaterThan(3);
  const missing = named.filter(({ section, page }) => {
    if (!existsSync(join(PROJECT, page))) return true;
    return section !== undefined && !anchorsIn(readPage(page)).has(anchorOf(section));
  });
  expect(missing).toEqual([]);
});

it.each(['docs/spec-map.md', 'docs/desk-map.md'])('each row of %s names code and tests that exist', (page) => {
  const rows = readPage(page)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => line.split('|').slice(2, 4));
  const named = rows.flatMap(([code = '', tests = '']) => [
    ...[...code.matchAll(/`([^`]+)`/g)].map(([, path = '']) => join('src/modules', path)),
    ...[...tests.matchAll(/`([^`]+)`/g)].map(([, path = '']) => join('test', path)),
  ]);
  expect(named.length).toBeGreaterThan(2 * rows.length - 2);
  expect(named.filter((path) => !existsSync(join(PROJECT, path)))).toEqual([]);
});
