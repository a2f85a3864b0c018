import { describe, expect, it } from '@jest/globals';
import { pagesOf } from '../../setup/pdf.js';
import type { PricedLine } from '../../../src/modules/finance/receivables/account/billing-document.entity.js';
import { png } from '../../organization/logos.js';
import { DOCUMENT_LANGUAGES, type IssuerCopy } from '../../../src/modules/organization/index.js';
import { NOT_CONVERTED } from '../../../src/modules/finance/books/exchange-rates/base-amounts.js';
import { documentOf, type RenderedInvoice } from '../../../src/modules/finance/documents/invoice-document.js';
import { renderHtml } from '../../../src/modules/finance/documents/invoice-html.js';
import { renderPdf } from '../../../src/modules/finance/documents/invoice-pdf.js';

const line = (description: string, rate: number | null = 1_900): PricedLine => ({
  bookingItemId: null,
  priceBasis: 'net',
  taxCodeId: null,
  taxCode: null,
  taxKind: null,
  mention: null,
  serviceDate: null,
  serviceEndDate: null,
  description,
  quantity: '2',
  unitPriceCents: 10_000,
  taxRateBasisPoints: rate,
  netCents: 20_000,
  taxCents: 3_800,
  totalCents: 23_800,
});

const issuer: IssuerCopy = {
  legalName: 'Alpine Tours GmbH',
  tradeName: 'Alpine Tours',
  address: 'Seestrasse 1\n6003 Luzern',
  country: 'CH',
  email: 'office@example.com',
  phone: '+41 41 000 00 00',
  website: 'https://www.example.com',
  registrationNumber: 'CHE-123.456.789',
  licenceNumber: 'TL-4711',
  taxId: '27/123/45678',
  vatId: 'DE123456789',
  insolvencyProtection: 'Travel Guarantee Fund',
  footerText: { en: 'Thank you.', de: 'Vielen Dank.' },
  bankAccount: { holder: 'Alpine Tours GmbH', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX', currency: 'EUR' },
  logo: null,
};
const logo = { dataUrl: `data:image/png;base64,${png().toString('base64')}`, widthPixels: 40, heightPixels: 20 };

const invoice = (over: Partial<RenderedInvoice> = {}): RenderedInvoice => ({
  kind: 'invoice',
  isOverFee: false,
  bookingNumber: 'B-2027-0007',
  number: 'INV-2027-0042',
  issueDate: '2027-03-01',
  dueDate: '2027-03-31',
  isVoid: false,
  currency: 'EUR',
  seller: { name: 'Lake Tours', address: '1 Quay\nLucerne', taxId: 'CHE-9' },
  issuer: null,
  logo: null,
  original: null,
  reasonText: null,
  paidCents: 0,
  creditedCents: 0,
  renderedOn: '2027-03-05',
  payer: { name: 'Łukasz Жуков Ωmega', address: null, taxId: null },
  subtotalCents: 20_000,
  taxCents: 3_800,
  totalCents: 23_800,
  ...NOT_CONVERTED,
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
      'Tax ID: CHE-9',
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

  it.each(DOCUMENT_LANGUAGES)('a rendered invoice consists of the same bytes every time: %s', async (language) => {
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
    const titles = DOCUMENT_LANGUAGES.map((language) => documentOf(invoice({ isVoid: true }), language));
    expect(titles.map(({ stamp }) => stamp)).toEqual([
      'VOID',
      'STORNIERT',
      'ANNULÉE',
      'ANULADA',
      'ANNULLATA',
      'ANULATĂ',
    ]);
    expect(documentOf(invoice(), 'de')).toMatchObject({ title: 'Rechnung INV-2027-0042', stamp: null });
    expect(renderHtml(documentOf(invoice({ isVoid: true }), 'fr')).toString()).toContain('ANNULÉE');
  });

  it('a document in a foreign currency also shows its amounts in the base currency for each rate, with the exchange rate', async () => {
    const base = { baseNetCents: 9_200, baseTaxCents: 1_748, baseTotalCents: 10_948 };
    const exchangeRate = { from: 'EUR', to: 'USD', day: '2027-02-26', rate: '1.0870', source: 'ecb' } as const;
    const document = documentOf(
      invoice({
        ...{ currency: 'USD', baseCurrency: 'EUR', exchangeRate },
        ...{ baseSubtotalCents: 9_200, baseTaxCents: 1_748, baseTotalCents: 10_948 },
        lines: [{ ...line('City tour'), ...base }],
      }),
      'en',
    );
    const expected = ['€92.00', '€17.48', '€109.48'];
    expect(document.baseTaxes).toEqual({
      title: 'Tax summary (EUR)',
      columns: ['Tax rate', 'Net', 'Tax', 'Gross'],
      rows: [
        ['19%', ...expected],
        ['Total', ...expected],
      ],
      note: 'Exchange rate of February 26, 2027: 1 EUR = 1.0870 USD',
    });
    const [text = ''] = await pagesOf(await renderPdf(document));
    const html = renderHtml(document).toString();
    for (const part of [...expected, '1 EUR = 1.0870 USD', '$238.00']) {
      expect(text).toContain(part);
      expect(html).toContain(part);
    }
    expect(documentOf(invoice({ baseCurrency: 'EUR', baseTotalCents: 23_800 }), 'en').baseTaxes).toBeNull();
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

  it.each([
    ['en', 'Tax ID: CHE-9', 'Service date: May 12 – 15, 2027', '€1,350.00'],
    ['de', 'Steuernummer: CHE-9', 'Leistungsdatum: 12.–15. Mai 2027', '1.350,00 €'],
    ['fr', 'N° fiscal : CHE-9', 'Date de la prestation : 12–15 mai 2027', '1 350,00 €'],
    ['es', 'NIF: CHE-9', 'Fecha del servicio: 12–15 de mayo de 2027', '1.350,00 €'],
    ['it', 'Codice fiscale: CHE-9', 'Data del servizio: 12–15 maggio 2027', '1.350,00 €'],
    ['ro', 'Cod fiscal: CHE-9', 'Data prestării: 12–15 mai 2027', '1.350,00 EUR'],
  ] as const)('labels, dates and amounts are written as in the language %s', async (language, ...texts) => {
    const lines = [{ ...line('Hotel'), serviceDate: '2027-05-12', serviceEndDate: '2027-05-15' }];
    const document = documentOf(invoice({ lines, totalCents: 135_000 }), language);
    const html = renderHtml(document)
      .toString()
      .replace(/<\/?bdi>|\s/g, '');
    const [page = ''] = await pagesOf(await renderPdf(document));
    for (const text of texts) {
      const written = text.replace(/\s/g, '');
      expect([page.replace(/\s/g, ''), html]).toEqual([
        expect.stringContaining(written),
        expect.stringContaining(written),
      ]);
    }
    // The no-break space of French keeps the colon on the line of its label.
    const label = document.parties[0]?.lines.at(-1)?.label;
    expect(label).toBe(texts[0]?.split(' CHE-9')[0]?.replace(' :', '\u00a0:'));
  });

  it('French writes the first day of a month as an ordinal number', () => {
    const values = documentOf(invoice({ dueDate: '2027-04-21' }), 'fr').summary.map(({ value }) => value);
    expect(values).toEqual(['INV-2027-0042', '1er mars 2027', 'B-2027-0007', '21 avril 2027', 'INV-2027-0042']);
  });

  it('a line with several rows of text is not broken between two pages, unless it is as long as half of one', async () => {
    const texts = Array.from({ length: 60 }, (_, n) => `First of ${n}.\nSecond of ${n}.\nThird of ${n}.`);
    const pages = await pagesOf(await renderPdf(documentOf(invoice({ lines: texts.map((text) => line(text)) }), 'en')));
    const endsOf = (page: string, word: string) => page.match(new RegExp(`${word} of \\d+\\.`, 'g'))?.length;
    expect(pages.length).toBeGreaterThan(2);
    for (const page of pages) expect(endsOf(page, 'First')).toBe(endsOf(page, 'Third'));

    const long = Array.from({ length: 120 }, (_, n) => `Row ${n}.`);
    const whole = await pagesOf(await renderPdf(documentOf(invoice({ lines: [line(long.join('\n'))] }), 'en')));
    expect(whole.join(' ').match(/Row \d+\./g)).toHaveLength(120);
  });

  it('taxes are summed by rate', () => {
    const lines = [line('a', 700), line('b', 1_900), line('c', null), line('d', 1_900)];
    const { taxes } = documentOf(invoice({ lines }), 'en');
    expect(taxes.rows).toEqual([
      ['7%', '€200.00', '€38.00', '€238.00'],
      ['19%', '€400.00', '€76.00', '€476.00'],
      ['-', '€200.00', '€38.00', '€238.00'],
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
    expect(html.split(safe).length - 1).toBe(11);
    expect(html).not.toMatch(/\s(src|href|on\w+)=/);
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`);
  });

  it.each([
    ['en', 'Invoice', 'Net unit price', 'Balance due', 'March 5, 2027', 'Switzerland', '€33.3333', 'Thank you.'],
    ['de', 'Rechnung', 'Nettopreis', 'Offener Betrag', '5. März 2027', 'Schweiz', '33,3333 €', 'Vielen Dank.'],
    ['fr', 'Facture', 'Prix unitaire HT', 'Solde dû', '5 mars 2027', 'Suisse', '33,3333 €', 'Thank you.'],
    ['es', 'Factura', 'Precio neto', 'Saldo pendiente', '5 de marzo de 2027', 'Suiza', '33,3333 €', 'Thank you.'],
    ['it', 'Fattura', 'Prezzo netto', 'Saldo dovuto', '5 marzo 2027', 'Svizzera', '33,3333 €', 'Thank you.'],
    ['ro', 'Factură', 'Preț unitar net', 'Sold de plată', '5 martie 2027', 'Elveția', '33,3333 EUR', 'Thank you.'],
  ] as const)(
    'PDF and HTML in %s have seller, bank account, balance and net unit price',
    async (language, ...texts) => {
      const third = {
        ...line('Insurance', null),
        quantity: '3',
        priceBasis: 'gross' as const,
        unitPriceCents: 3_333,
        netCents: 10_000,
        taxCents: 0,
      };
      const lines = [{ ...third, totalCents: 10_000, mention: 'VAT exempt', serviceDate: '2027-05-01' }];
      const document = documentOf(invoice({ issuer, logo, lines, paidCents: 800 }), language);
      const [page = ''] = await pagesOf(await renderPdf(document));
      const html = renderHtml(document).toString();
      const seller = ['Alpine Tours GmbH', 'CHE-123.456.789', 'TL-4711', 'DE123456789', 'office@example.com'];
      const bank = [
        'DE89 3704 0044 0532 0130 00',
        'COBADEFFXXX',
        'INV-2027-0042',
        'Travel Guarantee Fund',
        'VAT exempt',
      ];
      for (const text of [...texts, ...seller, ...bank]) {
        expect(page).toContain(text);
        expect(html.replace(/[\u00a0\u202f]/g, ' ')).toContain(text);
      }
      expect(html).toContain(`src="${logo.dataUrl}"`);
    },
  );

  it('a credit note shows number and date of its original and the reason, but nothing to pay', async () => {
    const original = { number: 'INV-2027-0001', issueDate: '2027-01-15' };
    const credit = invoice({ kind: 'credit_note', number: 'CN-1', issuer, original, reasonText: 'One seat less' });
    const [page = ''] = await pagesOf(await renderPdf(documentOf(credit, 'en')));
    for (const text of ['Credit note CN-1', 'INV-2027-0001 of January 15, 2027', 'Reason: One seat less']) {
      expect(page).toContain(text);
    }
    for (const text of ['IBAN', 'Due date', 'Balance', 'Paid']) expect(page).not.toContain(text);
  });

  it('a fee invoice and a credited invoice are named, and the balance is what remains', () => {
    expect(documentOf(invoice({ kind: 'cancellation_fee' }), 'fr').title).toBe(
      'Facture de frais d’annulation INV-2027-0042',
    );
    const { totals } = documentOf(invoice({ paidCents: 10_000, creditedCents: 3_800 }), 'en');
    expect(totals.slice(3)).toEqual([
      { label: 'Paid as of March 5, 2027', value: '€100.00' },
      { label: 'Credited as of March 5, 2027', value: '€38.00' },
      { label: 'Balance due', value: '€100.00' },
    ]);
  });

  it.each([
    ['en', 'Booking', 'Cancellation fee'],
    ['de', 'Buchung', 'Stornogebühr'],
    ['fr', 'Réservation', 'Frais d’annulation'],
    ['es', 'Reserva', 'Gastos de cancelación'],
    ['it', 'Prenotazione', 'Penale di cancellazione'],
    ['ro', 'Rezervare', 'Taxă de anulare'],
  ] as const)('a document names its booking, and the line of a fee is translated: %s', async (language, label, fee) => {
    for (const kind of ['invoice', 'cancellation_fee', 'credit_note'] as const) {
      const document = documentOf(invoice({ kind }), language);
      expect(document.summary).toContainEqual({ label, value: 'B-2027-0007' });
    }
    const lines = [line('Cancellation fee', null), line('Fee agreed by phone', null)];
    const descriptions = (over: Partial<RenderedInvoice>) =>
      documentOf(invoice({ lines, ...over }), language).rows.map(([description]) => description);
    for (const kind of ['cancellation_fee', 'credit_note'] as const) {
      expect(descriptions({ kind, isOverFee: true })).toEqual([fee, 'Fee agreed by phone']);
    }
    expect(descriptions({})).toEqual(['Cancellation fee', 'Fee agreed by phone']);
    const [page = ''] = await pagesOf(
      await renderPdf(documentOf(invoice({ kind: 'cancellation_fee', isOverFee: true, lines }), language)),
    );
    for (const text of [label, 'B-2027-0007', fee]) expect(page).toContain(text);
  });

  it('a name with a script element is text in the PDF', async () => {
    const payer = { name: '<script>alert(1)</script>', address: null, taxId: null };
    const [page = ''] = await pagesOf(await renderPdf(documentOf(invoice({ payer }), 'en')));
    expect(page.replaceAll(' ', '')).toContain('<script>alert(1)</script>');
  });

  it('Arabic, Hebrew and Japanese names have glyphs in the PDF and a direction of their own in HTML', async () => {
    const payer = { name: 'محمد الأحمدي', address: 'רחוב הרצל 5\n東京都 髙橋', taxId: null };
    const document = documentOf(invoice({ payer }), 'en');
    const bytes = await renderPdf(document);
    expect(bytes.equals(await renderPdf(document))).toBe(true);
    const [page = ''] = await pagesOf(bytes);
    for (const text of ['محمد', 'הרצל', '東京都', '髙橋']) expect(page.replaceAll(' ', '')).toContain(text);
    for (const font of ['NotoSansArabic', 'NotoSansHebrew', 'NotoSansJP'])
      expect(bytes.toString('latin1')).toContain(font);
    const html = renderHtml(document).toString();
    for (const text of ['محمد الأحمدي', 'רחוב הרצל 5', '東京都 髙橋'])
      expect(html).toContain(`<div dir="auto">${text}</div>`);
  });

  it('a PDF contains no font of a script that it does not use', async () => {
    expect((await renderPdf(documentOf(invoice(), 'en'))).toString('latin1')).not.toContain('NotoSans');
  });
});
