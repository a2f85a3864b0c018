import { expect, it } from '@jest/globals';
import { inspectText } from './json-text.js';

it('finds NUL and lone surrogates with their place', () => {
  expect(inspectText({ a: [{ b: 'x\0' }], c: '\ud800' })).toEqual([
    { path: 'a.0.b', message: 'NUL is not allowed in text', code: 'noNul' },
    { path: 'c', message: 'Text must be well-formed Unicode', code: 'wellFormed' },
  ]);
});

it.each(['{"__proto__": 1}', '{"a": {"constructor": 1}}', '[{"prototype": {}}]'])('refuses the key in %s', (text) => {
  expect(inspectText(JSON.parse(text)).map(({ code }) => code)).toEqual(['forbiddenKey']);
});

it('refuses NUL in a key and an object of more than 1,000 members', () => {
  expect(inspectText({ 'a\0': 1 })).toHaveLength(1);
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`k${n}`, n]));
  expect(inspectText(many).map(({ code }) => code)).toEqual(['maxKeys']);
});

it('lets emoji, line breaks and inherited names pass', () => {
  expect(inspectText({ toString: '🧳\n', nested: [null, true, 1.5, { hasOwnProperty: 'ok' }] })).toEqual([]);
});
