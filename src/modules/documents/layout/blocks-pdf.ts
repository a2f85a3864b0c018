import type { Content } from 'pdfmake';
import { bold, createPdf, type DrawText, type PdfLayout, RIGHT } from '../../../platform/pdf/pdf.js';
import { type Block, filled, type PrintedBlocks, type TableBlock, type Values } from './blocks.js';

/** Widths in units of the font size, for texts that are broken before they are drawn. */
const PAGE_EMS = { portrait: 62, landscape: 92 };
/** The side of a QR code in points: 3 centimeters. */
const QR_POINTS = 85;
/** Cameras cannot read longer codes at this size; a QR code holds at most 2,331 bytes. */
const MAX_QR_BYTES = 500;
const LOGO_POINTS = [140, 50] as const;

/** The same document always gives the same bytes. */
export async function renderBlocks(printed: PrintedBlocks): Promise<Buffer> {
  const { logo: _, ...texts } = printed;
  return createPdf(JSON.stringify(texts), (draw) => layoutOf(printed, draw));
}

function layoutOf(printed: PrintedBlocks, draw: DrawText): PdfLayout {
  const { title, language, day, orientation, blocks } = printed;
  return {
    ...{ title, language, day, orientation },
    styles: {
      heading: { fontSize: 13, bold: true, margin: [0, 10, 0, 5] },
      block: { margin: [0, 0, 0, 6] },
    },
    content: blocks.flatMap((block) => contentOf(block, { printed, draw, ems: PAGE_EMS[orientation] })),
  };
}

interface Frame {
  printed: PrintedBlocks;
  draw: DrawText;
  /** Width of the column in units of the font size. */
  ems: number;
}

function contentOf(block: Block, frame: Frame): Content[] {
  const { printed, draw, ems } = frame;
  const { values } = printed.texts;
  switch (block.type) {
    case 'heading': {
      const text = filled(block.text, values);
      return text === '' ? [] : [{ stack: [draw({ label: null, value: text }, ems / 1.7)], style: 'heading' }];
    }
    case 'text': {
      const text = filled(block.text, values);
      return text === '' ? [] : [{ stack: [draw({ label: null, value: text }, ems)], style: 'block' }];
    }
    case 'facts':
      return factsOf(block.facts, frame);
    case 'table':
      return tableOf(block, frame);
    case 'image':
      return logoOf(printed);
    case 'code': {
      const code = filled(block.text, values);
      if (code === '' || Buffer.byteLength(code) > MAX_QR_BYTES) return [];
      return [{ stack: [{ qr: code, fit: QR_POINTS, eccLevel: 'M' }, bold(code)], style: 'block' }];
    }
    case 'columns': {
      const width = ems / Math.max(1, block.parts.length);
      const columns = block.parts.map(({ blocks }): Content => ({
        width: '*',
        stack: blocks.flatMap((one) => contentOf(one, { ...frame, ems: width })),
      }));
      return [{ columns, columnGap: 16, style: 'block' }];
    }
    case 'spacer':
      return [{ text: ' ', margin: [0, 4, 0, 4] }];
    case 'pageBreak':
      return [{ text: '', pageBreak: 'after' }];
  }
}

function factsOf(facts: readonly { label: string; value: string }[], { printed, draw, ems }: Frame): Content[] {
  const { values } = printed.texts;
  const rows = facts.flatMap(({ label, value }) => {
    const text = filled(value, values);
    if (text === '') return [];
    const name = { stack: [draw({ label: null, value: filled(label, values) }, ems * 0.35)], bold: true };
    return [[name, draw({ label: null, value: text }, ems * 0.6)]];
  });
  if (rows.length === 0) return [];
  return [{ layout: 'noBorders', style: 'block', table: { widths: ['auto', '*'], dontBreakRows: true, body: rows } }];
}

function tableOf({ list, columns }: TableBlock, { printed, draw }: Frame): Content[] {
  const { values, lists } = printed.texts;
  const rows = lists[list] ?? [];
  if (rows.length === 0) return [];
  const cellsOf = (row: Values) =>
    columns.map(({ text, width, align }) => {
      const cell = draw({ label: null, value: filled(text, row) }, width);
      return align === undefined ? cell : { stack: [cell], ...RIGHT };
    });
  return [
    {
      layout: 'lightHorizontalLines',
      style: 'block',
      table: {
        headerRows: 1,
        dontBreakRows: true,
        widths: columns.map(() => 'auto'),
        body: [
          columns.map(({ heading, width, align }) => ({
            stack: [draw({ label: null, value: filled(heading, values) }, width)],
            bold: true,
            ...(align === undefined ? {} : RIGHT),
          })),
          ...rows.map(cellsOf),
        ],
      },
    },
  ];
}

function logoOf({ logo }: PrintedBlocks): Content[] {
  return logo === null ? [] : [{ image: logo.dataUrl, fit: LOGO_POINTS, style: 'block' }];
}
