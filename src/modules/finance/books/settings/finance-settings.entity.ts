import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal } from '../../../../platform/database/table-declarations.js';
import { Audited } from '../../../../platform/database/audited.js';
import { safeInteger } from '../../../../platform/database/columns.js';
import { named } from '../../../../platform/http/named-values.js';

export const CANCELLATION_FEE_TAXES = named('CancellationFeeTax', ['outside_scope', 'as_supply']);
export type CancellationFeeTax = (typeof CANCELLATION_FEE_TAXES)[number];

/** Accounting settings. */
export interface FinanceSettingValues {
  baseCurrency: string;
  issueDateBackDays: number;
  paidOnBackDays: number;
  cancellationFeeTax: CancellationFeeTax;
  refundDays: number;
  toleranceCents: number;
  taxCodesRequired: boolean;
}

/** The only row of its table, which the migration inserts. */
@Entity('finance_settings')
export class FinanceSettings extends Audited implements FinanceSettingValues {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'base_currency' }) baseCurrency: string;
  @Column('integer', { name: 'issue_date_back_days' }) issueDateBackDays: number;
  @Column('integer', { name: 'paid_on_back_days' }) paidOnBackDays: number;
  @Impersonal()
  @Column('text', { name: 'cancellation_fee_tax' })
  cancellationFeeTax: CancellationFeeTax;
  @Column('integer', { name: 'refund_days' }) refundDays: number;
  @Column('bigint', { name: 'tolerance_cents', transformer: safeInteger }) toleranceCents: number;
  @Column('boolean', { name: 'tax_codes_required' }) taxCodesRequired: boolean;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  replace(values: FinanceSettingValues, now: Date): void {
    Object.assign(this, values, { updatedAt: now });
  }
}
