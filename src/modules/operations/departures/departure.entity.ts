import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeInteger } from '../../../platform/database/columns.js';
import type { Columns } from '../../../platform/database/rows.js';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';

export const DEPARTURE_STATUSES = named('DepartureStatus', ['scheduled', 'cancelled']);
export type DepartureStatus = (typeof DEPARTURE_STATUSES)[number];

export interface DepartureChanges {
  startsAt?: Date;
  endsAt?: Date;
  timeZone?: string;
  capacity?: number;
  priceCents?: number;
  taxIncludedCents?: number;
  currency?: string;
  facilityId?: string | null;
}

/**
 * One dated running of a product. `sold`, `held` and `guaranteedOpen` are moved by guarded statements alone; the version
 * counts what staff change, so that a busy departure can still be edited.
 */
@Entity('departures')
export class Departure {
  @PrimaryColumn('text') id: string;
  /** The catalog's. Never another one: allotments of the product have slots here. */
  @Column('text', { name: 'product_id' }) productId: string;
  @Column('timestamptz', { name: 'starts_at' }) startsAt: Date;
  @Column('timestamptz', { name: 'ends_at' }) endsAt: Date;
  @Column('text', { name: 'time_zone' }) timeZone: string;
  /** In units: seats, places. */
  @Column('integer') capacity: number;
  /** Of one unit. */
  @Column('bigint', { name: 'price_cents', transformer: safeInteger }) priceCents: number;
  @Column('bigint', { name: 'tax_included_cents', transformer: safeInteger }) taxIncludedCents: number;
  @Column('text') currency: string;
  /** Where one meets. */
  @Column('text', { name: 'facility_id', nullable: true }) facilityId: string | null;
  @Column('text') status: DepartureStatus;
  @Column('integer') sold: number;
  /** By trips that are reserved. */
  @Column('integer') held: number;
  /** Set aside for channels and not sold yet. */
  @Column('integer', { name: 'guaranteed_open' }) guaranteedOpen: number;
  @Column('timestamptz', { name: 'cancelled_at', nullable: true }) cancelledAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Throws 400 where the figures contradict each other, 409 `departure_cancelled`, `capacity_exceeded`. */
  change(changes: DepartureChanges, now: Date): void {
    if (this.status === 'cancelled') {
      throw conflict('departure_cancelled', 'A cancelled departure cannot be changed', { departureIds: [this.id] });
    }
    const { sold, held, guaranteedOpen } = this;
    const available = availableOf(this);
    Object.assign(this, changes, { updatedAt: now });
    this.assertSound();
    if (availableOf(this) >= 0) return;
    const details = { available, sold, held, guaranteedOpen };
    throw conflict('capacity_exceeded', 'capacity must not be below sold, held and guaranteed units', details);
  }

  /** Throws 409 `invalid_transition`, `departure_in_use`. */
  cancel(now: Date): void {
    const { status: from, sold, held } = this;
    if (from === 'cancelled') {
      throw conflict('invalid_transition', 'The departure is already cancelled', {
        from,
        to: 'cancelled',
        allowed: [],
      });
    }
    if (sold + held > 0) {
      throw conflict('departure_in_use', 'Units of the departure are sold or held', { sold, held });
    }
    Object.assign(this, { status: 'cancelled', cancelledAt: now, updatedAt: now });
  }

  /** Throws 400 where it would end before it starts, or where the price would include more tax than it is. */
  assertSound(): void {
    if (this.endsAt <= this.startsAt) {
      throw invalidField('endsAt', 'endsAt must be after startsAt', 'end_before_start');
    }
    if (this.taxIncludedCents > this.priceCents) {
      throw invalidField('taxIncludedCents', 'taxIncludedCents must not exceed priceCents', 'tax_exceeds_price');
    }
  }
}

/** A departure as it stands in the table: its columns and the local day on which it starts. */
export type DepartureView = Columns<Departure> & { startDate: string };

/** Units that anybody may still sell or hold. */
export function availableOf({ capacity, sold, held, guaranteedOpen }: Columns<Departure>): number {
  return capacity - sold - held - guaranteedOpen;
}
