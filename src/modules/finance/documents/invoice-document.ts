import { minorUnits } from '../../../platform/money/money.js';
import type { DocumentLanguage, IssuerCopy } from '../../organization/index.js';
import { type BaseAmounts, taxSummaryOf } from '../books/index.js';
import { FEE_DESCRIPTION, netUnitPrice, type PricedLine } from '../receivables/index.js';
import { RENDITION_LABELS, type RenditionLabels } from './rendition-labels.js';

/** The rendered content of an issued invoice, credit note or fee invoice. */
export interface RenderedInvoice extends BaseAmounts {
  kind: 'invoice' | 'cancellation_fee' | 'credit_note';
  /** A fee invoice, or a credit note for one. */
  isOverFee: boolean;
  number: string;
  bookingNumber: string;
  issueDate: string;
  /** Null for a credit note, because nothing is due on it. */
  dueDate: string | null;
  isVoid: boolean;
  currency: string;
  seller: Party;
  /** The copy of the organization; null for documents issued before copies were kept. */
  issuer: IssuerCopy | null;
  logo: RenderedLogo | null;
  payer: Party;
  /** The invoice that a credit note credits. */
  original: { number: string; issueDate: string } | null;
  reasonText: string | null;
  subtotalCents: number;
  taxCents: number;
  totalCents: number;
  /** Amounts received and credited until the day of the rendition. */
  paidCents: number;
  creditedCents: number;
  /** The day of the rendition. */
  renderedOn: string;
  lines: readonly PricedLine[];
}

export interface RenderedLogo {
  /** Contains the bytes themselves, so that rendering fetches nothing. */
  dataUrl: string;
  widthPixels: number;
  heightPixels: number;
}

interface Party {
  name: string;
  address: string | null;
  taxId: string | null;
}

/** The texts of an invoice, independent of the file format. */
export interface InvoiceDocument {
  language: DocumentLanguage;
  title: string;
  /** Shown at the top of a void invoice. */
  stamp: string | null;
  issueDate: string;
  logo: RenderedLogo | null;
  summary: readonly LabelledText[];
  parties: readonly { title: string; lines: readonly NamedText[] }[];
  columns: readonly string[];
  /** The first cell may have several lines. */
  rows: readonly (readonly string[])[];
  /** Rate, net amount, tax and gross amount. */
  taxes: SumTable;
  /** The same amounts in the base currency of the accounts, with the totals last; null if the document is in that currency. */
  baseTaxes: SumTable | null;
  totals: readonly LabelledText[];
  /** The bank account for the payment; null if there is none. */
  payment: { title: string; lines: readonly LabelledText[] } | null;
  notes: readonly NamedText[];
}

export interface SumTable {
  title: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** Text below the table. */
  note: string | null;
}

export interface LabelledText {
  label: string;
  value: string;
}

/** A text that people wrote; it has a label only if it needs one to be understood. */
export interface NamedText {
  /** The label with its colon. */
  label: string | null;
  value: string;
}

type Formats = ReturnType<typeof formatsOf>;

export function documentOf(invoice: RenderedInvoice, language: DocumentLanguage): InvoiceDocument {
  const labels = RENDITION_LABELS[language];
  const format = formatsOf(language, invoice.currency);
  const isCreditNote = invoice.kind === 'credit_note';
  return {
    language,
    title: `${titleOf(invoice.kind, labels)} ${invoice.number}`,
    stamp: invoice.isVoid ? labels.void : null,
    issueDate: invoice.issueDate,
    logo: invoice.logo,
    summary: [
      { label: labels.number, value: invoice.number },
      { label: labels.issueDate, value: format.day(invoice.issueDate) },
      { label: labels.booking, value: invoice.bookingNumber },
      ...(invoice.original
        ? [
            {
              label: labels.originalInvoice,
              value: `${invoice.original.number} ${labels.dated} ${format.day(invoice.original.issueDate)}`,
            },
          ]
        : []),
      ...(isCreditNote
        ? []
        : [
            ...(invoice.dueDate === null ? [] : [{ label: labels.dueDate, value: format.day(invoice.dueDate) }]),
            { label: labels.paymentReference, value: invoice.number },
          ]),
    ],
    parties: [
      { title: labels.seller, lines: sellerLines(invoice, { labels, language }) },
      { title: labels.payer, lines: partyLines(invoice.payer, labels) },
    ],
    columns: [labels.description, labels.quantity, labels.unitPrice, labels.net, labels.rate, labels.tax, labels.total],
    rows: invoice.lines.map((line) => [
      descriptionOf(invoice.isOverFee ? translated(line, labels) : line, { labels, format }),
      format.decimal(line.quantity),
      line.priceBasis === 'net'
        ? format.money(line.unitPriceCents)
        : format.unitPrice(netUnitPrice(line, invoice.currency)),
      format.money(line.netCents),
      format.rate(line.taxRateBasisPoints),
      format.money(line.taxCents),
      format.money(line.totalCents),
    ]),
    taxes: {
      title: labels.taxes,
      columns: [labels.rate, labels.net, labels.tax, labels.gross],
      rows: taxSummaryOf(invoice.lines, invoice).map(({ taxRateBasisPoints, netCents, taxCents, grossCents }) => [
        format.rate(taxRateBasisPoints),
        format.money(netCents),
        format.money(taxCents),
        format.money(grossCents),
      ]),
      note: null,
    },
    baseTaxes: baseTaxesOf(invoice, { labels, language }),
    totals: totalsOf(invoice, { labels, format }),
    payment: isCreditNote || invoice.isVoid ? null : paymentOf(invoice, labels),
    notes: notesOf(invoice, { labels, language }),
  };
}

function titleOf(kind: RenderedInvoice['kind'], labels: RenditionLabels): string {
  switch (kind) {
    case 'invoice':
      return labels.invoice;
    case 'cancellation_fee':
      return labels.feeInvoice;
    case 'credit_note':
      return labels.creditNote;
  }
}

interface Wording {
  labels: RenditionLabels;
  language: DocumentLanguage;
}

function sellerLines({ seller, issuer }: RenderedInvoice, { labels, language }: Wording): NamedText[] {
  if (issuer === null) return partyLines(seller, labels);
  const country = issuer.country && new Intl.DisplayNames(language, { type: 'region' }).of(issuer.country);
  const trade = issuer.tradeName === null || issuer.tradeName === issuer.legalName ? [] : [issuer.tradeName];
  return [
    ...plain([...trade, issuer.legalName, ...(issuer.address?.split('\n') ?? []), country]),
    ...named(labels, [
      [labels.vatId, issuer.vatId],
      [labels.taxId, issuer.taxId],
      [labels.registrationNumber, issuer.registrationNumber],
      [labels.licenceNumber, issuer.licenceNumber],
    ]),
    ...plain([issuer.phone, issuer.email, issuer.website]),
  ];
}

function partyLines({ name, address, taxId }: Party, labels: RenditionLabels): NamedText[] {
  return [...plain([name, ...(address?.split('\n') ?? [])]), ...named(labels, [[labels.taxId, taxId]])];
}

function plain(values: readonly (string | null | undefined)[]): NamedText[] {
  return values.flatMap((value) => (value ? [{ label: null, value }] : []));
}

function named({ colon }: RenditionLabels, pairs: readonly (readonly [string, string | null])[]): NamedText[] {
  return labelled(pairs).map(({ label, value }) => ({ label: `${label}${colon}`, value }));
}

function labelled(pairs: readonly (readonly [string, string | null])[]): LabelledText[] {
  return pairs.flatMap(([label, value]) => (value ? [{ label, value }] : []));
}

interface Words {
  labels: RenditionLabels;
  format: Formats;
}

/** Translates the description that the service writes in English, and keeps one that staff wrote. */
function translated(line: PricedLine, labels: RenditionLabels): PricedLine {
  return line.description === FEE_DESCRIPTION ? { ...line, description: labels.cancellationFee } : line;
}

/** The days of the service follow, and the text that the law requires. */
function descriptionOf(line: PricedLine, { labels, format }: Words): string {
  const { serviceDate, serviceEndDate, mention } = line;
  const start = serviceDate ?? serviceEndDate;
  const days = start === null ? null : format.days(start, serviceEndDate ?? start);
  return [line.description, days === null ? null : `${labels.serviceDate}${labels.colon} ${days}`, mention]
    .filter((text) => text !== null)
    .join('\n');
}

function totalsOf(invoice: RenderedInvoice, { labels, format }: Words): LabelledText[] {
  const { kind, isVoid, totalCents, paidCents, creditedCents } = invoice;
  const totals = [
    { label: labels.subtotal, value: format.money(invoice.subtotalCents) },
    { label: labels.tax, value: format.money(invoice.taxCents) },
    { label: labels.total, value: format.money(totalCents) },
  ];
  if (kind === 'credit_note' || isVoid) return totals;
  const day = format.day(invoice.renderedOn);
  return [
    ...totals,
    { label: `${labels.paid} ${day}`, value: format.money(paidCents) },
    ...(creditedCents > 0 ? [{ label: `${labels.credited} ${day}`, value: format.money(creditedCents) }] : []),
    { label: labels.balance, value: format.money(totalCents - paidCents - creditedCents) },
  ];
}

/** The law requires the tax of a document in a foreign currency also in the national one. */
function baseTaxesOf(invoice: RenderedInvoice, { labels, language }: Wording): SumTable | null {
  const { baseCurrency, exchangeRate, baseSubtotalCents, baseTaxCents, baseTotalCents } = invoice;
  if (baseCurrency === null || exchangeRate === null) return null;
  const format = formatsOf(language, baseCurrency);
  const money = (cents: number | null) => (cents === null ? '-' : format.money(cents));
  const { from, to, rate, day } = exchangeRate;
  return {
    title: `${labels.taxes} (${baseCurrency})`,
    columns: [labels.rate, labels.net, labels.tax, labels.gross],
    rows: [
      ...taxSummaryOf(invoice.lines, invoice).map((line) => [
        format.rate(line.taxRateBasisPoints),
        ...[line.baseNetCents, line.baseTaxCents, line.baseGrossCents].map(money),
      ]),
      [labels.total, ...[baseSubtotalCents, baseTaxCents, baseTotalCents].map(money)],
    ],
    note: `${labels.exchangeRate} ${labels.dated} ${format.day(day)}${labels.colon} 1 ${from} = ${format.exchangeRate(rate)} ${to}`,
  };
}

function paymentOf({ issuer, number }: RenderedInvoice, labels: RenditionLabels): InvoiceDocument['payment'] {
  const account = issuer?.bankAccount;
  if (!account) return null;
  const iban = account.iban.replace(/(.{4})(?=.)/g, '$1 ');
  const lines = labelled([
    [labels.accountHolder, account.holder],
    ['IBAN', iban],
    ['BIC', account.bic],
    [labels.paymentReference, number],
  ]);
  return { title: labels.bankAccount, lines };
}

function notesOf({ issuer, reasonText }: RenderedInvoice, { labels, language }: Wording): NamedText[] {
  const footer = issuer?.footerText[language] ?? issuer?.footerText.en ?? null;
  return [
    ...named(labels, [
      [labels.reason, reasonText],
      [labels.insolvencyProtection, issuer?.insolvencyProtection ?? null],
    ]),
    ...plain([footer]),
  ];
}

function formatsOf(language: DocumentLanguage, currency: string) {
  const digits = minorUnits(currency);
  // Italian and Spanish would group only amounts of five digits and more, so columns would not be uniform.
  const exactly = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: 'always' } as const;
  const money = new Intl.NumberFormat(language, { style: 'currency', currency, ...exactly });
  const unitPrice = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    ...exactly,
    maximumFractionDigits: 4,
  });
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 });
  const decimal = new Intl.NumberFormat(language, { maximumFractionDigits: 4 });
  const dates = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  const day = (text: string) => {
    const written = dates.format(midnight(text));
    return language === 'fr' ? written.replace(/^1 /, '1er ') : written;
  };
  return {
    money: (cents: number) => money.format(decimalText(cents, digits)),
    /** Formats a decimal number given as text. */
    unitPrice: (text: string) => unitPrice.format(numeric(text)),
    rate: (basisPoints: number | null) => (basisPoints === null ? '-' : percent.format(basisPoints / 10_000)),
    decimal: (text: string) => decimal.format(Number(text)),
    /** Keeps the published decimals. */
    exchangeRate: (text: string) => {
      const [, decimals = ''] = text.split('.');
      const published = { minimumFractionDigits: decimals.length, maximumFractionDigits: decimals.length };
      return new Intl.NumberFormat(language, published).format(numeric(text));
    },
    day,
    /** Formats days such as "May 12 – 15, 2027". */
    days: (first: string, last: string) =>
      first === last ? day(first) : dates.formatRange(midnight(first), midnight(last)),
  };
}

function midnight(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

/** Converts exactly, unlike the division of a double by a hundred. */
function decimalText(cents: number, digits: number): `${number}` {
  const text = String(Math.abs(cents)).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  return numeric(`${cents < 0 ? '-' : ''}${whole}.${text.slice(whole.length)}0`);
}

function numeric(text: string): `${number}` {
  if (!isNumeric(text)) throw new RangeError(`${text} is not an amount`);
  return text;
}

function isNumeric(text: string): text is `${number}` {
  return Number.isFinite(Number(text));
}
