import { dataOf, pageOf, PageQuery } from '../../../platform/http/dto.js';
import { Flag, Id, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { named } from '../../../platform/http/named-values.js';
import { QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { DOCUMENT_LANGUAGES, type DocumentLanguage } from '../../organization/index.js';
import {
  type InvoiceRendition,
  RENDITION_FORMATS,
  RENDITION_STATUSES,
  type RenditionFormat,
  type RenditionStatus,
} from './invoice-rendition.entity.js';
import type { RenditionLink } from './renditions.service.js';

const LINK_DISPOSITIONS = named('FileLinkDisposition', ['attachment', 'inline']);
export type LinkDisposition = (typeof LINK_DISPOSITIONS)[number];

/** Format and language of a rendition. */
export class RequestRendition {
  /**
   * File format to render.
   * @example "pdf"
   */
  @OneOf(RENDITION_FORMATS)
  format: RenditionFormat;

  /**
   * Language of labels, dates and amounts; by default the language of the organization's profile.
   * @example "en"
   */
  @Optional()
  @OneOf(DOCUMENT_LANGUAGES)
  language?: DocumentLanguage;
}

export class ListRenditions extends PageQuery {
  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt'])
  sort?: string;
}

export class DownloadRendition {
  /** Whether to accept a rendition that a newer version has replaced; false by default. */
  @Optional()
  @QueryFlag()
  allowStale?: boolean;
}

/** The intended use of a file. */
export class CreateRenditionLink {
  /**
   * `attachment` (default): the browser saves the file; `inline`: it displays a PDF.
   * @example "inline"
   */
  @Optional()
  @OneOf(LINK_DISPOSITIONS)
  disposition?: LinkDisposition;

  /** Whether to accept a rendition that a newer version has replaced; false by default. */
  @Optional()
  @Flag()
  allowStale?: boolean;
}

/** A signed link to a file. */
export class RenditionLinkResponse {
  /** Path of the file on this host; no credential is needed. */
  @Text({ max: 1000 })
  url: string;

  /** Time at which the link expires, five minutes after it was created (RFC 3339, UTC). */
  @Instant()
  expiresAt: string;

  /** Name under which the file is saved: the number of the document with its format. */
  @Text({ max: 200 })
  fileName: string;

  /** `inline` only for a PDF that was requested as `inline`. */
  @OneOf(LINK_DISPOSITIONS)
  disposition: LinkDisposition;
}

export function toRenditionLink({ url, expiresAt, fileName, disposition }: RenditionLink): RenditionLinkResponse {
  return { url, expiresAt: expiresAt.toISOString(), fileName, disposition };
}

/** A rendered file of an issued invoice, or the request for one. */
export class RenditionResponse {
  @Id('rend')
  id: string;

  @Id('inv')
  invoiceId: string;

  /** File format, HTML or PDF. */
  @OneOf(RENDITION_FORMATS)
  format: RenditionFormat;

  /** Language of labels, dates and amounts. */
  @OneOf(DOCUMENT_LANGUAGES)
  language: DocumentLanguage;

  /** Counts the renditions of the invoice in one format and language, starting at 1. */
  @Whole({ min: 1, max: 2_147_483_647 })
  version: number;

  /** `pending` while rendering, `stale` once a newer version of the same format and language is ready. */
  @OneOf(RENDITION_STATUSES)
  status: RenditionStatus;

  /** SHA-256 of the file, hexadecimal; null until it is ready. */
  @Text({ max: 64 })
  sha256: string | null;

  /** Size of the file in bytes; null until it is ready. */
  @Whole({ min: 1, max: Number.MAX_SAFE_INTEGER })
  sizeBytes: number | null;

  @Instant()
  createdAt: string;

  /** When rendering finished; null until then. */
  @Instant()
  readyAt: string | null;
}

export function toRendition(rendition: InvoiceRendition): RenditionResponse {
  return respond(RenditionResponse, rendition);
}

export class RenditionEnvelope extends dataOf(RenditionResponse) {}
export class RenditionLinkEnvelope extends dataOf(RenditionLinkResponse) {}
export class RenditionPage extends pageOf(RenditionResponse) {}
