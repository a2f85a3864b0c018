import { Cents, Nested } from '../../../../platform/http/fields.js';
import { CurrencyCode } from '../../../../platform/http/trade-fields.js';
import type { BaseAmounts } from './base-amounts.js';
import { AppliedRateResponse } from './exchange-rate.dto.js';

/** Discounts can make these amounts negative. */
const LOWEST = -Number.MAX_SAFE_INTEGER;

/** The amounts of an invoice or a credit note in the base currency of the accounts. */
export class BaseAmountsResponse {
  /** Base currency of the accounts, ISO 4217; null until issued, and if there was no exchange rate to convert with. */
  @CurrencyCode()
  baseCurrency: string | null;

  /** Exchange rate of the base amounts; null until issued, and if `currency` is the base currency. */
  @Nested(() => AppliedRateResponse)
  exchangeRate: AppliedRateResponse | null;

  /**
   * `subtotalCents` in minor units of `baseCurrency`; null without a base currency, as are `baseTaxCents` and `baseTotalCents`.
   */
  @Cents({ min: LOWEST })
  baseSubtotalCents: number | null;

  /** `baseTotalCents` - `baseSubtotalCents`. */
  @Cents({ min: LOWEST })
  baseTaxCents: number | null;

  /** `totalCents` in minor units of `baseCurrency`, the sum of the amounts converted for each tax code and rate. */
  @Cents({ min: LOWEST })
  baseTotalCents: number | null;
}

export function toBaseAmounts(document: BaseAmounts): BaseAmountsResponse {
  const { baseCurrency, exchangeRate, baseSubtotalCents, baseTaxCents, baseTotalCents } = document;
  return { baseCurrency, exchangeRate, baseSubtotalCents, baseTaxCents, baseTotalCents };
}
