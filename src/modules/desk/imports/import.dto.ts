import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Id, Nested, OneOf, Optional, Text, Version, Whole } from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { type Import, IMPORT_KINDS, IMPORT_STATUSES, type ImportKind, type ImportStatus } from './import.entity.js';
import { MAX_LINES } from './import-file.js';
import { type ImportRecord, RECORD_STATUSES, type RecordStatus } from './import-record.entity.js';
import type { RecordCounts } from './imports.repository.js';

const MAX_CSV_LENGTH = 500_000;

/** A CSV file to import. */
export class CreateImport {
  /**
   * What the lines of the file are.
   * @example "customers"
   */
  @OneOf(IMPORT_KINDS)
  kind: ImportKind;

  /**
   * The text of the file: cells separated by commas, semicolons or tabs, at most 5,000 lines. The first line names the columns, in
   * any order.
   * @example "reference,firstName,lastName,email\nK-1001,Maria,Ionescu,maria.ionescu@example.com\n"
   */
  @Text({ max: MAX_CSV_LENGTH, multiline: true })
  csv: string;
}

export class ListImports extends PageQuery {
  /** Only imports of these kinds. */
  @Optional()
  @AnyOf(IMPORT_KINDS)
  kind?: ImportKind[];

  /** Only imports in one of these states. */
  @Optional()
  @AnyOf(IMPORT_STATUSES)
  status?: ImportStatus[];

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'updatedAt'])
  sort?: string;
}

export class ListImportRecords extends PageQuery {
  /** Only records in one of these states. */
  @Optional()
  @AnyOf(RECORD_STATUSES)
  status?: RecordStatus[];

  /** Sort field, `line` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['line', 'createdAt', 'updatedAt'])
  sort?: string;
}

/** How many records of an import have each state. */
export class ImportCounts {
  /** Not checked yet. */
  @Whole({ min: 0, max: MAX_LINES })
  pending: number;

  /** Checked without a fault, and not imported yet. */
  @Whole({ min: 0, max: MAX_LINES })
  valid: number;

  /** Checked with a fault; the execution does not import them. */
  @Whole({ min: 0, max: MAX_LINES })
  invalid: number;

  /** Not imported, because an earlier import has the reference. */
  @Whole({ min: 0, max: MAX_LINES })
  skipped: number;

  /** Imported. */
  @Whole({ min: 0, max: MAX_LINES })
  done: number;

  /** Checked without a fault, but rejected when they were imported. */
  @Whole({ min: 0, max: MAX_LINES })
  failed: number;
}

/** A file with records of an earlier system, and how far its check or import is. */
export class ImportResponse {
  @Id('imp')
  id: string;

  /** What the lines of the file are. */
  @OneOf(IMPORT_KINDS)
  kind: ImportKind;

  /** `checking`: a job tries each record. `checked`: staff decide. `running`: a job imports the valid records. */
  @OneOf(IMPORT_STATUSES)
  status: ImportStatus;

  /** Lines of the file, without its header and empty lines. */
  @Whole({ min: 1, max: MAX_LINES })
  lineCount: number;

  /** Number of records in each state. Lines with the same reference are one record. */
  @Nested(() => ImportCounts)
  counts: ImportCounts;

  /** Time at which the last record was imported; null before. */
  @Instant()
  endedAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** Lines of a file that become one customer, product or booking. Their cells are not returned. */
export class ImportRecordResponse {
  @Id('imrc')
  id: string;

  /** Its first line in the file; the header is line 1. */
  @Whole({ min: 2, max: Number.MAX_SAFE_INTEGER })
  line: number;

  /** Key of the record in the earlier system; null if the cell is empty. */
  @Text({ max: 100 })
  reference: string | null;

  /** State of the record. */
  @OneOf(RECORD_STATUSES)
  status: RecordStatus;

  /**
   * Why it is invalid, failed or skipped: an error code of the API, or of a cell. A record that is valid or imported has
   * `possible_duplicate` if it may be a customer who exists, or of an earlier line; otherwise null.
   */
  @Text({ max: 100 })
  code: string | null;

  /** Column of the cell at fault; null if it is none or several. */
  @Text({ max: 100 })
  columnName: string | null;

  /** The faults in plain English, without values, or the warning; null if there is none. */
  @Text({ max: 500 })
  message: string | null;

  /** ID of the customer, product or booking that was created, or that an earlier import created; otherwise null. */
  @Text({ max: 128 })
  subjectId: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export class ImportEnvelope extends dataOf(ImportResponse) {}
export class ImportPage extends pageOf(ImportResponse) {}
export class ImportRecordPage extends pageOf(ImportRecordResponse) {}

export interface ImportView {
  import: Import;
  counts: RecordCounts;
}

export function toImport({ import: row, counts }: ImportView): ImportResponse {
  return respond(ImportResponse, row, {
    counts: { pending: 0, valid: 0, invalid: 0, skipped: 0, done: 0, failed: 0, ...counts },
  });
}

export function toImportRecord(record: ImportRecord): ImportRecordResponse {
  return respond(ImportRecordResponse, record);
}
