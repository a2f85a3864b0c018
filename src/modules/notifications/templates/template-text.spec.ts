import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../platform/errors/app-error.js';
import { checkTemplate, htmlOf, OutputTooLong, render, type TemplateValues } from './template-text.js';

const PLACEHOLDERS = { values: ['name', 'amount'], lists: { items: ['title'], stops: ['place'] } };

const valuesOf = (values: Record<string, string | null>, items: string[] = []): TemplateValues => ({
  values: new Map(Object.entries(values)),
  lists: new Map([['items', items.map((title) => new Map([['title', title]]))]]),
});

function problemOf(text: string): unknown {
  try {
    checkTemplate(text, PLACEHOLDERS, 'text');
    return null;
  } catch (error) {
    return error instanceof AppError ? [error.code, error.details] : error;
  }
}

describe('the text of a template', () => {
  it.each([
    ['{{name}} owes {{ amount }}'],
    ['{{#items}}- {{title}} for {{name}}\n{{/items}}'],
    ['{{#items}}{{/items}}{{#stops}}{{place}}{{/stops}}'],
    ['one { brace } and none'],
  ])('%j is valid', (text) => {
    expect(problemOf(text)).toBeNull();
  });

  it.each([
    ['{{nobody}}', 'nobody'],
    ['{{title}}', 'title'],
    ['{{#items}}{{place}}{{/items}}', 'place'],
    ['{{#unknown}}x{{/unknown}}', '#unknown'],
    ['{{constructor}}', 'constructor'],
    ['{{#constructor}}{{/constructor}}', '#constructor'],
    ['{{name | upper}}', 'name | upper'],
    ['{{}}', ''],
    ['{{name', ''],
    ['}} {{', ''],
    ['{{{name}}}', ''],
  ])('%j has an unknown placeholder', (text, placeholder) => {
    expect(problemOf(text)).toEqual([
      'placeholder_unknown',
      expect.objectContaining({ field: 'text', path: 'text', placeholder }),
    ]);
  });

  it.each([
    ['{{#items}}{{#stops}}{{/stops}}{{/items}}', 'stops'],
    ['{{#items}}{{title}}', 'items'],
    ['{{#items}}{{/stops}}', 'stops'],
    ['{{/items}}', 'items'],
  ])('%j has an invalid section', (text, list) => {
    expect(problemOf(text)).toEqual(['section_invalid', { field: 'text', path: 'text', list }]);
  });

  it('a list is repeated for each row, and what has no value is missing', () => {
    const text = 'Dear {{name}}: {{#items}}{{title}}, {{/items}}{{amount}}{{#stops}}{{place}}{{/stops}}';
    const values = valuesOf({ name: 'Clara', amount: null }, ['Tour', 'Room']);
    expect(render(text, values, PLACEHOLDERS)).toEqual({
      text: 'Dear Clara: Tour, Room, ',
      missing: ['amount', 'stops'],
    });
  });

  it('a value begins no line and adds no placeholder', () => {
    const values = valuesOf({ name: 'Eve\r\nBcc: all@example.com\u2028{{amount}} \u202Etxt', amount: '5' });
    expect(render('{{name}}', values, PLACEHOLDERS).text).toBe('Eve Bcc: all@example.com {{amount}}  txt');
  });

  it('an output beyond 20,000 characters is rejected before it is written', () => {
    const values = valuesOf(
      {},
      Array.from({ length: 100 }, () => 'x'.repeat(250)),
    );
    expect(() => render('{{#items}}{{title}}{{/items}}', values, PLACEHOLDERS)).toThrow(OutputTooLong);
  });

  it('a text of many braces is checked in linear time', () => {
    const started = performance.now();
    problemOf('{{'.repeat(5_000));
    problemOf(`${'{{#items}}'.repeat(1)}${' {'.repeat(5_000)}`);
    expect(performance.now() - started).toBeLessThan(500);
  });

  it('the HTML of a text has paragraphs, and all of its characters are text', () => {
    expect(htmlOf('Dear <b>Clara</b>,\nyour "trip"\n\n\n& more')).toContain(
      '<p>Dear &lt;b&gt;Clara&lt;/b&gt;,<br>\nyour &quot;trip&quot;</p>\n<p>&amp; more</p>',
    );
  });
});
