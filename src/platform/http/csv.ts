import { type Options, stringify } from 'csv-stringify/sync';

export type CsvCell = string | number | bigint | boolean | null | undefined;

/** Without the pattern, only the characters of the record delimiter together are quoted, and a line feed would end the row. */
const FORMAT: Options = { record_delimiter: '\r\n', quoted_match: /[\r\n]/, cast: { boolean: String } };
const NUMBER = /^-?\d{1,40}(?:\.\d{1,20})?$/;
/** A cell that begins with one of these is executed as a formula. */
const FORMULA = new Set('=+-@＝＋－＠');
/**
 * Characters after which a spreadsheet may begin a new cell inside a text; a comma separates cells only outside quotation
 * marks.
 */
const SEPARATORS = new Set(';\t\r\n');
/** Characters that a spreadsheet may ignore at the beginning of a cell. */
const IGNORED = /[\s"]/;

/**
 * Formats rows as RFC 4180 defines. No text becomes a formula in a spreadsheet, not even where the list separator is a
 * semicolon, as in most of Europe: Excel then splits lines at semicolons, and quotation marks inside a cell protect nothing.
 */
export function csvLines(rows: readonly (readonly CsvCell[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? plainText(cell) : cell)));
  return cells.length === 0 ? '' : stringify(cells, FORMAT);
}

/** Puts an apostrophe before each character that would begin a formula; a number stays one. */
function plainText(text: string): string {
  if (NUMBER.test(text)) return text;
  let [plain, isStart] = [/^[\t\r]/.test(text) ? "'" : '', true];
  for (const character of text) {
    if (isStart && FORMULA.has(character)) plain += "'";
    plain += character;
    isStart = SEPARATORS.has(character) || (isStart && IGNORED.test(character));
  }
  return plain;
}
