import { createRequire } from 'node:module';
import type { Bidi } from 'bidi-js';
import pdfmake, { type Content, type Font, type Inline, type Style } from 'pdfmake';
import { type FontName, isRightToLeft, type LabelledLine, linesOf } from './text-layout.js';

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

/** A PDF of flowing content. */
export interface PdfLayout {
  title: string;
  language: string;
  /** The day in the properties of the file: with the current time each file would be different. */
  day: string;
  orientation: 'portrait' | 'landscape';
  styles: Record<string, Style>;
  content: readonly Content[];
}

/** Draws a text of any script; `ems` is the width of its column in units of the font size. */
export type DrawText = (line: LabelledLine, ems: number) => Content;

/** The same layout always gives the same bytes. `texts` contains every text of the document, which decides the fonts. */
export async function createPdf(texts: string, layout: (draw: DrawText) => PdfLayout): Promise<Buffer> {
  useFonts(texts);
  const bidi = isRightToLeft(texts) ? (await import('bidi-js')).default() : null;
  const { title, language, day, orientation, styles, content } = layout((line, ems) => textOf(line, bidi, ems));
  const createdAt = new Date(`${day}T00:00:00Z`);
  const pdf = pdfmake.createPdf({
    info: { title, creationDate: createdAt, modDate: createdAt },
    language,
    pageSize: 'A4',
    pageOrientation: orientation,
    pageMargins: [40, 48, 40, 56],
    defaultStyle: { font: 'European', fontSize: FONT_SIZE },
    styles,
    content,
    footer: (page, pages) => ({ text: `${title}   ${page} / ${pages}`, alignment: 'center', margin: [0, 20, 0, 0] }),
  });
  return pdf.getBuffer();
}

export const RIGHT = { alignment: 'right' } as const;

export function bold(text: string): { text: string; bold: true } {
  return { text, bold: true };
}

export function right(text: string): { text: string; alignment: 'right' } {
  return { text, ...RIGHT };
}

function notoFont(name: string, family: string): { normal: string; bold: string } {
  const folder = `@expo-google-fonts/noto-sans-${name}`;
  return { normal: `${folder}/400Regular/${family}_400Regular.ttf`, bold: `${folder}/700Bold/${family}_700Bold.ttf` };
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

/**
 * Draws a text of any script. Each line is a list of pieces of one font; Arabic and Hebrew pieces are in visual order and
 * unbroken.
 */
function textOf({ label, value }: LabelledLine, bidi: Bidi | null, ems: number): Content {
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
