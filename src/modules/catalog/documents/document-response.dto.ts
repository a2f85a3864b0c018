import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Flag, OneOf, Text, Whole } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { type Vertical, VERTICALS } from '../fields/registry.js';
import type { StoredDocument } from './stored-document.js';

export class DocumentResponse {
  @OneOf(VERTICALS)
  vertical: Vertical;

  @Text({ max: 128 })
  id: string;

  @Text({ max: 35 })
  locale: string;

  @Text({ max: 64 })
  market: string;

  /** All of them, also those that customers never see. */
  fields: Record<string, unknown>;

  @Whole({ min: 1, max: Number.MAX_SAFE_INTEGER })
  version: number;

  /** Whether it can be found by meaning yet. */
  @Flag()
  embedded: boolean;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** What a batch did. */
export class BatchResult {
  @Whole({ min: 0, max: 500 })
  created: number;

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

export class RemovedResponse {
  @Flag()
  success: true;
}

export class DocumentEnvelope extends dataOf(DocumentResponse) {}
export class DocumentPage extends pageOf(DocumentResponse) {}
export class BatchEnvelope extends dataOf(BatchResult) {}
