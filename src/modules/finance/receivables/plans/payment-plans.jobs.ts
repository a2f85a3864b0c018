import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import { Cron } from '../../../../platform/jobs/job-decorators.js';
import { Outbox } from '../../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../../action-ledger/index.js';
import { installmentChannels } from '../account/account-audit.service.js';
import { overdueSql } from '../account/payment-schedule.entity.js';
import { IS_RECEIVABLE } from '../reminders/receivable.sql.js';

const BATCH = 500;

interface Overdue {
  scheduleId: string;
  bookingId: string;
  dueDate: string;
  currency: string;
  amountCents: string;
  paidCents: string;
}

@Injectable()
export class PaymentPlanJobs {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Records and publishes that an installment is overdue, once per due date. Runs hourly, because the organization's midnight
   * can be at any UTC hour. Several processes may run it at the same time.
   */
  @Cron('finance.payment_schedules.overdue', '2 * * * *')
  async publishOverdue(): Promise<void> {
    for (let published = BATCH; published === BATCH;) {
      published = await this.database.transaction(() => this.publishBatch());
    }
  }

  private async publishBatch(): Promise<number> {
    const overdue = await this.database.query<Overdue>(
      `with due as (
         select installment.* from payment_schedules installment join bookings booking on booking.id = installment.booking_id
         where ${overdueSql('installment', '$1::date')} and ${IS_RECEIVABLE} and not exists (
           select from payment_schedules_overdue published
           where published.schedule_id = installment.id and published.due_date = installment.due_date)
         order by installment.id limit $2 for no key update of installment skip locked
       ), published as (
         insert into payment_schedules_overdue (schedule_id, due_date, told_at) select id, due_date, $3 from due
         on conflict do nothing returning schedule_id
       )
       select id as "scheduleId", booking_id as "bookingId", due_date as "dueDate", currency,
         amount_cents as "amountCents", paid_cents as "paidCents"
       from due join published on published.schedule_id = due.id order by id`,
      [this.clock.today(), BATCH, this.clock.now()],
    );
    for (const { amountCents, paidCents, ...installment } of overdue) {
      const { scheduleId, bookingId, dueDate } = installment;
      this.ledger.record('finance.payment_schedule.overdue', {
        subjectType: 'payment_schedule',
        subjectId: scheduleId,
        before: { status: 'pending', dueDate },
        after: { status: 'overdue', dueDate },
      });
      const data = {
        ...installment,
        amountCents: Number(amountCents),
        outstandingCents: Number(amountCents) - Number(paidCents),
      };
      for (const channel of installmentChannels(bookingId)) {
        this.outbox.add({ channel, event: 'payment_schedule.overdue', data });
      }
    }
    return overdue.length;
  }
}
