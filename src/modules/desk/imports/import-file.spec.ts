import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../platform/errors/app-error.js';
import { MAX_LINES, readImportFile } from './import-file.js';

const columns = { required: ['name'], optional: ['note'] };

function faultOf(csv: string): unknown {
  try {
    return readImportFile(csv, columns);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code;
  }
}

describe('reading a file to import', () => {
  it.each([
    ['commas', 'reference,name,note\nA,"Ada, Countess",x\n'],
    ['semicolons, a byte order mark and CRLF', '\uFEFFreference;name;note\r\nA;Ada, Countess;x\r\n'],
    ['tabs, columns in another order and case', 'Note\tNAME\tReference\nx\tAda, Countess\tA'],
    ['blanks around cells and empty lines', 'reference , name,note\n\n A , "Ada, Countess" ,x\n,,\n'],
  ])('with %s', (_, csv) => {
    const { records, lines } = readImportFile(csv, columns);
    expect(lines).toBe(1);
    expect(records).toMatchObject([
      { reference: 'A', rows: [{ cells: { reference: 'A', name: 'Ada, Countess', note: 'x' } }] },
    ]);
  });

  it('lines with one reference are one record, in the order of their first lines; lines without one stay single', () => {
    const { records } = readImportFile('reference,name\nA,a\nB,b\n,c\nA,d\n,"two\nlines"\nB,e\n', columns);
    const found = records.map(({ reference, rows }) => [
      reference,
      ...rows.map(({ line, cells }) => [line, cells['name']]),
    ]);
    expect(found).toEqual([
      ['A', [2, 'a'], [5, 'd']],
      ['B', [3, 'b'], [8, 'e']],
      [null, [4, 'c']],
      [null, [7, 'two\nlines']],
    ]);
  });

  it('an unknown column is named with the known ones, but not if it may be data of a person', () => {
    const messageOf = (csv: string) => {
      try {
        readImportFile(csv, columns);
        return null;
      } catch (error) {
        return error instanceof AppError ? error.message : null;
      }
    };
    expect(messageOf('reference,e_mail\nA,a\n')).toBe(
      'Column 2 (e_mail) is not known. The columns are reference, name, note',
    );
    for (const cell of ['Maria Ionescu', 'maria@example.com', '+40240555010', 'a'.repeat(41)]) {
      expect(messageOf(`reference,${cell}\nA,a\n`)).toBe(
        'Column 2 is not known. The columns are reference, name, note',
      );
    }
  });

  it.each([
    ['an empty file', ' ', 'csv_empty'],
    ['only a header', 'reference,name\n', 'csv_empty'],
    ['an unknown column', 'reference,name,salary\nA,a,1\n', 'column_unknown'],
    ['a member of every object as a column', 'reference,name,constructor\nA,a,1\n', 'column_unknown'],
    ['a column that is there twice', 'reference,name,Name\nA,a,b\n', 'column_duplicate'],
    ['without a required column', 'reference,note\nA,a\n', 'column_missing'],
    ['without the references', 'name\na\n', 'column_missing'],
    ['more cells than columns', 'reference,name\nA,a,b\n', 'csv_malformed'],
    ['an open quotation mark', 'reference,name\nA,"a\n', 'csv_malformed'],
    ['a line of 30,000 characters', `reference,name\nA,${'a'.repeat(30_000)}\n`, 'csv_malformed'],
    ['a long reference', `reference,name\n${'A'.repeat(101)},a\n`, 'reference_too_long'],
    ['too many lines', `reference,name\n${'A,a\n'.repeat(MAX_LINES + 1)}`, 'too_many_lines'],
    ['too many lines of a reference', `reference,name\n${'A,a\n'.repeat(101)}`, 'too_many_lines'],
  ])('%s is rejected', (_, csv, code) => {
    expect(faultOf(csv)).toBe(code);
  });
});
