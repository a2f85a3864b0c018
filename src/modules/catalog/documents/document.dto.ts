import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Flag, ListOf, OneOf, Optional, Text, Texts, Whole } from '../../../platform/http/fields.js';
import { FreeObject, Instant } from '../../../platform/http/trade-fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { LocaleTag } from '../slices/locale.js';
import { type Vertical, VERTICALS } from '../slices/verticals.js';
import { STATUSES } from './document-fields.js';
import { DOCUMENT_ID } from './document-path.js';
import type { StoredDocument } from './documents.repository.js';

const FIELDS_RULE = { maxBytes: 65_536, maxDepth: 3 };

/** The language and market of a document. Each combination is a separate document. */
export class Variant {
  /**
   * BCP 47 language tag of the texts; the language of the market by default.
   * @example "en-GB"
   */
  @Optional()
  @LocaleTag()
  locale?: string;

  /**
   * Code of a configured market; the default market by default.
   * @example "default"
   */
  @Optional()
  @Text({ max: 64 })
  market?: string;
}

/** The full content of a document. */
export class PutDocument extends Variant {
  /**
   * All fields of the document; fields that are not sent are removed, unless a product owns them. Unknown names are stored but
   * never returned by the public search.
   * @example {"name": "Crete beach week", "shortDescription": "Seven days of sea and sun", "countries": ["Greece"], "regions": ["Crete"], "tags": ["beach", "family"], "priceFromAmountCents": 79900, "priceFromCurrency": "EUR", "hasPricing": true}
   */
  @FreeObject(FIELDS_RULE)
  fields: Record<string, unknown>;
}

/** One document of a batch with its full content. */
export class BatchDocument extends Variant {
  /**
   * Type of product that the document describes.
   * @example "products"
   */
  @OneOf(VERTICALS)
  vertical: Vertical;

  /**
   * ID chosen by the client, 1 to 128 letters, digits and `. _ : -`.
   * @example "prod_demo_batch"
   */
  @Text({ max: 128, pattern: DOCUMENT_ID, verbatim: true })
  id: string;

  /**
   * All fields of the document; fields that are not sent are removed, unless a product owns them.
   * @example {"name": "Lake Garda cycling days", "countries": ["Italy"], "tags": ["cycling", "lakes"]}
   */
  @FreeObject(FIELDS_RULE)
  fields: Record<string, unknown>;
}

/** A batch of documents that is stored completely or not at all. */
export class PutDocuments {
  /** 1 to 500 documents. All are validated before any is stored; duplicates are rejected. */
  @ListOf(() => BatchDocument, { min: 1, max: 500 })
  documents: BatchDocument[];
}

/** Filters and paging of the list of documents. */
export class ListDocuments extends PageQuery {
  /** Only documents of these verticals. */
  @Optional()
  @AnyOf(VERTICALS)
  vertical?: Vertical[];

  /** Only documents with this language tag, ignoring case. */
  @Optional()
  @LocaleTag()
  locale?: string;

  /** Only documents of this market, ignoring case. */
  @Optional()
  @Text({ max: 64 })
  market?: string;

  /** Only documents with one of these statuses. A document without status counts as `active`. */
  @Optional()
  @AnyOf(STATUSES)
  status?: string[];

  /** Only documents with this text in the ID or the name, ignoring case. */
  @Optional()
  @Text({ max: 200 })
  search?: string;

  /** Sort field, `vertical` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['vertical', 'id'])
  sort?: string;
}

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

  /** All fields as stored, including fields that the public search never returns. */
  fields: Record<string, unknown>;

  /**
   * Names of the fields that the product of this ID owns; empty for an ID without a product. A PUT that changes one of them is
   * rejected.
   */
  @Texts({ max: 20, maxLength: 50 })
  productFields: string[];

  /** Increases with every replacement. It is also the ETag; If-Match is compared with it. */
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

/** Counts of the documents in a batch. */
export class BatchResult {
  /** The number of documents that did not exist before. */
  @Whole({ min: 0, max: 500 })
  created: number;

  /** The number of documents that existed before. */
  @Whole({ min: 0, max: 500 })
  replaced: number;
}

export function toDocument(document: StoredDocument): DocumentResponse {
  return respond(DocumentResponse, document, { productFields: [...document.productFields] });
}

export class DocumentEnvelope extends dataOf(DocumentResponse) {}
export class DocumentPage extends pageOf(DocumentResponse) {}
export class BatchEnvelope extends dataOf(BatchResult) {}
