import { Injectable } from '@nestjs/common';

/** An installment, and what is still to be collected on it. */
export interface OutstandingSchedule {
  bookingId: string;
  scheduleId: string;
  currency: string;
  outstandingCents: number;
}

/** A part of what is paid on an installment. */
export interface Release {
  scheduleId: string;
  cents: number;
}

/**
 * What plans ask of payments. Each member is called in the running transaction with the booking and its installments
 * locked, and writes `paid_cents` and the status of the installments it touches.
 */
export interface ScheduleSettler {
  /** Records a completed payment over the outstanding amount (source `schedule_patch`, paid today) and allocates it. */
  payOutstanding(schedule: OutstandingSchedule): Promise<void>;
  /** Allocates the booking's unapplied money to its open installments, oldest due first. */
  allocateUnapplied(bookingId: string): Promise<void>;
  /** Takes money back from installments, which are open then; it becomes unapplied. */
  release(bookingId: string, releases: readonly Release[]): Promise<void>;
  /** Money that was received for the booking and settles nothing, in minor units. */
  unappliedCents(bookingId: string): Promise<number>;
}

/** Asked by the plans, which stand below the payments. Until these register, there is no money. */
@Injectable()
export class ScheduleSettlement implements ScheduleSettler {
  private settler: ScheduleSettler | null = null;

  /** Call it in `onModuleInit`. */
  register(settler: ScheduleSettler): void {
    this.settler = settler;
  }

  async payOutstanding(schedule: OutstandingSchedule): Promise<void> {
    if (!this.settler) throw new Error('Nobody records payments');
    await this.settler.payOutstanding(schedule);
  }

  async allocateUnapplied(bookingId: string): Promise<void> {
    await this.settler?.allocateUnapplied(bookingId);
  }

  async release(bookingId: string, releases: readonly Release[]): Promise<void> {
    if (releases.length === 0) return;
    if (!this.settler) throw new Error('Nobody records payments');
    await this.settler.release(bookingId, releases);
  }

  async unappliedCents(bookingId: string): Promise<number> {
    return (await this.settler?.unappliedCents(bookingId)) ?? 0;
  }
}
