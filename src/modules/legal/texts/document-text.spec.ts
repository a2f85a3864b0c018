import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { digestOf, isDocumentText, MAX_BODY, MAX_FROZEN_BODY, sanitizeBody } from './document-text.js';

describe('the text of a contract', () => {
  it.each([
    ['<p>Seven <strong>days</strong>.</p>', '<p>Seven <strong>days</strong>.</p>'],
    ['<table><tr><td colspan="2">A</td></tr></table>', '<table><tr><td colspan="2">A</td></tr></table>'],
    ['<a href="mailto:office@example.com">Office</a>', '<a href="mailto:office@example.com">Office</a>'],
    ['Price < 100 & free', 'Price &lt; 100 &amp; free'],
  ])('the text of a contract keeps the elements of documents: %s', (html, frozen) => {
    expect(sanitizeBody(html)).toBe(frozen);
  });

  it.each([
    ['<script>alert(1)</script>A', 'A'],
    ['<p onclick="steal()" style="display:none" class="x" id="y">A</p>', '<p>A</p>'],
    ['<a href="javascript:steal()">A</a>', '<a>A</a>'],
    ['<a href=" java\nscript:steal()">A</a>', '<a>A</a>'],
    ['<a href="//evil.example">A</a>', '<a>A</a>'],
    ['<a href="data:text/html,x">A</a>', '<a>A</a>'],
    ['<img src="https://evil.example/pixel.gif">A', 'A'],
    ['<iframe src="https://evil.example"></iframe>A', 'A'],
    ['<svg><script>x</script></svg><math><mi xlink:href="data:x">A</mi></math>', 'A'],
    ['<form action="https://evil.example"><input name="a"></form>A', 'A'],
    ['<style>p{display:none}</style><link rel="stylesheet" href="x"><base href="x">A', 'A'],
    ['<!-- note --><p>A', '<p>A</p>'],
    ['<scr<script>ipt>alert(1)</scr</script>ipt>', 'ipt&gt;alert(1)ipt&gt;'],
  ])('the text of a contract loses elements that could run, load or restyle: %s', (html, frozen) => {
    expect(sanitizeBody(html)).toBe(frozen);
  });

  it('the frozen text of a contract does not change if it is sanitized again', () => {
    const parts = fc.constantFrom(
      '<p>',
      '</p>',
      '<script>',
      '<a href="',
      '">',
      '<',
      '>',
      '&',
      '&lt;',
      "'",
      '"',
      'x',
      'é',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 40 }), (pieces) => {
        const once = sanitizeBody(pieces.join(''));
        expect(sanitizeBody(once)).toBe(once);
      }),
      { examples: [[['<p>', '<', 'x', '<p>', '<p>']]] },
    );
  });

  it('a frozen text is never longer than the table allows', () => {
    const longest = [`<a href='${'"'.repeat(MAX_BODY - 14)}'>x</a>`, '&'.repeat(MAX_BODY), '<p>'.repeat(19_999)];
    for (const html of longest) expect(sanitizeBody(html).length).toBeLessThanOrEqual(MAX_FROZEN_BODY);
  });

  it('a text can contain line breaks and tabs, but no other control characters and no more than 20000 tags', () => {
    expect(isDocumentText('<p>One\r\n\tTwo</p>')).toBe(true);
    expect(isDocumentText('One\u0007')).toBe(false);
    expect(isDocumentText('<br>'.repeat(19_999))).toBe(true);
    expect(isDocumentText('<br>'.repeat(20_000))).toBe(false);
  });

  it('the text of a contract may have 500 open elements at a time, with any end tags between them', () => {
    expect(isDocumentText('<ul><li>a</li></ul>'.repeat(4_999))).toBe(true);
    expect(isDocumentText('<P>'.repeat(500))).toBe(true);
    expect(isDocumentText('<P>'.repeat(501))).toBe(false);
    expect(isDocumentText('<div></ul>'.repeat(501))).toBe(false);
    expect(isDocumentText(`${'<ul>'.repeat(300)}${'<x>'.repeat(201)}`)).toBe(false);
  });

  it('the digest of a text is the SHA-256 of its UTF-8', () => {
    expect(digestOf('é')).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
  });
});
