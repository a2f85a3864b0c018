import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { Impersonal } from '../../../platform/database/table-declarations.js';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';

export const PRICE_LIST_STATUSES = named('PriceListStatus', ['draft', 'active', 'retired']);
export type PriceListStatus = (typeof PRICE_LIST_STATUSES)[number];

export interface PriceListChanges {
  name?: string;
  channelId?: string | null;
  soldFrom?: string | null;
  soldTo?: string | null;
  priority?: number;
}

/** Prices of units in one currency, for sales of all channels or of one. Locked for each change of its prices. */
@Entity('price_lists')
export class PriceList extends Audited {
  @PrimaryColumn('text') id: string;
  @Impersonal()
  @Column('text')
  name: string;
  /** It never changes, because the prices are amounts of it. */
  @Column('text') currency: string;
  /** Null means all channels. */
  @Column('text', { name: 'channel_id', nullable: true }) channelId: string | null;
  /** Days of sale, both inclusive. */
  @Column('date', { name: 'sold_from', nullable: true }) soldFrom: string | null;
  @Column('date', { name: 'sold_to', nullable: true }) soldTo: string | null;
  @Column('integer') priority: number;
  @Column('text') status: PriceListStatus;
  @Column('integer', { name: 'price_count' }) priceCount: number;
  @Column('timestamptz', { name: 'activated_at', nullable: true }) activatedAt: Date | null;
  @Column('timestamptz', { name: 'retired_at', nullable: true }) retiredAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: PriceListChanges, now: Date): void {
    this.assertNotRetired();
    Object.assign(this, changes, { updatedAt: now });
    this.assertConsistent();
  }

  replacePrices(count: number, now: Date): void {
    this.assertNotRetired();
    Object.assign(this, { priceCount: count, updatedAt: now });
  }

  activate(now: Date): void {
    this.assertNotRetired();
    if (this.status === 'active') {
      const details = { from: 'active', to: 'active', allowed: ['retired'] };
      throw conflict('invalid_transition', 'The price list is already active', details);
    }
    Object.assign(this, { status: 'active', activatedAt: now, updatedAt: now });
  }

  retire(now: Date): void {
    this.assertNotRetired();
    Object.assign(this, { status: 'retired', retiredAt: now, updatedAt: now });
  }

  /** Reverses the activation. */
  deactivate(now: Date): void {
    Object.assign(this, { status: 'draft', activatedAt: null, updatedAt: now });
  }

  /** Reverses the retirement: a list that was never active is a draft again. */
  restore(now: Date): void {
    const status = this.activatedAt === null ? 'draft' : 'active';
    Object.assign(this, { status, retiredAt: null, updatedAt: now });
  }

  assertConsistent(): void {
    if (this.soldFrom === null || this.soldTo === null || this.soldTo >= this.soldFrom) return;
    throw invalidField('soldTo', 'soldTo must not be before soldFrom', 'end_before_start');
  }

  private assertNotRetired(): void {
    if (this.status === 'retired') throw conflict('price_list_retired', 'The price list is retired');
  }
}
