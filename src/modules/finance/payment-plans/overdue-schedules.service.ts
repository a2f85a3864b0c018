import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { overdueSql } from './payment-schedule.entity.js';
import { scheduleChannels } from './schedule-journal.service.js';

const BATCH = 500;

interface Overdue {
  scheduleId: string;
  bookingId: string;
  dueDate: string;
  currency: string;
  amountCents: string;
  paidCents: string;
}

/**
 * Says once of each installment and due date that it is overdue. Looked for every hour, because midnight of the
 * organization is at any hour of UTC, and because what a run missed the next one finds.
 */
@Injectable()
export class OverdueSchedules implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule('finance.payment_schedules.overdue', '2 * * * *', async () => {
      await this.tell();
    });
  }

  /** Returns of how many; several processes may do so at once. */
  async tell(): Promise<number> {
    let count = 0;
    for (let batch = BATCH; batch === BATCH; count += batch) {
      batch = await this.database.transaction(() => this.tellBatch());
    }
    return count;
  }

  private async tellBatch(): Promise<number> {
    const overdue = await this.database.query<Overdue>(
      `with due as (
         select entry.* from payment_schedules entry
         where ${overdueSql('entry', '$1::date')} and not exists (
           select from payment_schedules_overdue told
           where told.schedule_id = entry.id and told.due_date = entry.due_date)
         order by entry.id limit $2 for no key update skip locked
       ), told as (
         insert into payment_schedules_overdue (schedule_id, due_date, told_at) select id, due_date, $3 from due
         on conflict do nothing returning schedule_id
       )
       select id as "scheduleId", booking_id as "bookingId", due_date as "dueDate", currency,
         amount_cents as "amountCents", paid_cents as "paidCents"
       from due join told on told.schedule_id = due.id order by id`,
      [this.clock.today(), BATCH, this.clock.now()],
    );
    for (const { amountCents, paidCents, ...entry } of overdue) {
      const { scheduleId, bookingId, dueDate } = entry;
      const subject = { subjectType: 'payment_schedule', subjectId: scheduleId };
      const before = { status: 'pending', dueDate };
      this.ledger.record('finance.payment_schedule.overdue', {
        ...subject,
        before,
        after: { status: 'overdue', dueDate },
      });
      const data = {
        ...entry,
        amountCents: Number(amountCents),
        outstandingCents: Number(amountCents) - Number(paidCents),
      };
      for (const channel of scheduleChannels(bookingId)) {
        this.outbox.add({ channel, event: 'payment_schedule.overdue', data });
      }
    }
    return overdue.length;
  }
}
