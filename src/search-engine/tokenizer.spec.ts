import { describe, expect, it } from '@jest/globals';
import { plainText } from './plain-text.js';
import { Tokenizer } from './tokenizer.js';

describe('the tokenizer', () => {
  it.each([
    ['en-GB', 'Café CAFÉS', ['cafe', 'cafe']],
    ['en-GB', "traveller's", ['travel', 's']],
    ['de-DE', 'Straße Strasse', ['strass', 'strass']],
    ['th-TH', 'ทะเลสวย', ['ทะเล', 'สวย']],
    ['ja-JP', '京都の寺', ['京都', 'の', '寺']],
  ])('the tokenizer splits and stems a text of the locale %s: "%s" has the stems %j', (locale, text, stems) => {
    expect(new Tokenizer(locale).tokenize(text).map(({ stem }) => stem)).toEqual(stems);
  });

  it('the tokenizer marks stop words', () => {
    const keywords = new Tokenizer('en-GB').tokenize('the sea and I').filter(({ isStopWord }) => !isStopWord);
    expect(keywords.map(({ surface }) => surface)).toEqual(['sea']);
  });
});

describe('the conversion of HTML to plain text', () => {
  it.each([
    ['a < b & c', 'a < b & c'],
    ['<p>One</p><p>Two&nbsp;&amp; three</p>', 'One Two & three'],
    ['<script>alert(1)</script>safe', 'safe'],
    ['&lt;img src=x onerror=alert(1)&gt;x', 'x'],
    ['<!-- no -->yes <style>b{}</style>', 'yes'],
    ['caf&eacute; &#233; &#xE9;', 'café é é'],
    ['<script>never closed', ''],
  ])('the conversion of HTML to plain text turns %j into %j', (html, text) => {
    expect(plainText(html)).toBe(text);
  });
});
