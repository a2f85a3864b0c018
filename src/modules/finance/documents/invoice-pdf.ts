import { createRequire } from 'node:module';
import type { Bidi } from 'bidi-js';
import pdfmake, { type Content, type Font, type Inline } from 'pdfmake';
import type { InvoiceDocument, LabelledText, NamedText, SumTable } from './invoice-document.js';
import { type FontName, isRightToLeft, linesOf } from './text-layout.js';

const locate = createRequire(import.meta.url);
/**
 * A font is read when a text of its scripts is drawn; the Japanese one has 5 MB. The build copies these files to
 * `dist/node_modules`, because their packages have 65 MB, most of it other weights and styles.
 */
const FILES: Record<FontName, { normal: string; bold: string }> = {
  European: { normal: 'dejavu-fonts-ttf/ttf/DejaVuSans.ttf', bold: 'dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf' },
  Arabic: notoFont('arabic', 'NotoSansArabic'),
  Hebrew: notoFont('hebrew', 'NotoSansHebrew'),
  Japanese: notoFont('jp', 'NotoSansJP'),
};
const FONT_SIZE = 8;
/** Widths in units of the font size, for texts that are broken before they are drawn. */
const [DESCRIPTION_EMS, PARTY_EMS, PAGE_EMS] = [17, 29, 62];
/** Rows longer than half a page are broken between pages. */
const LINES_TOGETHER = 30;
/** A generous estimate of the characters in a line of a description. */
const LINE_CHARACTERS = 20;

function notoFont(name: string, family: string): { normal: string; bold: string } {
  const folder = `@expo-google-fonts/noto-sans-${name}`;
  return { normal: `${folder}/400Regular/${family}_400Regular.ttf`, bold: `${folder}/700Bold/${family}_700Bold.ttf` };
}

/** The same document always gives the same bytes. */
export async function renderPdf(document: InvoiceDocument): Promise<Buffer> {
  const texts = JSON.stringify({ ...document, logo: null });
  useFonts(texts);
  const bidi = isRightToLeft(texts) ? (await import('bidi-js')).default() : null;
  return createPdf(document, bidi);
}

/** Fetches nothing, and reads only the fonts that the document needs from files. */
function useFonts(texts: string): void {
  const needed = new Set(
    linesOf({ label: null, value: texts }, null, Infinity).flatMap((runs) => runs.map(({ font }) => font)),
  );
  const fonts: Record<string, Font> = {};
  for (const name of needed) {
    const [normal, bold] = [locate.resolve(FILES[name].normal), locate.resolve(FILES[name].bold)];
    fonts[name] = { normal, bold, italics: normal, bolditalics: bold };
  }
  const files = Object.values(fonts).flatMap(({ normal, bold }) => [normal, bold]);
  pdfmake.setFonts(fonts);
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy((path) => files.includes(path));
}

async function createPdf(document: InvoiceDocument, bidi: Bidi | null): Promise<Buffer> {
  const { title, stamp, logo, summary, parties, taxes, baseTaxes, totals, payment, notes } = document;
  // Uses the issue date, because the current time would make each file different.
  const issued = new Date(`${document.issueDate}T00:00:00Z`);
  const text = (value: string, ems: number) => textOf({ label: null, value }, bidi, ems);
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
        stack: [bold(name), ...lines.map((line) => textOf(line, bidi, PARTY_EMS))],
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
    ...notes.map((note) => ({ stack: [textOf(note, bidi, PAGE_EMS)], style: 'note' })),
  ];
  const pdf = pdfmake.createPdf({
    info: { title, creationDate: issued, modDate: issued },
    language: document.language,
    pageSize: 'A4',
    pageMargins: [40, 48, 40, 56],
    defaultStyle: { font: 'European', fontSize: FONT_SIZE },
    styles: {
      logo: { margin: [0, 0, 0, 12] },
      title: { fontSize: 16, bold: true, margin: [0, 0, 0, 12] },
      stamp: { fontSize: 20, bold: true, color: '#b00020', margin: [0, 0, 0, 8] },
      block: { margin: [0, 10, 0, 10] },
      sums: { margin: [0, 2, 0, 8] },
      note: { margin: [0, 3, 0, 3] },
    },
    content,
    footer: (page, pages) => ({ text: `${title}   ${page} / ${pages}`, alignment: 'center', margin: [0, 20, 0, 0] }),
  });
  return pdf.getBuffer();
}

/**
 * Draws a text of any script. Each line is a list of pieces of one font; Arabic and Hebrew pieces are in visual order and
 * unbroken.
 */
function textOf({ label, value }: NamedText, bidi: Bidi | null, ems: number): Content {
  const stack = value.split('\n').flatMap((line, index) => {
    const isArranged = bidi !== null && isRightToLeft(line);
    return linesOf({ label: index === 0 ? label : null, value: line }, bidi, ems).map((runs): Content => {
      const inlines = runs.map(({ text, font }): Inline => ({ text, font, ...(isArranged ? { noWrap: true } : {}) }));
      // The Arabic font is higher than the others.
      return { text: inlines, ...(runs.some(({ font }) => font === 'Arabic') ? { lineHeight: 0.8 } : {}) };
    });
  });
  return { stack };
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

const RIGHT = { alignment: 'right' } as const;

function bold(text: string): { text: string; bold: true } {
  return { text, bold: true };
}

function right(text: string): { text: string; alignment: 'right' } {
  return { text, ...RIGHT };
}
