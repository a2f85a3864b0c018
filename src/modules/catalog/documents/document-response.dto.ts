import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Flag, OneOf, Text, Whole } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { type Vertical, VERTICALS } from '../fields/registry.js';
import type { StoredDocument } from './stored-document.js';

/** A stored catalog document in one language and market, with all its fields. */
export class DocumentResponse {
  /** Type of product that the document describes. */
  @OneOf(VERTICALS)
  vertical: Vertical;

  /** ID chosen by the client, unique within vertical, locale and market. */
  @Text({ max: 128 })
  id: string;

  /** BCP 47 language tag of the texts. */
  @Text({ max: 35 })
  locale: string;

  /** Code of the market in which it is offered. */
  @Text({ max: 64 })
  market: string;

  /** All fields as stored, including those that the public search never returns. */
  fields: Record<string, unknown>;

  /** Increases with every replacement. It is also the ETag, and what If-Match is compared with. */
  @Whole({ min: 1, max: Number.MAX_SAFE_INTEGER })
  version: number;

  /** Whether the current text has a vector, so that semantic search finds it. */
  @Flag()
  embedded: boolean;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** Counts of what a batch did. */
export class BatchResult {
  /** The number of documents that did not exist before. */
  @Whole({ min: 0, max: 500 })
  created: number;

  /** The number of documents that existed before. */
  @Whole({ min: 0, max: 500 })
  replaced: number;
}

export function toDocument(document: StoredDocument): DocumentResponse {
  return {
    vertical: document.vertical,
    id: document.id,
    locale: document.locale,
    market: document.market,
    fields: document.fields,
    version: document.version,
    embedded: document.embedded,
    createdAt: document.createdAt.toISOString(),
    updatedAt: document.updatedAt.toISOString(),
  };
}

export class DocumentEnvelope extends dataOf(DocumentResponse) {}
export class DocumentPage extends pageOf(DocumentResponse) {}
export class BatchEnvelope extends dataOf(BatchResult) {}
