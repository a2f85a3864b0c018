export { type Debt, type RequestedShare, overAllocated } from './payments/debt.js';
export { BaseAmountsResponse, toBaseAmounts } from './exchange-rates/base-amounts.dto.js';
export {
  type AppliedRate,
  type BaseAmounts,
  NOT_CONVERTED,
  baseCents,
  converted,
} from './exchange-rates/base-amounts.js';
export { AppliedRateResponse } from './exchange-rates/exchange-rate.dto.js';
export { ExchangeRatesService, type PostingTerms, rateMissing } from './exchange-rates/exchange-rates.service.js';
export { NEXT_NUMBER, type NumberSource, nextNumberValues } from './number-series/next-number.sql.js';
export { PERIOD_KEY, SequenceEntry } from './number-series/number-series.dto.js';
export { DOCUMENT_TYPES, type DocumentType, type NumberSeries } from './number-series/number-series.entity.js';
export { NumberSeriesService, numberSourceOf } from './number-series/number-series.service.js';
export { sequenceEntries } from './number-series/sequence.sql.js';
export {
  MAX_LIVE_ALLOCATIONS,
  PaymentAllocation,
  type Share,
  sumOfShares,
} from './payments/payment-allocation.entity.js';
export { PaymentDaysService } from './payments/payment-days.service.js';
export {
  DIRECTIONS,
  type Direction,
  METHODS,
  type Method,
  PAYMENT_KINDS,
  PAYMENT_STATUSES,
  Payment,
  type PaymentKind,
  type PaymentStatus,
  REVERSAL_KINDS,
  type Reversal,
  type ReversalKind,
  SOURCES,
  type Source,
} from './payments/payment.entity.js';
export { AccountingPeriod, PERIOD_STATUSES, type PeriodStatus } from './periods/accounting-period.entity.js';
export { assertPostedOn, PeriodsService } from './periods/periods.service.js';
export { FinanceSettingsService } from './settings/finance-settings.service.js';
export { BILLED, BilledTaxesService } from './tax-allocation/billed-taxes.service.js';
export {
  creditDueByRate,
  isCreditableAt,
  partAtRates,
  type RateCredit,
  rateExcesses,
  restsByRate,
  wronglyBilledRates,
} from './tax-allocation/rests-by-rate.js';
export {
  GIVEN,
  type GroupCredit,
  type RatedGroup,
  type TaxGroup,
  type TaxedItem,
  allocateTax,
  byCode,
  creditDueByGroup,
  feeByGroup,
  includedTax,
  keyOf,
  owedByGroup,
  restByGroup,
  shareOf,
  split,
  spread,
  sumByGroup,
  wronglyBilled,
} from './tax-allocation/tax-groups.js';
export { type TaxSummaryLine, taxGroupOf, taxSummaryOf } from './tax-allocation/tax-summary.js';
export { waivedTax } from './tax-allocation/waived-tax.sql.js';
export { asParameter, wrongGroups } from './tax-allocation/wrong-groups.sql.js';
