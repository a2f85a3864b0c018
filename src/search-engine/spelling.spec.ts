import { describe, expect, it } from '@jest/globals';
import { damerauDistance, Vocabulary } from './spelling.js';

function vocabularyOf(...words: string[]): Vocabulary {
  const vocabulary = new Vocabulary();
  for (const word of words) vocabulary.add(word);
  return vocabulary;
}

const correctionsIn = (vocabulary: Vocabulary) => (word: string) =>
  vocabulary.corrections(word).map(({ surface }) => surface);

describe('the Damerau distance', () => {
  it.each([
    ['harbour', 'harbuor', 1],
    ['harbour', 'harbor', 1],
    ['harbour', 'harrbour', 1],
    ['harbour', 'barbour', 1],
    ['santorini', 'santirino', 2],
    ['a', 'bcd', 3],
  ])('the Damerau distance from %s to %s is %i in both directions', (one, other, edits) => {
    expect([damerauDistance(one, other, 3), damerauDistance(other, one, 3)]).toEqual([edits, edits]);
    expect(damerauDistance(one, other, edits - 1)).toBe(edits);
  });
});

describe('the spelling correction', () => {
  it('the spelling correction corrects words of four letters or more, the most likely word first', () => {
    const corrections = correctionsIn(vocabularyOf('rome', 'home', 'santorini', 'santander', 'sea'));
    expect([corrections('santoriini'), corrections('santirino'), corrections('see'), corrections('rmoe')]).toEqual([
      ['santorini'],
      ['santorini'],
      [],
      ['rome'],
    ]);
  });

  it('the spelling correction corrects a word of three letters only if a letter was omitted', () => {
    const corrections = correctionsIn(vocabularyOf('rome', 'home', 'sea'));
    expect([corrections('rme'), corrections('sae'), corrections('hoe')]).toEqual([['rome'], [], ['home']]);
  });

  it('the spelling correction does not suggest a word that was removed', () => {
    const vocabulary = vocabularyOf('santorini');
    vocabulary.remove('santorini');
    expect(vocabulary.corrections('santoriini')).toEqual([]);
  });

  it('the spelling correction prefers an omitted or swapped letter to a wrong or extra one', () => {
    const corrections = correctionsIn(vocabularyOf('batna', 'batang', 'bogra', 'bogor'));
    expect([corrections('batng')[0], corrections('bogro')[0]]).toEqual(['batang', 'bogor']);
  });
});
