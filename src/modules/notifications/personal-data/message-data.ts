import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { SuppressionsService } from '../suppressions/suppressions.service.js';
import { bookingIdsOf, type HeldData, type Person, PersonalDataHolder } from '../../customers/index.js';

/** Messages about the person or its bookings, also to former addresses, and other messages to an address of it. */
const OF_PERSON = `(
  message.run_id is null and lower(message.recipient) = any($1)
  or message.customer_id = any($3) or message.booking_id = any($2)
  or message.run_id in (select id from reminder_runs where booking_id = any($2)))`;
/** Suppressions are proofs, which have no end. */
const NO_END = '9999-12-31';

/** Messages to a person, and planned reminders. */
@Injectable()
@Listens(PersonalDataHolder, 50)
export class MessageData implements PersonalDataHolder {
  readonly module = 'notifications';

  constructor(
    private readonly database: Database,
    private readonly suppressions: SuppressionsService,
    private readonly clock: Clock,
  ) {}

  async collect(person: Person): Promise<HeldData[]> {
    const records = await this.database.query<object>(
      `select kind, status, recipient, subject, text, files, sent_at as "sentAt", created_at as "createdAt"
       from notification_messages message where erased_at is null and ${OF_PERSON} order by id`,
      [person.emails, bookingIdsOf(person), person.customerIds],
    );
    const suppressions = await this.suppressions.collect(person.emails);
    return [
      { dataClass: 'messages', kind: 'messages', keptUntil: null, records },
      { dataClass: 'proof', kind: 'suppressions', keptUntil: NO_END, records: suppressions },
    ];
  }

  /**
   * Replaces recipients and texts, cancels what has not been sent, and suppresses the addresses. Throws while a message is being
   * sent, so that the job repeats the step: its outcome is recorded first.
   */
  async erase(person: Person): Promise<number> {
    const bookingIds = bookingIdsOf(person);
    const now = this.clock.now();
    await this.database.execute(
      `update reminder_runs run set recipient = null, updated_at = $2,
         reason = case when status in ('planned', 'queued') then 'target_closed' else reason end,
         status = case when status in ('planned', 'queued') then 'cancelled' else status end
       where booking_id = any($1) and status <> 'sending' and (recipient is not null or status in ('planned', 'queued'))`,
      [bookingIds, now],
    );
    const [sending] = await this.database.query(
      `select from notification_messages message where status = 'sending' and ${OF_PERSON} limit 1`,
      [person.emails, bookingIds, person.customerIds],
    );
    if (sending) throw new Error('A message to the person is being sent');
    const { count } = await this.database.execute(
      `update notification_messages message set recipient = 'erased', subject = 'erased', text = 'erased', error = null, files = '[]',
         erased_at = $4, status = case when status = 'queued' then 'cancelled' else status end
       where erased_at is null and ${OF_PERSON}`,
      [person.emails, bookingIds, person.customerIds, now],
    );
    await this.suppressions.erase(person.emails, person.customerIds);
    return count;
  }
}
