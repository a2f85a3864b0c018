import { named } from '../../../platform/http/named-values.js';

/** When the vouchers of a product are issued by themselves: ADR 55. */
export const VOUCHER_RULES = named('VoucherRule', ['on_confirmation', 'when_paid', 'never']);
export type VoucherRule = (typeof VOUCHER_RULES)[number];
