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
  /** One unit of `from` is worth this many units of `to`; with the decimals that were published. */
  @Column('numeric') rate: string;
  @Column('text') source: RateSource;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;

  /** The copy that a document keeps. */
  applied(): AppliedRate {
    const { from, to, day, rate, source } = this;
    return { from, to, day, rate, source };
  }
}
