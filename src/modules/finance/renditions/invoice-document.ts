import { minorUnits } from '../../../platform/money/money.js';
import { netUnitPrice } from '../invoices/line-amounts.js';
import type { RenditionLanguage } from './rendition-labels.js';
import { RENDITION_LABELS } from './rendition-labels.js';

/** The parts of an invoice that are rendered: those fixed at issue, and whether it is void. */
export interface RenderedInvoice {
  number: string;
  issueDate: string;
  dueDate: string;
  isVoid: boolean;
  currency: string;
  seller: Party;
  payer: Party;
  subtotalCents: number;
  taxCents: number;
  totalCents: number;
  lines: readonly RenderedLine[];
}

interface Party {
  name: string;
  address: string | null;
  taxId: string | null;
}

interface RenderedLine {
  description: string;
  quantity: string;
  taxRateBasisPoints: number | null;
  netCents: number;
  taxCents: number;
  totalCents: number;
}

/** The texts of an invoice, independent of the file format. */
export interface InvoiceDocument {
  language: RenditionLanguage;
  title: string;
  /** Shown at the top of a void invoice. */
  stamp: string | null;
  issueDate: string;
  summary: readonly LabelledText[];
  parties: readonly { title: string; lines: readonly string[] }[];
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** Rate, net amount and tax. */
  taxes: { title: string; rows: readonly (readonly string[])[] };
  totals: readonly LabelledText[];
}

interface LabelledText {
  label: string;
  value: string;
}

export function documentOf(invoice: RenderedInvoice, language: RenditionLanguage): InvoiceDocument {
  const labels = RENDITION_LABELS[language];
  const format = formatsOf(language, invoice.currency);
  const party = (title: string, { name, address, taxId }: Party) => ({
    title,
    lines: [name, ...(address?.split('\n') ?? []), ...(taxId ? [`${labels.taxId}: ${taxId}`] : [])],
  });
  return {
    language,
    title: `${labels.invoice} ${invoice.number}`,
    stamp: invoice.isVoid ? labels.void : null,
    issueDate: invoice.issueDate,
    summary: [
      { label: labels.number, value: invoice.number },
      { label: labels.issueDate, value: format.day(invoice.issueDate) },
      { label: labels.dueDate, value: format.day(invoice.dueDate) },
    ],
    parties: [party(labels.seller, invoice.seller), party(labels.payer, invoice.payer)],
    columns: [labels.description, labels.quantity, labels.unitPrice, labels.net, labels.rate, labels.tax, labels.total],
    rows: invoice.lines.map((line) => [
      line.description,
      format.decimal(line.quantity),
      format.unitPrice(netUnitPrice(line, invoice.currency)),
      format.money(line.netCents),
      format.rate(line.taxRateBasisPoints),
      format.money(line.taxCents),
      format.money(line.totalCents),
    ]),
    taxes: {
      title: labels.taxes,
      rows: taxesOf(invoice.lines).map(({ rate, net, tax }) => [
        format.rate(rate),
        format.money(net),
        format.money(tax),
      ]),
    },
    totals: [
      { label: labels.subtotal, value: format.money(invoice.subtotalCents) },
      { label: labels.tax, value: format.money(invoice.taxCents) },
      { label: labels.total, value: format.money(invoice.totalCents) },
    ],
  };
}

/** The taxes by rate, the highest first; taxes without a rate come last. */
function taxesOf(lines: readonly RenderedLine[]): { rate: number | null; net: number; tax: number }[] {
  const rates = [...new Set(lines.map(({ taxRateBasisPoints }) => taxRateBasisPoints))];
  return rates
    .sort((a, b) => (b ?? -1) - (a ?? -1))
    .map((rate) => {
      const mine = lines.filter(({ taxRateBasisPoints }) => taxRateBasisPoints === rate);
      const sum = (figure: (line: RenderedLine) => number) => mine.reduce((so, line) => so + figure(line), 0);
      return { rate, net: sum(({ netCents }) => netCents), tax: sum(({ taxCents }) => taxCents) };
    });
}

function formatsOf(language: RenditionLanguage, currency: string) {
  const digits = minorUnits(currency);
  const exactly = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const money = new Intl.NumberFormat(language, { style: 'currency', currency, ...exactly });
  const unitPrice = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: 4,
  });
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 });
  const decimal = new Intl.NumberFormat(language, { maximumFractionDigits: 4 });
  const days = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  return {
    money: (cents: number) => money.format(decimalText(cents, digits)),
    unitPrice: (text: string) => unitPrice.format(numeric(text)),
    rate: (basisPoints: number | null) => (basisPoints === null ? '-' : percent.format(basisPoints / 10_000)),
    decimal: (text: string) => decimal.format(Number(text)),
    day: (text: string) => days.format(new Date(`${text}T00:00:00Z`)),
  };
}

/** Exact, unlike the division of a double by a hundred. */
function decimalText(cents: number, digits: number): `${number}` {
  const text = String(Math.abs(cents)).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  const decimal = `${cents < 0 ? '-' : ''}${whole}.${text.slice(whole.length)}0`;
  return numeric(decimal);
}

function numeric(text: string): `${number}` {
  if (!isNumeric(text)) throw new RangeError(`${text} is not an amount`);
  return text;
}

function isNumeric(text: string): text is `${number}` {
  return Number.isFinite(Number(text));
}
