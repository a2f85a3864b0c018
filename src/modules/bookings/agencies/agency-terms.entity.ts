import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { safeInteger } from '../../../platform/database/columns.js';
import type { PaymentPolicy } from '../payment-policies/payment-policy.js';

/** The terms of an agency. */
export interface AgencyConditions {
  channelId: string | null;
  paymentPolicy: PaymentPolicy | null;
  creditLimitCents: number | null;
  creditCurrency: string | null;
}

export const NO_CONDITIONS: AgencyConditions = {
  channelId: null,
  paymentPolicy: null,
  creditLimitCents: null,
  creditCurrency: null,
};

/** The terms on which a company books for others. */
@Entity('agency_terms')
export class AgencyTerms extends Audited {
  /** The customer. */
  @PrimaryColumn('text') id: string;
  /** Default of its bookings. */
  @Column('text', { name: 'channel_id', nullable: true }) channelId: string | null;
  /** Default of its bookings. */
  @Column('jsonb', { name: 'payment_policy', nullable: true })
  paymentPolicy: PaymentPolicy | null;
  /** What it may owe for confirmed bookings; null if there is no limit. */
  @Column('bigint', { name: 'credit_limit_cents', nullable: true, transformer: safeInteger })
  creditLimitCents: number | null;
  @Column('text', { name: 'credit_currency', nullable: true }) creditCurrency: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  replace(conditions: AgencyConditions, now: Date): void {
    Object.assign(this, conditions, { updatedAt: now });
  }

  /** What the customer may owe in a currency; null without a limit. In another currency it has no credit. */
  limitIn(currency: string): number | null {
    if (this.creditLimitCents === null) return null;
    return this.creditCurrency === currency ? this.creditLimitCents : 0;
  }
}
