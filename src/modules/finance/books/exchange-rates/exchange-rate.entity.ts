import { Column, Entity, PrimaryColumn } from 'typeorm';
import { APPEND, Rights } from '../../../../platform/database/table-declarations.js';
import { Audited } from '../../../../platform/database/audited.js';
import type { AppliedRate, RateSource } from './base-amounts.js';

/** A published exchange rate. It is never changed: documents copied it. */
@Rights(APPEND)
@Entity('exchange_rates')
export class ExchangeRate extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'from_currency' }) from: string;
  @Column('text', { name: 'to_currency' }) to: string;
  /** The first day on which it applies. */
  @Column('date') day: string;
  /** Value of one unit of `from` in units of `to`, with the published decimals. */
  @Column('numeric') rate: string;
  @Column('text') source: RateSource;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;

  /** Returns the copy that a document keeps. */
  applied(): AppliedRate {
    const { from, to, day, rate, source } = this;
    return { from, to, day, rate, source };
  }
}
