/*
 * The part of pdfmake that the documents of the service are made with. The types of @types/pdfmake would add the browser's globals to every
 * file of the service, so that fetch and URL had other types than Node's; tsconfig.json names this file instead.
 */
interface Styled {
  bold?: boolean;
  alignment?: 'right' | 'center';
  style?: string;
  width?: '*' | 'auto';
  lineHeight?: number;
  pageBreak?: 'after';
  /** Columns of its table that a cell covers; the cells that it covers are empty texts. */
  colSpan?: number;
  margin?: [left: number, top: number, right: number, bottom: number];
}

export interface Style extends Omit<Styled, 'style' | 'width'> {
  font?: string;
  fontSize?: number;
  color?: string;
}

/** A piece of a text; one that is not wrapped is never broken. */
export interface Inline {
  text: string;
  font: string;
  bold?: boolean;
  noWrap?: boolean;
}

export type Content =
  | string
  | (Styled & { text: string | readonly Inline[] })
  | (Styled & { image: string; fit: readonly [width: number, height: number] })
  | (Styled & { qr: string; fit: number; eccLevel: 'L' | 'M' | 'Q' | 'H' })
  | (Styled & { stack: readonly Content[]; unbreakable?: boolean })
  | (Styled & { columns: readonly Content[]; columnGap?: number; unbreakable?: boolean })
  | (Styled & {
      layout: 'noBorders' | 'lightHorizontalLines';
      table: {
        headerRows?: number;
        dontBreakRows?: boolean;
        widths?: readonly ('*' | 'auto')[];
        body: readonly (readonly Content[])[];
      };
    });

interface Definition {
  info: { title: string; creationDate: Date; modDate: Date };
  language: string;
  pageSize: 'A4';
  pageOrientation: 'portrait' | 'landscape';
  pageMargins: [left: number, top: number, right: number, bottom: number];
  defaultStyle: Style;
  styles: Record<string, Style>;
  content: readonly Content[];
  footer: (page: number, pages: number) => Content;
}

export interface Font {
  normal: string;
  bold: string;
  italics: string;
  bolditalics: string;
}

declare const pdfmake: {
  setFonts(fonts: Record<string, Font>): void;
  setUrlAccessPolicy(allows: (url: string) => boolean): void;
  setLocalAccessPolicy(allows: (path: string) => boolean): void;
  createPdf(definition: Definition): { getBuffer(): Promise<Buffer> };
};
export { pdfmake as default };
