import { expect, it } from '@jest/globals';
import { patternOf } from './word-pattern.js';

it('a pattern built from words matches exactly these words and the given pattern', () => {
  const pattern = patternOf(['(a+)+', '[.', 'finance:*'], /connect:[a-z]+/);
  const samples = ['(a+)+', '[.', 'finance:*', 'connect:all', 'aaa', 'finance:', 'connect:all '];
  expect(samples.map((text) => pattern.test(text))).toEqual([true, true, true, true, false, false, false]);
});
