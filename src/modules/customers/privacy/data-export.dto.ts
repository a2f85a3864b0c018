import { dataOf } from '../../../platform/http/dto.js';
import { Id, OneOf, Version, Whole } from '../../../platform/http/fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { type DataExport, EXPORT_STATUSES, type ExportStatus } from './data-export.entity.js';

const MAX_BYTES = 2_147_483_647;

/** A file with everything about a customer. */
export class DataExportResponse {
  @Id('cexp')
  id: string;

  /** Customer whose data it contains (prefix `cus`). */
  @Id('cus')
  customerId: string;

  /** Whether the file can be downloaded; it is deleted after seven days, or when the customer is erased. */
  @OneOf(EXPORT_STATUSES)
  status: ExportStatus;

  /** Size of the file in bytes; null until it is ready. */
  @Whole({ min: 0, max: MAX_BYTES })
  sizeBytes: number | null;

  /** When the file was ready; null before. */
  @Instant()
  readyAt: string | null;

  /** When the file is deleted; null until it is ready. */
  @Instant()
  expiresAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toDataExport(row: DataExport): DataExportResponse {
  return respond(DataExportResponse, row, {});
}

export class DataExportEnvelope extends dataOf(DataExportResponse) {}
