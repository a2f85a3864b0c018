import { createRequire } from 'node:module';
import pdfmake, { type Content } from 'pdfmake';
import type { InvoiceDocument } from './invoice-document.js';

const locate = createRequire(import.meta.url);
const FONTS = {
  normal: locate.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
  bold: locate.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
};

pdfmake.setFonts({ DejaVu: { ...FONTS, italics: FONTS.normal, bolditalics: FONTS.bold } });
// Documents contain only text: nothing is fetched, and only the fonts are read from files.
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy((path) => Object.values(FONTS).includes(path));

/** The same document always gives the same bytes. */
export async function renderPdf(document: InvoiceDocument): Promise<Buffer> {
  const { title, stamp, summary, parties, taxes, totals } = document;
  // The issue date instead of the current time, which would make each file different.
  const issued = new Date(`${document.issueDate}T00:00:00Z`);
  const content: Content[] = [
    ...(stamp === null ? [] : [{ text: stamp, style: 'stamp' }]),
    { text: title, style: 'title' },
    { layout: 'noBorders', table: { body: summary.map(({ label, value }) => [bold(label), value]) } },
    { columns: parties.map(({ title: name, lines }) => ({ stack: [bold(name), ...lines] })), style: 'block' },
    lineTable(document),
    sums([[bold(taxes.title), '', ''], ...taxes.rows.map((cells) => cells.map(right))]),
    sums(totals.map(({ label, value }) => [bold(label), right(value)])),
  ];
  const pdf = pdfmake.createPdf({
    info: { title, creationDate: issued, modDate: issued },
    language: document.language,
    pageSize: 'A4',
    pageMargins: [40, 48, 40, 56],
    defaultStyle: { font: 'DejaVu', fontSize: 8 },
    styles: {
      title: { fontSize: 16, bold: true, margin: [0, 0, 0, 12] },
      stamp: { fontSize: 20, bold: true, color: '#b00020', margin: [0, 0, 0, 8] },
      block: { margin: [0, 16, 0, 16] },
    },
    content,
    footer: (page, pages) => ({ text: `${title}   ${page} / ${pages}`, alignment: 'center', margin: [0, 20, 0, 0] }),
  });
  return pdf.getBuffer();
}

/** The first column takes the remaining width; the headings are repeated on every page. */
function lineTable({ columns, rows }: InvoiceDocument): Content {
  const body = [
    columns.map((text, index) => (index === 0 ? bold(text) : { ...bold(text), ...RIGHT })),
    ...rows.map(line),
  ];
  return {
    layout: 'lightHorizontalLines',
    table: { headerRows: 1, widths: columns.map((_, index) => (index === 0 ? '*' : 'auto')), body },
  };
}

function line(cells: readonly string[]): Content[] {
  return cells.map((text, index) => (index === 0 ? text : right(text)));
}

/** A right-aligned table. */
function sums(body: Content[][]): Content {
  return {
    columns: [
      { text: '', width: '*' },
      { width: 'auto', layout: 'noBorders', table: { body } },
    ],
    style: 'block',
  };
}

const RIGHT = { alignment: 'right' } as const;

function bold(text: string): { text: string; bold: true } {
  return { text, bold: true };
}

function right(text: string): { text: string; alignment: 'right' } {
  return { text, ...RIGHT };
}
