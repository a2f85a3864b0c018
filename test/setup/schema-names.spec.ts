import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names of the classes that the texts declare more than once. */
function repeated(texts: readonly string[]): string[] {
  const names = texts.flatMap((text) =>
    [...text.matchAll(/^(?:export )?(?:abstract )?class (\w+)/gm)].map(([, name]) => name ?? ''),
  );
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}

it('no two bodies of requests or answers have one name: the document would show one of them in the place of both', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.dto.ts'));
  expect(files).toContain(join('modules', 'trips', 'trips', 'trip.dto.ts'));
  expect(repeated(files.map((file) => readFileSync(join('src', file), 'utf8')))).toEqual([]);
});

it('sees a name that is there twice', () => {
  expect(repeated(['export class A {}\nclass B {}', 'export class B {}\nexport class C {}'])).toEqual(['B']);
});
