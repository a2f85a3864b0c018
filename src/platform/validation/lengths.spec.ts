import { describe, expect, it } from '@jest/globals';
import { validateSync } from 'class-validator';
import { charactersOf, MaxLength, MinLength } from './validate-dto.js';

class Sample {
  @MinLength(2)
  @MaxLength(3)
  text: unknown;

  @MaxLength(3, { each: true })
  texts: unknown = [];
}

describe('the length of a text', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['\u{1F600}\u{1F600}', 2],
    ['a\uFE0F', 2],
    ['e\u0301', 2],
  ])('the length of %j is %i, as PostgreSQL counts', (text, characters) => expect(charactersOf(text)).toBe(characters));

  it.each(['ab', '\u{1F600}\u{1F600}', 'abc'])('the length of %j is within 2 and 3', (text) =>
    expect(validateSync(Object.assign(new Sample(), { text }))).toEqual([]),
  );

  it.each([
    ['a', 'minLength', 'text must be longer than or equal to 2 characters'],
    ['a\uFE0Fb\uFE0F', 'maxLength', 'text must be shorter than or equal to 3 characters'],
  ])('the length of %j is not within 2 and 3', (text, code, message) => {
    const [error] = validateSync(Object.assign(new Sample(), { text }));
    expect(error?.constraints).toEqual({ [code]: message });
  });

  it('the length is checked for each text of a list', () => {
    const [error] = validateSync(Object.assign(new Sample(), { text: 'ab', texts: ['abc', 'abcd'] }));
    expect(error?.constraints).toEqual({
      maxLength: 'each value in texts must be shorter than or equal to 3 characters',
    });
  });
});
