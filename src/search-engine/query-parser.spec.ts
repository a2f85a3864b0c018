import { describe, expect, it, jest } from '@jest/globals';
import { InvertedIndex } from './inverted-index.js';
import { QueryParser } from './query-parser.js';
import { Vocabulary } from './spelling.js';
import { SynonymMap } from './synonyms.js';
import { Tokenizer } from './tokenizer.js';

function parserWithHarbour() {
  const vocabulary = new Vocabulary();
  vocabulary.add('harbour');
  const tokenizer = new Tokenizer('en-GB');
  const synonyms = new SynonymMap(tokenizer);
  return {
    vocabulary,
    tokenizer,
    synonyms,
    parser: new QueryParser(tokenizer, vocabulary, new InvertedIndex(), synonyms),
  };
}

describe('the limits on the work for one query', () => {
  it('a query corrects at most eight unknown words', () => {
    const { vocabulary, parser } = parserWithHarbour();
    const corrections = jest.spyOn(vocabulary, 'corrections');
    const query = Array.from({ length: 60 }, (_, n) => `unknown${n}x`).join(' ');
    expect(parser.parse(query)).toHaveLength(60);
    expect(corrections).toHaveBeenCalledTimes(8);
  });

  it('a query applies at most 64 synonyms', () => {
    const { synonyms, parser } = parserWithHarbour();
    synonyms.replace(Array.from({ length: 500 }, (_, n) => ({ language: 'en', input: 'boat', terms: [`vessel${n}`] })));
    const alternatives = parser.parse('boat trip').flat();
    expect(alternatives.filter(({ stems }) => stems[0]?.startsWith('vessel'))).toHaveLength(64);
  });

  it('a query tokenizes at most 2,048 characters, counted after folding has made the text longer', () => {
    const { tokenizer, parser } = parserWithHarbour();
    const tokenize = jest.spyOn(tokenizer, 'tokenize');
    // After folding, each word has five letters and a space.
    parser.parse('\u00dfe\u00df '.repeat(512));
    expect(tokenize.mock.results[0]?.value).toHaveLength(Math.ceil(2_048 / 6));
  });
});

describe('the weights of the terms of a query', () => {
  it('a term that a query repeats has the weight of its occurrences', () => {
    const { parser } = parserWithHarbour();
    const weights = parser.parse('Cruises to islands: which cruise has islands and more islands?');
    expect(weights.map(([term]) => term)).toEqual([
      { stems: ['cruis'], weight: 2 },
      { stems: ['island'], weight: 3 },
    ]);
  });

  it('the likeliest corrections of an unknown word weigh most', () => {
    const { vocabulary, parser } = parserWithHarbour();
    vocabulary.add('harbor');
    const [alternatives = []] = parser.parse('harbur');
    expect(alternatives.map(({ stems: [stem] }) => stem)).toEqual(['harbur', 'harbour', 'harbor']);
    const weights = alternatives.map(({ weight }) => weight);
    expect(weights).toEqual(weights.toSorted((a, b) => b - a));
    expect(new Set(weights).size).toBe(3);
  });
});
