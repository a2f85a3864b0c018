import { expect, it } from '@jest/globals';
import { inspectText } from './json-text.js';

it('NUL and lone surrogates are found with their place', () => {
  expect(inspectText({ a: [{ b: 'x\0' }], c: '\ud800' })).toEqual([
    { path: 'a.0.b', message: 'NUL is not allowed in text', code: 'nul' },
    { path: 'c', message: 'Text must be well-formed Unicode', code: 'ill_formed_text' },
  ]);
});

it.each(['{"__proto__": 1}', '{"a": {"constructor": 1}}', '[{"prototype": {}}]'])(
  'the key in %s is rejected',
  (text) => {
    expect(inspectText(JSON.parse(text)).map(({ code }) => code)).toEqual(['forbidden_name']);
  },
);

it('NUL in a key and an object of more than 1,000 members are rejected', () => {
  expect(inspectText({ 'a\0': 1 })).toHaveLength(1);
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`k${n}`, n]));
  expect(inspectText(many).map(({ code }) => code)).toEqual(['too_many_members']);
});

it('emoji, line breaks and inherited names are accepted', () => {
  expect(inspectText({ toString: '🧳\n', nested: [null, true, 1.5, { hasOwnProperty: 'ok' }] })).toEqual([]);
});
