import type { Content } from 'pdfmake';
import { bold, createPdf, type DrawText, type PdfLayout, RIGHT, right } from '../../../platform/pdf/pdf.js';
import type { InvoiceDocument, LabelledText, SumTable } from './invoice-document.js';

/** Widths in units of the font size, for texts that are broken before they are drawn. */
const [DESCRIPTION_EMS, PARTY_EMS, PAGE_EMS] = [17, 29, 62];
/** Rows longer than half a page are broken between pages. */
const LINES_TOGETHER = 30;
/** A generous estimate of the characters in a line of a description. */
const LINE_CHARACTERS = 20;

/** The same document always gives the same bytes. */
export async function renderPdf(document: InvoiceDocument): Promise<Buffer> {
  return createPdf(JSON.stringify({ ...document, logo: null }), (draw) => layoutOf(document, draw));
}

function layoutOf(document: InvoiceDocument, draw: DrawText): PdfLayout {
  const { title, stamp, logo, summary, parties, taxes, baseTaxes, totals, payment, notes } = document;
  const text = (value: string, ems: number) => draw({ label: null, value }, ems);
  const pairs = (lines: readonly LabelledText[]): Content => ({
    layout: 'noBorders',
    table: { body: lines.map(({ label, value }) => [bold(label), text(value, PAGE_EMS - 20)]) },
  });
  const content: Content[] = [
    ...(logo === null ? [] : [{ image: logo.dataUrl, fit: [170, 56] as const, style: 'logo' }]),
    ...(stamp === null ? [] : [{ text: stamp, style: 'stamp' }]),
    { text: title, style: 'title' },
    pairs(summary),
    {
      columns: parties.map(({ title: name, lines }) => ({
        stack: [bold(name), ...lines.map((line) => draw(line, PARTY_EMS))],
      })),
      style: 'block',
    },
    lineTable(document, (value) => text(value, DESCRIPTION_EMS)),
    sumTable(taxes),
    { stack: [sums(totals.map(({ label, value }) => [bold(label), right(value)]))], unbreakable: true },
    ...(baseTaxes === null ? [] : [sumTable(baseTaxes)]),
    ...(payment === null
      ? []
      : [{ stack: [bold(payment.title), pairs(payment.lines)], style: 'block', unbreakable: true }]),
    ...notes.map((note) => ({ stack: [draw(note, PAGE_EMS)], style: 'note' })),
  ];
  return {
    title,
    language: document.language,
    day: document.issueDate,
    orientation: 'portrait',
    styles: {
      logo: { margin: [0, 0, 0, 12] },
      title: { fontSize: 16, bold: true, margin: [0, 0, 0, 12] },
      stamp: { fontSize: 20, bold: true, color: '#b00020', margin: [0, 0, 0, 8] },
      block: { margin: [0, 10, 0, 10] },
      sums: { margin: [0, 2, 0, 8] },
      note: { margin: [0, 3, 0, 3] },
    },
    content,
  };
}

/** The first column takes the remaining width; the headings are repeated on every page. */
function lineTable({ columns, rows }: InvoiceDocument, described: (text: string) => Content): Content {
  const body = [
    columns.map((text, index) => (index === 0 ? bold(text) : { ...bold(text), ...RIGHT })),
    ...rows.map((cells) => cells.map((text, index) => (index === 0 ? described(text) : right(text)))),
  ];
  const dontBreakRows = rows.every(([description = '']) => lineCount(description) < LINES_TOGETHER);
  return {
    layout: 'lightHorizontalLines',
    table: { headerRows: 1, dontBreakRows, widths: columns.map((_, index) => (index === 0 ? '*' : 'auto')), body },
    style: 'block',
  };
}

function lineCount(text: string): number {
  return text.split('\n').reduce((count, line) => count + 1 + Math.floor(line.length / LINE_CHARACTERS), 0);
}

function sumTable({ title, columns, rows, note }: SumTable): Content {
  return {
    stack: [
      { ...bold(title), ...RIGHT },
      sums([columns.map((heading) => ({ ...bold(heading), ...RIGHT })), ...rows.map((cells) => cells.map(right))]),
      ...(note === null ? [] : [right(note)]),
    ],
    unbreakable: rows.length < LINES_TOGETHER,
  };
}

/** Draws a right-aligned table. */
function sums(body: Content[][]): Content {
  return {
    columns: [
      { text: '', width: '*' },
      { width: 'auto', layout: 'noBorders', table: { body } },
    ],
    style: 'sums',
  };
}
