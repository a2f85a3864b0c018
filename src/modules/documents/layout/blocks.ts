/** A heading of the document. */
export interface HeadingBlock {
  type: 'heading';
  text: string;
}

/** Paragraphs. A line whose placeholders all lack a value is left out. */
export interface TextBlock {
  type: 'text';
  text: string;
}

/** Labels with their values. A fact without a value is left out. */
export interface FactsBlock {
  type: 'facts';
  facts: readonly { label: string; value: string }[];
}

export interface TableColumn {
  heading: string;
  text: string;
  /** Width in units of the font size, beyond which texts are broken. */
  width: number;
  align?: 'right';
}

/** One row for each entry of a list. It is left out if the list is empty. */
export interface TableBlock {
  type: 'table';
  list: string;
  columns: readonly TableColumn[];
}

/** The logo of the company, if it has one. */
export interface ImageBlock {
  type: 'image';
  image: 'logo';
}

/** A QR code with its text below it; left out if the text is empty or too long for the code. */
export interface CodeBlock {
  type: 'code';
  text: string;
}

export interface SpacerBlock {
  type: 'spacer';
}

export interface PageBreakBlock {
  type: 'pageBreak';
}

export type SimpleBlock =
  HeadingBlock | TextBlock | FactsBlock | TableBlock | ImageBlock | CodeBlock | SpacerBlock | PageBreakBlock;

/** Blocks beside each other. */
export interface ColumnsBlock {
  type: 'columns';
  parts: readonly { blocks: readonly SimpleBlock[] }[];
}

/** A part of a document. Its texts contain `{{placeholders}}`. */
export type Block = SimpleBlock | ColumnsBlock;

/** The values of placeholders, written in the language of the document; null and empty ones are left out. */
export type Values = Readonly<Record<string, string | null>>;

/** What the placeholders and tables of a document show. */
export interface DocumentTexts {
  values: Values;
  lists: Readonly<Record<string, readonly Values[]>>;
}

/** The logo as a data URL, and its size. */
export interface PrintedLogo {
  dataUrl: string;
  widthPixels: number;
  heightPixels: number;
}

/** A document to print. */
export interface PrintedBlocks {
  title: string;
  language: string;
  /** `YYYY-MM-DD`, the day of the rendition. */
  day: string;
  orientation: 'portrait' | 'landscape';
  blocks: readonly Block[];
  texts: DocumentTexts;
  logo: PrintedLogo | null;
}

/** Linear: a name has no braces. */
const PLACEHOLDER = /\{\{([A-Za-z.]{1,60})\}\}/g;

/** Replaces the placeholders in one pass, so braces within values are text. */
export function filled(text: string, values: Values): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const names = [...line.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
      const isEmpty = names.length > 0 && names.every((name) => !values[name]);
      return isEmpty ? [] : [line.replace(PLACEHOLDER, (_, name: string) => values[name] ?? '')];
    })
    .join('\n');
}
