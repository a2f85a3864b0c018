import { make } from '../../../platform/database/rows.js';
import { newId } from '../../../platform/ids/id.js';
import type { PaymentPlan } from './payment-plan.entity.js';
import { PaymentSchedule, type ScheduleBasis, type ScheduleType } from './payment-schedule.entity.js';
import { type ScheduleFacts, toScheduleFacts } from './schedule-facts.dto.js';

/** What a plan must know of its booking. */
export interface PlannedBooking {
  id: string;
  currency: string;
  totalCents: number | null;
}

export interface NewEntry {
  /** A new one unless given. */
  id?: string;
  type: ScheduleType;
  label: string;
  dueDate: string;
  amountCents: number;
  basis: ScheduleBasis;
  notes?: string | null;
}

export interface EntryChange {
  entry: PaymentSchedule;
  /** Null for an entry that was added. */
  before: ScheduleFacts | null;
}

/** A booking's plan in the hands of somebody who has locked the booking: its entries are changed here and saved together. */
export class LockedPlan {
  private readonly before: ReadonlyMap<string, ScheduleFacts>;
  /** What the plan was off by when it was locked; only a plan that came in from elsewhere is off at all. */
  readonly offByCents: number;

  constructor(
    readonly booking: PlannedBooking,
    readonly plan: PaymentPlan,
    readonly entries: PaymentSchedule[],
    private readonly invoiced: ReadonlySet<string> = new Set(),
  ) {
    this.before = new Map(entries.map((entry) => [entry.id, toScheduleFacts(entry)]));
    this.offByCents = plan.offByCents;
  }

  find(id: string): PaymentSchedule | null {
    return this.entries.find((entry) => entry.id === id) ?? null;
  }

  /** The entry as it was locked; null for an added one. */
  factsBefore({ id }: PaymentSchedule): ScheduleFacts | null {
    return this.before.get(id) ?? null;
  }

  /** Whether it is on a live invoice, so that its amount stands. */
  isInvoiced({ id }: PaymentSchedule): boolean {
    return this.invoiced.has(id);
  }

  /** Those whose amount may move, the latest first by due date and position. */
  movable(isMeant: (entry: PaymentSchedule) => boolean): PaymentSchedule[] {
    return this.entries.filter((entry) => !this.isInvoiced(entry) && isMeant(entry)).sort(latestFirst);
  }

  /** The open entries beside this one whose amount may move, the latest first. */
  openBeside(entry: PaymentSchedule | null): PaymentSchedule[] {
    return this.movable((other) => other.isOpen() && other !== entry);
  }

  /** What is collected, is to be collected, or was waived. */
  sumCents(): bigint {
    const counted = this.entries.filter(({ status, waived }) => status !== 'cancelled' || waived);
    return counted.reduce((sum, { amountCents }) => sum + BigInt(amountCents), 0n);
  }

  waivedCents(): number {
    return this.entries.filter(({ waived }) => waived).reduce((sum, { amountCents }) => sum + amountCents, 0);
  }

  add(
    { id = newId('psch'), type, label, dueDate, amountCents, basis, notes = null }: NewEntry,
    now: Date,
  ): PaymentSchedule {
    const { id: planId, bookingId, planVersion } = this.plan;
    const added = make(PaymentSchedule, {
      id,
      bookingId,
      planId,
      planVersion,
      currency: this.booking.currency,
      position: Math.max(0, ...this.entries.map(({ position }) => position)) + 1,
      type,
      label,
      basis,
      dueDate,
      amountCents,
      paidCents: 0,
      status: 'pending',
      waived: false,
      notes,
      version: 1,
      createdAt: now,
      updatedAt: now,
    });
    this.entries.push(added);
    return added;
  }

  /** The entries that differ from what was locked, and the added ones. */
  changes(): EntryChange[] {
    return this.entries.flatMap((entry) => {
      const before = this.factsBefore(entry);
      const isSame = before !== null && JSON.stringify(before) === JSON.stringify(toScheduleFacts(entry));
      return isSame ? [] : [{ entry, before }];
    });
  }
}

function latestFirst(a: PaymentSchedule, b: PaymentSchedule): number {
  if (a.dueDate === b.dueDate) return b.position - a.position;
  return a.dueDate < b.dueDate ? 1 : -1;
}
