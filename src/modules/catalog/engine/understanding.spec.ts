import { describe, expect, it, jest } from '@jest/globals';
import { Analyzer } from './analyzer.js';
import { Postings } from './postings.js';
import { TUNING } from './tuning.js';
import { Understanding } from './understanding.js';
import { Vocabulary } from './vocabulary.js';

function understanding() {
  const vocabulary = new Vocabulary();
  vocabulary.add('harbour');
  const analyzer = new Analyzer('en-GB');
  return { vocabulary, analyzer, of: new Understanding(analyzer, vocabulary, new Postings(TUNING)) };
}

describe('the work for one query', () => {
  it('corrects at most eight unknown words', () => {
    const { vocabulary, of } = understanding();
    const near = jest.spyOn(vocabulary, 'near');
    const query = Array.from({ length: 60 }, (_, n) => `unknown${n}x`).join(' ');
    expect(of.plan(query)).toHaveLength(60);
    expect(near).toHaveBeenCalledTimes(8);
  });

  it('uses at most 64 synonyms', () => {
    const { of } = understanding();
    of.learn(Array.from({ length: 500 }, (_, n) => ({ language: 'en', input: 'boat', terms: [`vessel${n}`] })));
    const wordings = of.plan('boat trip').flat();
    expect(wordings.filter(({ stems }) => stems[0]?.startsWith('vessel'))).toHaveLength(64);
  });

  it('analyses at most 2,048 characters, counted after the text has grown by folding', () => {
    const { analyzer, of } = understanding();
    const words = jest.spyOn(analyzer, 'words');
    // Folded, each word has five letters and a space.
    of.plan('\u00dfe\u00df '.repeat(512));
    expect(words.mock.results[0]?.value).toHaveLength(Math.ceil(2_048 / 6));
  });
});
