import { make } from '../../../../platform/database/rows.js';
import { newId } from '../../../../platform/ids/id.js';
import type { PaymentPlan } from './payment-plan.entity.js';
import {
  type InstallmentImage,
  PaymentSchedule,
  type ScheduleBasis,
  type ScheduleType,
} from './payment-schedule.entity.js';

/** The properties of its booking that a plan needs. */
export interface PlannedBooking {
  id: string;
  currency: string;
  totalCents: number | null;
}

export interface NewInstallment {
  /** A new one by default. */
  id?: string;
  type: ScheduleType;
  label: string;
  dueDate: string;
  amountCents: number;
  basis: ScheduleBasis;
  /** The offset of a policy step that counts from the departure. */
  offsetDays?: number | null;
  notes?: string | null;
}

export interface InstallmentChange {
  installment: PaymentSchedule;
  /** Null if it was added. */
  before: InstallmentImage | null;
}

/** A booking's plan while the booking is locked. Its installments are changed here and saved together. */
export class LockedPlan {
  private stored: ReadonlyMap<string, InstallmentImage>;
  /** The stored deviation from the booking's total; other than 0 only in an imported plan. */
  private storedOffByCents: number;

  constructor(
    readonly booking: PlannedBooking,
    readonly plan: PaymentPlan,
    readonly installments: PaymentSchedule[],
    private readonly invoiced: ReadonlySet<string> = new Set(),
  ) {
    this.stored = imagesOf(installments);
    this.storedOffByCents = plan.offByCents;
  }

  /** Amount by which the installments exceeded the booking's total when the plan was locked or saved. */
  get offByCents(): number {
    return this.storedOffByCents;
  }

  find(id: string): PaymentSchedule | null {
    return this.installments.find((installment) => installment.id === id) ?? null;
  }

  /** The audit snapshot of the stored installment; null for an added one. */
  imageBefore({ id }: PaymentSchedule): InstallmentImage | null {
    return this.stored.get(id) ?? null;
  }

  /** Returns whether it is on an issued invoice that is not void. */
  isInvoiced({ id }: PaymentSchedule): boolean {
    return this.invoiced.has(id);
  }

  /** Sorts by due date and position, the latest first. */
  latest(isMeant: (installment: PaymentSchedule) => boolean): PaymentSchedule[] {
    return this.installments.filter(isMeant).sort(latestFirst);
  }

  /** Returns the other open installments that are on no issued invoice, the latest first. */
  openExcept(installment: PaymentSchedule | null): PaymentSchedule[] {
    return this.latest((other) => other.isOpen() && other !== installment && !this.isInvoiced(other));
  }

  /** Sums the open, paid and waived installments. */
  sumCents(): bigint {
    const counted = this.installments.filter(({ status, waived }) => status !== 'cancelled' || waived);
    return counted.reduce((sum, { amountCents }) => sum + BigInt(amountCents), 0n);
  }

  waivedCents(): number {
    return this.installments.filter(({ waived }) => waived).reduce((sum, { amountCents }) => sum + amountCents, 0);
  }

  add(
    { id = newId('psch'), type, label, dueDate, amountCents, basis, offsetDays = null, notes = null }: NewInstallment,
    now: Date,
  ): PaymentSchedule {
    const { id: planId, bookingId, planVersion } = this.plan;
    const added = make(PaymentSchedule, {
      id,
      bookingId,
      planId,
      planVersion,
      currency: this.booking.currency,
      position: Math.max(0, ...this.installments.map(({ position }) => position)) + 1,
      type,
      label,
      basis,
      dueDate,
      dateSource: basis === 'manual' ? 'manual' : 'policy',
      offsetDays,
      amountCents,
      paidCents: 0,
      status: 'pending',
      waived: false,
      notes,
      createdAt: now,
    });
    this.installments.push(added);
    return added;
  }

  /** Returns the changed and added installments. */
  changes(): InstallmentChange[] {
    return this.installments.flatMap((installment) => {
      const before = this.imageBefore(installment);
      const isSame = before !== null && JSON.stringify(before) === JSON.stringify(installment.auditImage());
      return isSame ? [] : [{ installment, before }];
    });
  }

  /** Resets `changes`. */
  markStored(): void {
    this.stored = imagesOf(this.installments);
    this.storedOffByCents = this.plan.offByCents;
  }
}

function imagesOf(installments: readonly PaymentSchedule[]): Map<string, InstallmentImage> {
  return new Map(installments.map((installment) => [installment.id, installment.auditImage()]));
}

function latestFirst(a: PaymentSchedule, b: PaymentSchedule): number {
  if (a.dueDate === b.dueDate) return b.position - a.position;
  return a.dueDate < b.dueDate ? 1 : -1;
}
