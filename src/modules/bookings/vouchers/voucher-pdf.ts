import type { Content } from 'pdfmake';
import { bold, createPdf, type DrawText, type PdfLayout } from '../../../platform/pdf/pdf.js';
import type { VoucherDocument, VoucherTexts } from './voucher-document.js';

/** Widths in units of the font size, for texts that are broken before they are drawn. */
const [VALUE_EMS, TITLE_EMS, PAGE_EMS] = [26, 30, 62];
/** The side of a QR code in points: 4 centimeters. */
const QR_POINTS = 113;

/** Vouchers below each other, each on one page. The same document always gives the same bytes. */
export async function renderVouchers(document: VoucherDocument): Promise<Buffer> {
  return createPdf(JSON.stringify(document), (draw) => layoutOf(document, draw));
}

function layoutOf(document: VoucherDocument, draw: DrawText): PdfLayout {
  const { title, language, day, operator, operatorLines, note, vouchers } = document;
  return {
    title,
    language,
    day,
    orientation: 'portrait',
    styles: {
      operator: { fontSize: 14, bold: true, margin: [0, 0, 0, 4] },
      title: { fontSize: 12, bold: true, margin: [0, 0, 0, 8] },
      note: { margin: [0, 12, 0, 0] },
      voucher: { margin: [0, 20, 0, 0] },
    },
    content: [
      { stack: [draw({ label: null, value: operator }, TITLE_EMS)], style: 'operator' },
      ...operatorLines.map((value) => draw({ label: null, value }, PAGE_EMS)),
      { stack: [draw({ label: null, value: note }, PAGE_EMS)], style: 'note' },
      ...vouchers.map((voucher) => voucherOf(voucher, draw)),
    ],
  };
}

function voucherOf({ code, displayCode, title, lines }: VoucherTexts, draw: DrawText): Content {
  return {
    columns: [
      {
        width: 'auto',
        stack: [
          { qr: code, fit: QR_POINTS, eccLevel: 'M' },
          { ...bold(displayCode), alignment: 'center', margin: [0, 6, 0, 0] },
        ],
      },
      {
        width: '*',
        margin: [16, 0, 0, 0],
        stack: [
          { stack: [draw({ label: null, value: title }, TITLE_EMS)], style: 'title' },
          {
            layout: 'noBorders',
            table: {
              widths: ['auto', '*'],
              dontBreakRows: true,
              body: lines.map(({ label, value }) => [bold(label), draw({ label: null, value }, VALUE_EMS)]),
            },
          },
        ],
      },
    ],
    unbreakable: true,
    style: 'voucher',
  };
}
