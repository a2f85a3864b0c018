import { describe, expect, it } from '@jest/globals';
import { pagesOf } from '../../../../test/setup/pdf.js';
import { documentOf, type RenderedInvoice } from './invoice-document.js';
import { renderHtml } from './invoice-html.js';
import { renderPdf } from './invoice-pdf.js';
import { RENDITION_LANGUAGES } from './rendition-labels.js';

const line = (description: string, rate: number | null = 1_900) => ({
  description,
  quantity: '2',
  unitPriceCents: 10_000,
  taxRateBasisPoints: rate,
  netCents: 20_000,
  taxCents: 3_800,
  totalCents: 23_800,
});

const invoice = (over: Partial<RenderedInvoice> = {}): RenderedInvoice => ({
  number: 'INV-2027-0042',
  issueDate: '2027-03-01',
  dueDate: '2027-03-31',
  isVoid: false,
  currency: 'EUR',
  seller: { name: 'Lake Tours', address: '1 Quay\nLucerne', taxId: 'CHE-9' },
  payer: { name: 'Łukasz Жуков Ωmega', address: null, taxId: null },
  subtotalCents: 20_000,
  taxCents: 3_800,
  totalCents: 23_800,
  lines: [line('City tour')],
  ...over,
});

describe('a rendered invoice', () => {
  it('a PDF shows number, dates, parties, lines, taxes and totals in European alphabets', async () => {
    const [text = ''] = await pagesOf(await renderPdf(documentOf(invoice(), 'en')));
    for (const part of [
      'Invoice INV-2027-0042',
      'March 1, 2027',
      'March 31, 2027',
      'Lake Tours',
      'Lucerne',
      'Tax id: CHE-9',
      'Łukasz Жуков Ωmega',
      'City tour',
      '€100.00',
      '19%',
      '€38.00',
      '€200.00',
      '€238.00',
    ]) {
      expect(text).toContain(part);
    }
  });

  it.each(RENDITION_LANGUAGES)('a rendered invoice consists of the same bytes every time: %s', async (language) => {
    const document = documentOf(invoice(), language);
    const [one, other] = [await renderPdf(document), await renderPdf(documentOf(invoice(), language))];
    expect(one.equals(other)).toBe(true);
    expect(one.subarray(0, 5).toString()).toBe('%PDF-');
    expect(renderHtml(document).equals(renderHtml(documentOf(invoice(), language)))).toBe(true);
  });

  it('a PDF of 500 lines shows all of them on several pages with headings', async () => {
    const lines = Array.from({ length: 500 }, (_, index) => line(`Night ${index + 1}.`));
    const pages = await pagesOf(await renderPdf(documentOf(invoice({ lines }), 'en')));
    expect(pages.length).toBeGreaterThan(5);
    expect(pages[3]).toContain('Description');
    const shown = pages.join(' ').match(/Night \d+\./g) ?? [];
    expect(new Set(shown).size).toBe(500);
  });

  it('title and void stamp are in the language of the rendition', () => {
    const titles = RENDITION_LANGUAGES.map((language) => documentOf(invoice({ isVoid: true }), language));
    expect(titles.map(({ stamp }) => stamp)).toEqual(['VOID', 'STORNIERT', 'ANNULÉE', 'ANULADA', 'ANNULLATA']);
    expect(documentOf(invoice(), 'de')).toMatchObject({ title: 'Rechnung INV-2027-0042', stamp: null });
    expect(renderHtml(documentOf(invoice({ isVoid: true }), 'fr')).toString()).toContain('ANNULÉE');
  });

  it.each([
    ['EUR', 123_456, '€1,234.56'],
    ['JPY', 10_001, '¥10,001'],
    ['KWD', 1_234, 'KWD 1.234'],
    ['EUR', Number.MAX_SAFE_INTEGER, '€90,071,992,547,409.91'],
    ['EUR', -500, '-€5.00'],
  ])('a rendered invoice shows %s %i as %s', (currency, totalCents, expected) => {
    const { totals } = documentOf(invoice({ currency, totalCents }), 'en');
    expect(totals[2]?.value.replace(/\u00a0/g, ' ')).toBe(expected);
  });

  it('taxes are summed by rate', () => {
    const lines = [line('a', 700), line('b', 1_900), line('c', null), line('d', 1_900)];
    const { taxes } = documentOf(invoice({ lines }), 'en');
    expect(taxes.rows).toEqual([
      ['19%', '€400.00', '€76.00'],
      ['7%', '€200.00', '€38.00'],
      ['-', '€200.00', '€38.00'],
    ]);
  });

  it('HTML escapes every text and loads nothing', () => {
    const evil = `<script>alert("1")</script>&'`;
    const safe = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;';
    const parts = { name: evil, address: evil, taxId: evil };
    const html = renderHtml(
      documentOf(invoice({ number: evil, seller: parts, payer: parts, lines: [line(evil)] }), 'en'),
    ).toString();
    expect(html).not.toContain('<script');
    expect(html.split(safe).length - 1).toBe(10);
    expect(html).not.toMatch(/\s(src|href|on\w+)=/);
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  });
});
