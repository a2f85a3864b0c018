import { Clearable, OneOf, Optional, Text } from '../../../../platform/http/fields.js';
import { IsoDate } from '../../../../platform/http/trade-fields.js';
import { type Method, METHODS } from '../../books/index.js';

/** Day, method and reference of a payout. */
export class PayCommission {
  /**
   * Day on which the commission was paid out; not after today.
   * @example "2026-09-30"
   */
  @IsoDate()
  paidOn: string;

  /** Method of the payout; `bank_transfer` by default. */
  @Optional()
  @OneOf(METHODS)
  method?: Method;

  /**
   * Reference on the bank statement; null if there is none.
   * @example "SEPA 2026-09-30/17"
   */
  @Clearable()
  @Text({ max: 255 })
  reference?: string | null;
}
