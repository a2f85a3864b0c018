import { PageQuery } from '../../../platform/http/dto.js';
import { ListOf, OneOf, Optional, Text } from '../../../platform/http/fields.js';
import { FreeObject, Worded } from '../../../platform/http/trade-fields.js';
import { STATUSES } from '../fields/check-fields.js';
import { type Vertical, VERTICALS } from '../fields/registry.js';
import { canonicalLocale } from '../slices/markets.js';
import { DOCUMENT_ID } from './document-path.js';

const LOCALE_RULE = { max: 35, message: '$property must be a language tag of BCP 47, such as en-GB' };
const isLocale = (tag: string) => canonicalLocale(tag) !== null;
const FIELDS_RULE = { maxBytes: 65_536, maxDepth: 3 };

/** Which variant of a document is meant. */
export class Variant {
  /** Language of the texts; the market's own unless given.
   * @example "en-GB" */
  @Optional()
  @Worded('isLocale', isLocale, LOCALE_RULE)
  locale?: string;

  /** The default market unless given.
   * @example "default" */
  @Optional()
  @Text({ max: 64 })
  market?: string;
}

export class PutDocument extends Variant {
  /** Everything that the document has; what is not sent is gone. Names that are not listed are kept for staff alone.
   * @example {"name": "Crete beach week", "shortDescription": "Seven days of sea and sun", "countries": ["Greece"], "regions": ["Crete"], "tags": ["beach", "family"], "priceFromAmountCents": 79900, "priceFromCurrency": "EUR", "hasPricing": true} */
  @FreeObject(FIELDS_RULE)
  fields: Record<string, unknown>;
}

export class BatchDocument extends Variant {
  /** @example "products" */
  @OneOf(VERTICALS)
  vertical: Vertical;

  /** @example "prod_demo_batch" */
  @Text({ max: 128, pattern: DOCUMENT_ID, verbatim: true })
  id: string;

  /** Everything that the document has.
   * @example {"name": "Lake Garda cycling days", "countries": ["Italy"], "tags": ["cycling", "lakes"]} */
  @FreeObject(FIELDS_RULE)
  fields: Record<string, unknown>;
}

export class PutDocuments {
  /** All of them or none: each is checked before any is stored. */
  @ListOf(() => BatchDocument, { min: 1, max: 500 })
  documents: BatchDocument[];
}

export class ListDocuments extends PageQuery {
  @Optional()
  @OneOf(VERTICALS)
  vertical?: Vertical;

  @Optional()
  @Worded('isLocale', isLocale, LOCALE_RULE)
  locale?: string;

  @Optional()
  @Text({ max: 64 })
  market?: string;

  @Optional()
  @OneOf(STATUSES)
  status?: string;

  /** Part of the id or the name, whatever its case. */
  @Optional()
  @Text({ max: 200 })
  search?: string;
}
