import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Id, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { QueryFlag } from '../../../platform/http/query-fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import {
  type InvoiceRendition,
  RENDITION_FORMATS,
  RENDITION_STATUSES,
  type RenditionFormat,
  type RenditionStatus,
} from './invoice-rendition.entity.js';
import { RENDITION_LANGUAGES, type RenditionLanguage } from './rendition-words.js';

export class RequestRendition {
  /** @example "pdf" */
  @OneOf(RENDITION_FORMATS)
  format: RenditionFormat;

  /** `en` unless given.
   * @example "en" */
  @Optional()
  @OneOf(RENDITION_LANGUAGES)
  language?: RenditionLanguage;
}

export class ListRenditions extends PageQuery {}

export class DownloadRendition {
  /** Whether one that a newer version replaced will do. */
  @Optional()
  @QueryFlag()
  allowStale?: boolean;
}

export class RenditionResponse {
  @Id('rend')
  id: string;

  @Id('inv')
  invoiceId: string;

  @OneOf(RENDITION_FORMATS)
  format: RenditionFormat;

  @OneOf(RENDITION_LANGUAGES)
  language: RenditionLanguage;

  /** Counts the renditions of one format and language. */
  @Whole({ min: 1, max: 2_147_483_647 })
  version: number;

  /** `stale` once a newer version of the same format and language is ready. */
  @OneOf(RENDITION_STATUSES)
  status: RenditionStatus;

  /** Of the file, in hex; null until it is ready. */
  @Text({ max: 64 })
  sha256: string | null;

  /** Of the file, in bytes. */
  @Whole({ min: 1, max: Number.MAX_SAFE_INTEGER })
  sizeBytes: number | null;

  @Instant()
  createdAt: string;

  @Instant()
  readyAt: string | null;
}

export function toRendition(rendition: InvoiceRendition): RenditionResponse {
  return {
    id: rendition.id,
    invoiceId: rendition.invoiceId,
    format: rendition.format,
    language: rendition.language,
    version: rendition.version,
    status: rendition.status,
    sha256: rendition.sha256,
    sizeBytes: rendition.sizeBytes,
    createdAt: rendition.createdAt.toISOString(),
    readyAt: rendition.readyAt?.toISOString() ?? null,
  };
}

export class RenditionEnvelope extends dataOf(RenditionResponse) {}
export class RenditionPage extends pageOf(RenditionResponse) {}
