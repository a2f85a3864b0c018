import { PageQuery } from '../../../platform/http/dto.js';
import { ListOf, OneOf, Optional, Text } from '../../../platform/http/fields.js';
import { FreeObject, Worded } from '../../../platform/http/trade-fields.js';
import { STATUSES } from '../fields/check-fields.js';
import { type Vertical, VERTICALS } from '../fields/registry.js';
import { canonicalLocale } from '../slices/markets.js';
import { DOCUMENT_ID } from './document-path.js';

const LOCALE_RULE = { max: 35, message: '$property must be a BCP 47 language tag, such as en-GB' };
const isLocale = (tag: string) => canonicalLocale(tag) !== null;
const FIELDS_RULE = { maxBytes: 65_536, maxDepth: 3 };

/** The language and market of a document. Each combination is stored as a document of its own. */
export class Variant {
  /**
   * BCP 47 language tag of the texts; the language of the market by default.
   * @example "en-GB"
   */
  @Optional()
  @Worded('isLocale', isLocale, LOCALE_RULE)
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
   * All fields of the document; fields that are not sent are removed. Unknown names are stored but never returned by
   * the public search.
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
   * All fields of the document; fields that are not sent are removed.
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
  /** Only documents of this vertical. */
  @Optional()
  @OneOf(VERTICALS)
  vertical?: Vertical;

  /** Only documents with this language tag, ignoring case. */
  @Optional()
  @Worded('isLocale', isLocale, LOCALE_RULE)
  locale?: string;

  /** Only documents of this market, ignoring case. */
  @Optional()
  @Text({ max: 64 })
  market?: string;

  /** Only documents with this status. A document without status counts as `active`. */
  @Optional()
  @OneOf(STATUSES)
  status?: string;

  /** Only documents with this text in the ID or the name, ignoring case. */
  @Optional()
  @Text({ max: 200 })
  search?: string;
}
