import { Texts } from '../../../platform/http/fields.js';
import { patternOf } from '../../../platform/validation/word-pattern.js';
import { DispatchChoices } from '../../notifications/index.js';

const DOCUMENT_KINDS = ['vouchers', 'invoices'] as const;
export type DispatchedKind = (typeof DOCUMENT_KINDS)[number];

/** The mail with which an invoice is sent. */
export class DispatchInvoice extends DispatchChoices {}

/** The mail with which documents of a booking are sent. */
export class DispatchBookingDocuments extends DispatchChoices {
  /**
   * Documents to send, as far as the booking has them: `vouchers` (the valid ones) and `invoices` (issued and not void).
   * @example ["invoices"]
   */
  @Texts({
    ...{ min: 1, max: 2, maxLength: 20, unique: true, pattern: patternOf(DOCUMENT_KINDS) },
    otherwise: `must be one of ${DOCUMENT_KINDS.join(', ')}`,
  })
  kinds: DispatchedKind[];
}
