import { hasScope } from '../../../platform/auth/access.js';
import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Flag, Id, OneOf, Optional, Text, Texts, Version, Whole } from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { FreeObject, Instant } from '../../../platform/http/trade-fields.js';
import {
  type BulkOperation,
  BULK_STATUSES,
  type BulkOperationStatus,
  BULK_TYPES,
  type BulkOperationType,
} from './bulk-operation.entity.js';
import { BULK_ITEM_STATUSES, type BulkItemStatus, type BulkOperationItem } from './bulk-operation-item.entity.js';
import type { BulkCounts } from './bulk-operations.repository.js';

/** How many records a bulk operation changes at most. */
export const MAX_RECORDS = 1_000;
const PARAMS = { maxBytes: 65_536, maxDepth: 6 };
const MAX_ID = 100;

/** The same change of many records. */
export class CreateBulkOperation {
  /**
   * What is done with each record.
   * @example "customers.tag"
   */
  @OneOf(BULK_TYPES)
  type: BulkOperationType;

  /**
   * IDs of the records to change. Send either this or `filters`. An unknown one fails with `not_found`.
   * @example ["cus_01k0dem000e000000000000001"]
   */
  @Optional()
  @Texts({ min: 1, max: MAX_RECORDS, maxLength: MAX_ID, unique: true })
  ids?: string[];

  /**
   * Parameters of the list of these records, as texts and named as in its query. They find the records once, now; more than 1,000 are
   * rejected.
   */
  @Optional()
  @FreeObject({ maxBytes: 4_000, maxDepth: 1 })
  filters?: object;

  /**
   * What is to be changed; the members depend on `type`.
   * @example {"add": ["season-2027"]}
   */
  @Optional()
  @FreeObject(PARAMS)
  params?: object;

  /** If true, each change is tried and rolled back: the items show what would happen. */
  @Optional()
  @Flag()
  dryRun?: boolean;
}

export class ListBulkOperations extends PageQuery {
  /** Only operations of these types. */
  @Optional()
  @AnyOf(BULK_TYPES)
  type?: BulkOperationType[];

  /** Only operations in one of these states. */
  @Optional()
  @AnyOf(BULK_STATUSES)
  status?: BulkOperationStatus[];

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'updatedAt'])
  sort?: string;
}

export class ListBulkOperationItems extends PageQuery {
  /** Only items in one of these states. */
  @Optional()
  @AnyOf(BULK_ITEM_STATUSES)
  status?: BulkItemStatus[];

  /** Sort field, `position` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['position', 'updatedAt'])
  sort?: string;
}

/** A change of many records, and how far it is. */
export class BulkOperationResponse {
  @Id('bulk')
  id: string;

  /** What is done with each record. */
  @OneOf(BULK_TYPES)
  type: BulkOperationType;

  /** What is changed; the members depend on `type`. Null if the caller may not read the records. */
  @FreeObject(PARAMS)
  params: object | null;

  /** Whether each change is only tried and rolled back. */
  @Flag()
  dryRun: boolean;

  /**
   * `planned`: it waits for its turn. `running`: a job works on its items. `completed_with_failures`: every item was tried, and the
   * failed ones can be repeated.
   */
  @OneOf(BULK_STATUSES)
  status: BulkOperationStatus;

  /** Number of records. */
  @Whole({ min: 1, max: MAX_RECORDS })
  total: number;

  /** Number of records that are not tried yet. */
  @Whole({ min: 0, max: MAX_RECORDS })
  pending: number;

  /** Number of changed records; in a dry run, those that would be changed. */
  @Whole({ min: 0, max: MAX_RECORDS })
  done: number;

  /** Number of records whose change was rejected. */
  @Whole({ min: 0, max: MAX_RECORDS })
  failed: number;

  /** Number of records that were not tried before the operation was cancelled. */
  @Whole({ min: 0, max: MAX_RECORDS })
  skipped: number;

  /** User who last started, resumed or retried it (prefix `user`), in whose name the records are changed. */
  @Text({ max: 100 })
  startedBy: string;

  /** Time at which the operation ended; null before. */
  @Instant()
  endedAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** A record of a bulk operation, and what has happened with it. */
export class BulkOperationItemResponse {
  @Id('bulki')
  id: string;

  /** Place in the order in which the records are worked on, starting at 1. */
  @Whole({ min: 1, max: MAX_RECORDS })
  position: number;

  /** ID of the booking, trip, invoice, departure or customer. */
  @Text({ max: MAX_ID })
  subjectId: string;

  /** `skipped`: the operation was cancelled before. */
  @OneOf(BULK_ITEM_STATUSES)
  status: BulkItemStatus;

  /** Error code of the API, or `cancelled` for a skipped item; otherwise null. */
  @Text({ max: 100 })
  code: string | null;

  /** The error in plain English, without values; null if there is none. */
  @Text({ max: 500 })
  message: string | null;

  /** Path of the member of `params` or of the record at fault; null if it is none or several. */
  @Text({ max: 200 })
  field: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export class BulkOperationEnvelope extends dataOf(BulkOperationResponse) {}
export class BulkOperationPage extends pageOf(BulkOperationResponse) {}
export class BulkOperationItemPage extends pageOf(BulkOperationItemResponse) {}

export interface BulkOperationView {
  operation: BulkOperation;
  counts: BulkCounts;
}

const READ_SCOPES: Readonly<Record<BulkOperationType, string>> = {
  'bookings.message': 'bookings:read',
  'bookings.cancel': 'bookings:read',
  'bookings.move': 'bookings:read',
  'invoices.issue': 'finance:receivables',
  'departures.update': 'operations:read',
  'departures.cancel': 'operations:read',
  'customers.tag': 'customers:read',
  'documents.create': 'documents:read',
};

/** Omits the parameters for callers that may not read the records. */
export function toBulkOperation({ operation, counts }: BulkOperationView): BulkOperationResponse {
  const params = hasScope(READ_SCOPES[operation.type]) ? operation.params : null;
  return respond(BulkOperationResponse, operation, { ...counts, params });
}

export function toBulkOperationItem(item: BulkOperationItem): BulkOperationItemResponse {
  return respond(BulkOperationItemResponse, item);
}
