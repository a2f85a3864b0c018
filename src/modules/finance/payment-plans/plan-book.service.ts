import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { type EntryChange, LockedPlan, type PlannedBooking } from './locked-plan.js';
import { PaymentPlan } from './payment-plan.entity.js';
import { PaymentSchedule } from './payment-schedule.entity.js';
import { ScheduleInvoices } from './schedule-invoices.js';
import { ScheduleJournal, type ScheduleVerb } from './schedule-journal.service.js';
import { SettlementFollowers } from './settlement-followers.js';

/** Where plans are kept. Everything here happens in the running transaction, with the booking locked. */
@Injectable()
export class PlanBook {
  constructor(
    private readonly database: Database,
    private readonly invoices: ScheduleInvoices,
    private readonly journal: ScheduleJournal,
    private readonly followers: SettlementFollowers,
    private readonly clock: Clock,
  ) {}

  /** The booking's current plan with its entries locked, or null. */
  async lock(booking: PlannedBooking): Promise<LockedPlan | null> {
    const plan = await this.find(booking);
    if (!plan) return null;
    const invoiced = new Set(await this.invoices.liveScheduleIds(booking.id));
    const lock = { mode: 'pessimistic_write' } as const;
    const entries = await this.database
      .repository(PaymentSchedule)
      .find({ where: { planId: plan.id }, order: { id: 'ASC' }, lock });
    return new LockedPlan(booking, plan, entries.sort(byPosition), invoiced);
  }

  /** The booking's current plan to be looked at, or null. */
  async look(booking: PlannedBooking): Promise<LockedPlan | null> {
    const plan = await this.find(booking);
    if (!plan) return null;
    const entries = await this.database.repository(PaymentSchedule).find({ where: { planId: plan.id } });
    return new LockedPlan(booking, plan, entries.sort(byPosition));
  }

  /** The entry as it is stored now. */
  async reread({ id }: PaymentSchedule): Promise<PaymentSchedule> {
    return this.database.repository(PaymentSchedule).findOneByOrFail({ id });
  }

  /** Stores a new plan with the entries that were added to it, and tells of it. */
  async insert(fresh: LockedPlan): Promise<void> {
    const { plan, entries } = fresh;
    await this.database.insert(plan);
    if (entries.length > 0) await this.database.repository(PaymentSchedule).insert(entries);
    this.journal.materialized(fresh);
  }

  /**
   * Stores what was changed, in a statement for the added entries and one for the changed ones. The caller records the
   * returned changes, once the money that belongs to them has moved as well.
   */
  async save(locked: LockedPlan): Promise<EntryChange[]> {
    const changes = locked.changes();
    const added = changes.filter(({ before }) => before === null).map(({ entry }) => entry);
    const changed = changes.filter(({ before }) => before !== null).map(({ entry }) => entry);
    if (changed.length > 0) await this.update(changed);
    if (added.length > 0) await this.database.repository(PaymentSchedule).insert(added);
    const { plan, offByCents } = locked;
    if (plan.offByCents !== offByCents) {
      await this.database.repository(PaymentPlan).update({ id: plan.id }, { offByCents: plan.offByCents });
    }
    return changes;
  }

  /** Tells the ledger and those who listen. */
  record(changes: readonly EntryChange[], verbOf: (change: EntryChange) => ScheduleVerb, reason?: string | null): void {
    for (const change of changes) this.journal.record(verbOf(change), change, reason);
  }

  /** Tells those who listen, where the ledger is told otherwise. */
  announce(entry: PaymentSchedule): void {
    this.journal.announce(entry.status === 'cancelled' ? 'cancelled' : 'updated', entry);
  }

  /** Tells those whose state follows from what is paid. */
  async settled({ booking }: LockedPlan): Promise<void> {
    await this.followers.settled(booking.id);
  }

  private async find({ id }: PlannedBooking): Promise<PaymentPlan | null> {
    return this.database.repository(PaymentPlan).findOneBy({ bookingId: id, isCurrent: true });
  }

  /** All but the money, which payments write. */
  private async update(entries: readonly PaymentSchedule[]): Promise<void> {
    const now = this.clock.now();
    const column = <T>(pick: (entry: PaymentSchedule) => T): T[] => entries.map(pick);
    const { count } = await this.database.execute(
      `update payment_schedules as entry
       set label = changed.label, due_date = changed.due_date, amount_cents = changed.amount_cents,
         status = changed.status, waived = changed.waived, notes = changed.notes, version = entry.version + 1, updated_at = $9
       from unnest($1::text[], $2::integer[], $3::text[], $4::date[], $5::bigint[], $6::text[], $7::boolean[], $8::text[])
         as changed (id, version, label, due_date, amount_cents, status, waived, notes)
       where entry.id = changed.id and entry.version = changed.version`,
      [
        column(({ id }) => id),
        column(({ version }) => version),
        column(({ label }) => label),
        column(({ dueDate }) => dueDate),
        column(({ amountCents }) => amountCents),
        column(({ status }) => status),
        column(({ waived }) => waived),
        column(({ notes }) => notes),
        now,
      ],
    );
    if (count !== entries.length) throw new Error('Installments were changed without their locks');
    for (const entry of entries) Object.assign(entry, { version: entry.version + 1, updatedAt: now });
  }
}

function byPosition(a: PaymentSchedule, b: PaymentSchedule): number {
  return a.position - b.position;
}
