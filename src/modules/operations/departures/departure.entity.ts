import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal } from '../../../platform/database/table-declarations.js';
import { imageOf } from '../../../platform/database/audited.js';
import { Derived } from '../../../platform/database/unaudited.js';
import { safeInteger } from '../../../platform/database/columns.js';
import { type AppError, conflict, invalidField } from '../../../platform/errors/app-error.js';
import type { Cutoff, DepartureUnitPrice } from '../../products/index.js';
import { cutoffInstant, latestNoticeInstant } from './departure-deadlines.js';
import type { CallOffReason, RunState, SalesState } from './sales-state.js';

export const DEPARTURE_STATUSES = named('DepartureStatus', ['scheduled', 'called_off', 'cancelled']);
export type DepartureStatus = (typeof DEPARTURE_STATUSES)[number];

/** A place at which people of the departure are picked up. */
export interface DeparturePickup {
  facilityId: string;
  /** Minutes from the pickup to the start. */
  minutesBefore: number;
}

export interface DepartureChanges {
  startsAt?: Date;
  endsAt?: Date;
  timeZone?: string;
  capacity?: number;
  priceCents?: number;
  unitPrices?: DepartureUnitPrice[];
  optionId?: string | null;
  taxIncludedCents?: number;
  taxCodeId?: string | null;
  currency?: string;
  facilityId?: string | null;
  pickups?: DeparturePickup[];
  cutoff?: Cutoff | null;
  minParticipants?: number | null;
  decideBy?: Date | null;
  euPackage?: boolean;
}

/**
 * One dated run of a product. Only guarded statements change `sold`, `held` and `guaranteedOpen`. The version counts the
 * changes by staff, so that a departure that sells fast can still be edited.
 */
@Entity('departures')
export class Departure {
  @PrimaryColumn('text') id: string;
  /** Document id in the catalog. It never changes, because allotments of the product have slots on the departure. */
  @Column('text', { name: 'product_id' }) productId: string;
  /** The only option that is sold on it; null for all options of the product. */
  @Column('text', { name: 'option_id', nullable: true }) optionId: string | null;
  @Column('timestamptz', { name: 'starts_at' }) startsAt: Date;
  @Column('timestamptz', { name: 'ends_at' }) endsAt: Date;
  @Column('text', { name: 'time_zone' }) timeZone: string;
  /** In units, such as seats. */
  @Column('integer') capacity: number;
  /** Price of one unit. */
  @Column('bigint', { name: 'price_cents', transformer: safeInteger }) priceCents: number;
  /** Prices of units of the product, which precede price lists. */
  @Impersonal()
  @Column('jsonb', { name: 'unit_prices' })
  unitPrices: DepartureUnitPrice[];
  @Column('bigint', { name: 'tax_included_cents', transformer: safeInteger }) taxIncludedCents: number;
  /** Tax code of items sold without another tax code. */
  @Column('text', { name: 'tax_code_id', nullable: true }) taxCodeId: string | null;
  @Column('text') currency: string;
  /** Meeting point. */
  @Column('text', { name: 'facility_id', nullable: true }) facilityId: string | null;
  /** A pickup moves with the start. */
  @Impersonal()
  @Column('jsonb')
  pickups: DeparturePickup[];
  @Column('text') status: DepartureStatus;
  @Column('integer') sold: number;
  /** Units of reserved trips, and of offers to waiting customers. */
  @Column('integer') held: number;
  /** Units guaranteed to channels and not sold yet. */
  @Column('integer', { name: 'guaranteed_open' }) guaranteedOpen: number;
  @Column('timestamptz', { name: 'cancelled_at', nullable: true }) cancelledAt: Date | null;
  /** Why the departure was called off; null if it was not. */
  @Column('text', { name: 'reason_code', nullable: true }) reasonCode: CallOffReason | null;
  @Impersonal()
  @Column('text', { name: 'cancel_reason', nullable: true })
  cancelReason: string | null;
  @Impersonal()
  @Column('jsonb', { nullable: true })
  cutoff: Cutoff | null;
  /** The end of sales by `cutoff`. */
  @Derived('`cutoff` and `startsAt`')
  @Column('timestamptz', { name: 'cutoff_at', nullable: true })
  cutoffAt: Date | null;
  /** When staff closed the sales; null while they are open. */
  @Column('timestamptz', { name: 'sales_closed_at', nullable: true }) salesClosedAt: Date | null;
  /** People of confirmed bookings without whom the departure does not run. */
  @Column('integer', { name: 'min_participants', nullable: true }) minParticipants: number | null;
  /** Decision date if it has fewer units. */
  @Column('timestamptz', { name: 'decide_by', nullable: true }) decideBy: Date | null;
  /** When the minimum was reached, or staff guaranteed the departure. It stays guaranteed with fewer units. */
  @Column('timestamptz', { name: 'guaranteed_at', nullable: true }) guaranteedAt: Date | null;
  /** When a job found fewer units than the minimum after `decideBy`. */
  @Column('timestamptz', { name: 'minimum_not_reached_at', nullable: true }) minimumNotReachedAt: Date | null;
  /** A package in the sense of Directive (EU) 2015/2302. */
  @Column('boolean', { name: 'eu_package' }) euPackage: boolean;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: DepartureChanges, now: Date): void {
    this.assertScheduled();
    const { sold, held, guaranteedOpen, startsAt, minParticipants, decideBy } = this;
    const available = this.availableUnits();
    Object.assign(this, changes, { updatedAt: now });
    this.cutoffAt = cutoffInstant(this.cutoff, this);
    this.assertConsistent();
    if (startsAt > now && this.startsAt <= now && sold + held > 0) {
      throw conflict('departure_in_past', 'A departure with sales cannot be moved into the past', { sold, held });
    }
    const isDecidedAnew = this.minParticipants !== minParticipants || this.decideBy?.getTime() !== decideBy?.getTime();
    if (isDecidedAnew) this.minimumNotReachedAt = null;
    if (this.availableUnits() >= 0) return;
    const details = { available, sold, held, guaranteedOpen };
    throw conflict('capacity_exceeded', 'capacity must not be below sold, held and guaranteed units', details);
  }

  /** Only staff open the sales again. */
  closeSales(now: Date): void {
    this.assertScheduled();
    if (this.salesClosedAt !== null) throw invalidSales('closed', 'open');
    Object.assign(this, { salesClosedAt: now, updatedAt: now });
  }

  openSales(now: Date): void {
    this.assertScheduled();
    if (this.salesClosedAt === null) throw invalidSales('open', 'closed');
    Object.assign(this, { salesClosedAt: null, updatedAt: now });
  }

  /** The departure runs regardless of the units sold. */
  guarantee(now: Date): void {
    this.assertScheduled();
    if (this.runState() === 'guaranteed') {
      const details = { from: 'guaranteed', to: 'guaranteed', allowed: [] };
      throw conflict('invalid_transition', 'The departure is already guaranteed', details);
    }
    Object.assign(this, { guaranteedAt: now, minimumNotReachedAt: null, updatedAt: now });
  }

  cancel(now: Date): void {
    const { status: from, sold, held } = this;
    if (from === 'cancelled') {
      throw conflict('invalid_transition', 'The departure is already cancelled', {
        from,
        to: 'cancelled',
        allowed: [],
      });
    }
    this.assertNotCalledOff();
    if (sold + held > 0) {
      throw conflict('departure_in_use', 'Units of the departure are sold or held', { sold, held });
    }
    Object.assign(this, { status: 'cancelled', cancelledAt: now, updatedAt: now });
  }

  /** Ends the sales for good. Its sales stay until they are moved or cancelled; then `endCallOff` cancels it. */
  callOff({ reasonCode, reason }: { reasonCode: CallOffReason; reason: string }, now: Date): void {
    if (this.status === 'cancelled') throw departureCancelled(this.id);
    if (this.endsAt <= now) {
      throw conflict('departure_departed', 'The departure has ended', { departureIds: [this.id] });
    }
    Object.assign(this, { status: 'called_off', reasonCode, cancelReason: reason, updatedAt: now });
  }

  /** Cancels a departure that was called off and has no sales any more. */
  endCallOff(now: Date): void {
    Object.assign(this, { status: 'cancelled', cancelledAt: now, updatedAt: now });
  }

  /** The departure is on sale again, as before it was called off. */
  withdrawCallOff(now: Date): void {
    if (this.status !== 'called_off') {
      const details = { from: this.status, to: 'scheduled', allowed: [] };
      throw conflict('invalid_transition', 'The departure is not called off', details);
    }
    Object.assign(this, { status: 'scheduled', reasonCode: null, cancelReason: null, updatedAt: now });
  }

  /** Reverses a cancellation, before which no units were sold or held. */
  reinstate(now: Date): void {
    if (this.status !== 'cancelled') {
      const details = { from: this.status, to: 'scheduled', allowed: [] };
      throw conflict('invalid_transition', 'The departure is not cancelled', details);
    }
    if (this.startsAt <= now) {
      throw conflict('departure_in_past', 'A departure cannot be reinstated after its start', {
        startsAt: this.startsAt.toISOString(),
      });
    }
    const uncancelled = { cancelledAt: null, reasonCode: null, cancelReason: null };
    Object.assign(this, { status: 'scheduled', ...uncancelled, updatedAt: now });
  }

  assertConsistent(): void {
    if (this.endsAt <= this.startsAt) {
      throw invalidField('endsAt', 'endsAt must be after startsAt', 'end_before_start');
    }
    if (this.taxIncludedCents > this.priceCents) {
      throw invalidField('taxIncludedCents', 'taxIncludedCents must not exceed priceCents', 'tax_exceeds_price');
    }
    assertPricedOnce(this.unitPrices);
    const places = this.pickups.map(({ facilityId }) => facilityId);
    const twice = places.findIndex((id, index) => places.indexOf(id) < index);
    if (twice >= 0) {
      throw invalidField(`pickups.${twice}.facilityId`, 'A facility has one pickup', 'duplicate');
    }
    if (this.decideBy === null) return;
    if (this.minParticipants === null) {
      throw invalidField('decideBy', 'decideBy requires minParticipants', 'minimum_missing');
    }
    if (this.decideBy > this.startsAt) {
      throw invalidField('decideBy', 'decideBy must not be after startsAt', 'decide_by_after_start');
    }
  }

  /** Units that can still be sold or held from the pool. */
  availableUnits(): number {
    return this.capacity - this.sold - this.held - this.guaranteedOpen;
  }

  /** Without a minimum the departure always runs. */
  runState(): RunState {
    return this.guaranteedAt === null && this.minParticipants !== null ? 'tentative' : 'guaranteed';
  }

  /** Staff must decide whether the departure runs with too few units. */
  needsDecision(): boolean {
    return this.status === 'scheduled' && this.minimumNotReachedAt !== null;
  }

  /** Deadline to cancel a package because too few have booked; null if the departure is not a package. */
  latestNoticeAt(): Date | null {
    return this.euPackage ? latestNoticeInstant(this) : null;
  }

  auditImage(): object {
    return { ...imageOf(this), runState: this.runState() };
  }

  private assertScheduled(): void {
    this.assertNotCalledOff();
    if (this.status === 'cancelled') throw departureCancelled(this.id);
  }

  private assertNotCalledOff(): void {
    if (this.status !== 'called_off') return;
    throw conflict('departure_called_off', 'The departure is called off', { departureIds: [this.id] });
  }
}

function departureCancelled(id: string): AppError {
  return conflict('departure_cancelled', 'A cancelled departure cannot be changed', { departureIds: [id] });
}

function invalidSales(state: 'open' | 'closed', allowed: 'open' | 'closed'): AppError {
  const details = { from: state, to: state, allowed: [allowed] };
  return conflict('invalid_transition', `The sales of the departure are already ${state}`, details);
}

/** A unit has at most one price for each option, and one for all of them. */
export function assertPricedOnce(unitPrices: readonly DepartureUnitPrice[]): void {
  const keys = unitPrices.map(({ unitId, optionId }) => `${unitId} ${optionId ?? ''}`);
  const again = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (again < 0) return;
  throw invalidField(`unitPrices.${again}.unitId`, 'A unit has one price for each option', 'duplicate');
}

/** A departure with values computed by the database: its local start day, and its state at the time of reading. */
export type DepartureView = Departure & { startDate: string; salesState: SalesState };
