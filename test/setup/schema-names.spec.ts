import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names of the classes that these sources declare more than once. */
function repeated(texts: readonly string[]): string[] {
  const names = texts.flatMap((text) =>
    [...text.matchAll(/^(?:export )?(?:abstract )?class (\w+)/gm)].map(([, name]) => name ?? ''),
  );
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}

it('no two request or response bodies have one name, because the document would replace one of them by the other', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.dto.ts'));
  expect(files).toContain(join('modules', 'trips', 'envelopes', 'trip.dto.ts'));
  expect(repeated(files.map((file) => readFileSync(join('src', file), 'utf8')))).toEqual([]);
});

it('a duplicate class name is reported', () => {
  expect(repeated(['export class A {}\nclass B {}', 'export class B {}\nexport class C {}'])).toEqual(['B']);
});
