import { describe, expect, it } from '@jest/globals';
import { plainText } from '../fields/plain-text.js';
import { Analyzer } from './analyzer.js';
import { distance, Vocabulary } from './vocabulary.js';

describe('words', () => {
  it.each([
    ['en-GB', 'Café CAFÉS', ['cafe', 'cafe']],
    ['en-GB', "traveller's", ['travel', 's']],
    ['de-DE', 'Straße Strasse', ['strass', 'strass']],
    ['th-TH', 'ทะเลสวย', ['ทะเล', 'สวย']],
    ['ja-JP', '京都の寺', ['京都', 'の', '寺']],
  ])('of %s "%s" are %j', (locale, text, stems) => {
    expect(new Analyzer(locale).words(text).map(({ stem }) => stem)).toEqual(stems);
  });

  it('that say nothing are known', () => {
    const says = new Analyzer('en-GB').words('the sea and I').filter((word) => word.says);
    expect(says.map(({ surface }) => surface)).toEqual(['sea']);
  });
});

describe('typing errors', () => {
  it.each([
    ['harbour', 'harbuor', 1],
    ['harbour', 'harbor', 1],
    ['harbour', 'harrbour', 1],
    ['harbour', 'barbour', 1],
    ['santorini', 'santirino', 2],
    ['a', 'bcd', 3],
  ])('from %s to %s are %i', (one, other, edits) => {
    expect([distance(one, other, 3), distance(other, one, 3)]).toEqual([edits, edits]);
    expect(distance(one, other, edits - 1)).toBe(edits);
  });

  it('are forgiven from four letters on, the likeliest word first; what is gone is not meant', () => {
    const vocabulary = new Vocabulary();
    for (const word of ['rome', 'home', 'santorini', 'santander', 'sea']) vocabulary.add(word);
    const near = (word: string) => vocabulary.near(word).map(({ surface }) => surface);
    expect([near('santoriini'), near('santirino'), near('see'), near('rmoe')]).toEqual([
      ['santorini'],
      ['santorini'],
      [],
      ['rome'],
    ]);
    // Three letters may be what is left of four.
    expect([near('rme'), near('sae'), near('hoe')]).toEqual([['rome'], [], ['home']]);
    vocabulary.remove('santorini');
    expect(near('santoriini')).toEqual([]);
  });
});

it('a letter left out or two swapped are likelier than one that is wrong or one too many', () => {
  const vocabulary = new Vocabulary();
  for (const word of ['batna', 'batang', 'bogra', 'bogor']) vocabulary.add(word);
  const near = (word: string) => vocabulary.near(word).map(({ surface }) => surface);
  expect([near('batng')[0], near('bogro')[0]]).toEqual(['batang', 'bogor']);
});

describe('text without HTML', () => {
  it.each([
    ['a < b & c', 'a < b & c'],
    ['<p>One</p><p>Two&nbsp;&amp; three</p>', 'One Two & three'],
    ['<script>alert(1)</script>safe', 'safe'],
    ['&lt;img src=x onerror=alert(1)&gt;x', 'x'],
    ['<!-- no -->yes <style>b{}</style>', 'yes'],
    ['caf&eacute; &#233; &#xE9;', 'café é é'],
    ['<script>never closed', ''],
  ])('of %j is %j', (html, text) => {
    expect(plainText(html)).toBe(text);
  });
});
