import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { newId } from '../../../platform/ids/id.js';
import { instantOf } from '../../../platform/time/local-time.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { dayNumber } from '../timing/run-time.js';
import { DAY_MS } from '../timing/sending-window.js';
import type { MessageFile } from './message-files.js';
import type { ListNotificationMessages } from './notification-message.dto.js';
import {
  type MessageKind,
  type MessageStatus,
  NotificationMessage,
  type RecipientKind,
} from './notification-message.entity.js';

/** Time within which a process must record the outcome of an attempt. */
const LEASE_SECONDS = 300;

/** Reminders from before messages named their booking are found by their run. */
const OF_BOOKING = `(message.bookingId = :bookingId
  or message.runId in (select id from reminder_runs where booking_id = :bookingId))`;

/** A mail to be sent at once. */
export interface NewMessage {
  kind: MessageKind;
  recipient: string;
  subject: string;
  /** The text, with `{{link}}` in place of a link. */
  text: string;
  recipientKind?: RecipientKind;
  /** The run that sends the mail; other mails are sent without one. */
  runId?: string;
  contractId?: string | null;
  accountLinkId?: string | null;
  bookingId?: string | null;
  customerId?: string | null;
  /** The message that this one repeats. */
  resendOf?: string;
  templateId?: string | null;
  /** The user who sends it by hand. */
  createdBy?: string;
  files?: readonly MessageFile[];
  /** Names the version of the documents that the mail carries. */
  documentKey?: string | null;
}

export interface ReminderMessage {
  runId: string;
  bookingId: string;
  attempts: number;
  recipient: string;
  recipientKind: RecipientKind;
  suppressionGroup: string | null;
  templateId: string | null;
  subject: string;
  text: string;
}

/** The result of an attempt, as a message stores it. */
export interface MessageOutcome {
  status: MessageStatus;
  reason: string | null;
  error: string | null;
  /** Earliest time of the next attempt if the status is `queued`. */
  sendAt: Date;
}

/** What was reported of a message after the mail server had accepted it. */
export interface MessageReport {
  status: 'bounced' | 'complained' | 'failed';
  reason: 'hard_bounce' | 'soft_bounce' | 'complaint' | 'rejected';
}

const LEDGER_VERBS: Partial<Record<MessageStatus, string>> = {
  failed: 'fail',
  bounced: 'bounce',
  complained: 'complain',
};

/**
 * Messages and their delivery state. Before an attempt, a message gets the status `sending` and a lease, and this is committed;
 * an attempt whose lease ended without an outcome is never repeated.
 */
@Injectable()
export class MessagesService {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  /** Newest first. */
  async list(query: ListNotificationMessages): Promise<{ rows: NotificationMessage[]; total: number }> {
    const found = this.database.repository(NotificationMessage).createQueryBuilder('message');
    if (query.runId !== undefined) found.andWhere('message.runId = :runId', { runId: query.runId });
    if (query.bookingId !== undefined) found.andWhere(OF_BOOKING, { bookingId: query.bookingId });
    if (query.customerId !== undefined)
      found.andWhere('message.customerId = :customerId', { customerId: query.customerId });
    if (query.recipient !== undefined)
      found.andWhere('lower(message.recipient) = lower(:recipient)', { recipient: query.recipient });
    filterRows(found, 'message.kind', query.kind);
    filterRows(found, 'message.status', query.status);
    if (query.reason !== undefined) found.andWhere('message.reason = :reason', { reason: query.reason });
    if (query.createdAfter !== undefined) found.andWhere('message.createdAt >= :after', { after: query.createdAfter });
    if (query.createdBefore !== undefined)
      found.andWhere('message.createdAt < :before', { before: query.createdBefore });
    sortRows(found, query.sort ?? '-createdAt');
    const { rows, total } = await this.database.page(found, pageBounds(query));
    return { rows: rows.map(({ entity }) => entity), total };
  }

  /**
   * Locks the recipient until the transaction ends, so that concurrent reminders to the same address count each other. Returns
   * false if another transaction has the lock, because waiting would block a connection and the reminders to all other
   * recipients.
   */
  async lockRecipient(recipient: string): Promise<boolean> {
    const [lock] = await this.database.query<{ locked: boolean }>(
      'select pg_try_advisory_xact_lock(hashtextextended(lower($1), 2200)) as locked',
      [recipient],
    );
    return lock?.locked === true;
  }

  /**
   * Returns the limit per recipient that a reminder at this time would exceed, or null. `promised` reminders on that day are
   * counted in addition to the stored ones. Messages that wait for another attempt count as sent; failed ones do not.
   */
  async exceededLimit(
    { runId, recipient, suppressionGroup }: Pick<ReminderMessage, 'runId' | 'recipient' | 'suppressionGroup'>,
    { at, promised }: { at: Date; promised: number },
  ): Promise<'suppressed' | 'rate_limited' | null> {
    const [counted] = await this.database.query<{ today: number; inGroup: number }>(
      `select count(*) filter (where updated_at >= $3)::int as today,
         count(*) filter (where suppression_group = $4 and updated_at > $5)::int as "inGroup"
       from notification_messages
       where kind = 'reminder' and lower(recipient) = lower($1) and run_id <> $2
         and status in ('queued', 'sending', 'sent', 'recorded', 'complained') and updated_at >= least($3::timestamptz, $5::timestamptz)`,
      [recipient, runId, this.midnightBefore(at), suppressionGroup, new Date(at.getTime() - DAY_MS)],
    );
    const inGroup = (counted?.inGroup ?? 0) + (suppressionGroup === null ? 0 : promised);
    if (inGroup > 0) return 'suppressed';
    return (counted?.today ?? 0) + promised >= this.env.remindersPerDay ? 'rate_limited' : null;
  }

  /** Stores a mail in the running transaction, for immediate sending. Returns its id. */
  async queue(mail: NewMessage): Promise<string> {
    const id = newId('nmsg');
    await this.database.query(
      `insert into notification_messages (id, kind, run_id, contract_id, account_link_id, booking_id, customer_id, resend_of,
         template_id, created_by, files, document_key, status, recipient, recipient_kind, subject, text, attempts, send_at, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $14, $15, $16, $17, 'queued', $9, $10, $11, $12, 0, $13, $13, $13)`,
      [
        id,
        mail.kind,
        mail.runId ?? null,
        mail.contractId ?? null,
        mail.accountLinkId ?? null,
        mail.bookingId ?? null,
        mail.customerId ?? null,
        mail.resendOf ?? null,
        mail.recipient,
        mail.recipientKind ?? 'primary',
        mail.subject,
        mail.text,
        this.clock.now(),
        mail.templateId ?? null,
        mail.createdBy ?? null,
        JSON.stringify(mail.files ?? []),
        mail.documentKey ?? null,
      ],
    );
    return id;
  }

  /**
   * Returns how many messages, without repetitions, the user has sent by hand on this day of the organization. Locks that number until the transaction
   * ends, so that parallel requests cannot exceed a limit.
   */
  async countOfToday(userId: string): Promise<number> {
    await this.database.query('select pg_advisory_xact_lock(hashtextextended($1, 2202))', [userId]);
    const [counted] = await this.database.query<{ sent: number }>(
      `select count(*)::int as sent from notification_messages
       where created_by = $1 and created_at >= $2 and resend_of is null`,
      [userId, this.midnightBefore(this.clock.now())],
    );
    return counted?.sent ?? 0;
  }

  /** Records a message that staff have just queued by hand, and returns it. */
  async recordCreation(id: string): Promise<NotificationMessage> {
    const message = await this.get(id);
    const subject = { subjectType: 'notification_message', subjectId: id };
    this.ledger.record('notifications.message.create', { ...subject, before: null, after: message.auditImage() });
    return message;
  }

  async get(id: string): Promise<NotificationMessage> {
    const message = await this.find(id);
    if (!message) throw notFound();
    return message;
  }

  async find(id: string): Promise<NotificationMessage | null> {
    return this.database.repository(NotificationMessage).findOneBy({ id });
  }

  async lock(id: string): Promise<NotificationMessage> {
    const message = await this.findLocked(id);
    if (!message) throw notFound();
    return message;
  }

  async findLocked(id: string): Promise<NotificationMessage | null> {
    const [message] = await this.read(
      `select ${this.columns()} from notification_messages message where id = $1 for update`,
      [id],
    );
    return message ?? null;
  }

  async findOfRun(runId: string): Promise<NotificationMessage | null> {
    return this.database.repository(NotificationMessage).findOneBy({ runId });
  }

  /** Returns whether a repetition of the message waits, or was sent. */
  async wasResent(id: string): Promise<boolean> {
    const [found] = await this.database.query(
      `select from notification_messages where resend_of = $1 and status not in ('failed', 'cancelled', 'bounced') limit 1`,
      [id],
    );
    return found !== undefined;
  }

  /**
   * Returns the message with this version of documents that the recipient got or will get; null if there is none. Locks the
   * version until the transaction ends, so that parallel requests send one message.
   */
  async findDocumentMessage(documentKey: string, recipient: string): Promise<string | null> {
    await this.database.query('select pg_advisory_xact_lock(hashtextextended($1, 2206))', [documentKey]);
    const [found] = await this.database.query<{ id: string }>(
      `select id from notification_messages
       where document_key = $1 and lower(recipient) = lower($2) and status not in ('failed', 'cancelled', 'bounced')
       order by id desc limit 1`,
      [documentKey, recipient],
    );
    return found?.id ?? null;
  }

  /** Starts an attempt for the next due message that is not a reminder; null if there is none. */
  async startDirect(): Promise<NotificationMessage | null> {
    const [started] = await this.read(
      `update notification_messages message
       set status = 'sending', lease_until = $2, attempts = message.attempts + 1, updated_at = $1
       where message.id = (
         select id from notification_messages
         where kind in ('contract', 'account', 'call_off', 'waiting_offer', 'manual', 'marketing', 'document', 'test')
           and status = 'queued' and send_at <= $1
         order by send_at, id limit 1 for update skip locked)
       returning ${this.columns()}`,
      [this.clock.now(), this.clock.inSeconds(LEASE_SECONDS)],
    );
    return started ?? null;
  }

  /** Ends a message that `startDirect` has just started, because its recipient must not get it: no attempt is made. */
  async suppress(
    message: NotificationMessage,
    reason: 'recipient_suppressed' | 'consent_required' = 'recipient_suppressed',
  ): Promise<void> {
    const { count } = await this.database.execute(
      `update notification_messages set status = 'failed', reason = $3, error = null, lease_until = null,
         attempts = attempts - 1, updated_at = $2
       where id = $1 and status = 'sending'`,
      [message.id, this.clock.now(), reason],
    );
    if (count === 0) return;
    Object.assign(message, { status: 'failed', reason, error: null, attempts: message.attempts - 1 });
    this.recordOutcome(message);
  }

  /** Starts an attempt for the reminder of a run, whose row is locked. */
  async startReminder(reminder: ReminderMessage): Promise<NotificationMessage> {
    const { runId, bookingId, recipient, recipientKind, suppressionGroup, templateId, subject, text, attempts } =
      reminder;
    const [started] = await this.read(
      `insert into notification_messages as message (id, kind, run_id, booking_id, template_id, status, recipient, recipient_kind,
         suppression_group, subject, text, attempts, send_at, lease_until, created_at, updated_at)
       values ($1, 'reminder', $2, $11, $12, 'sending', $3, $4, $5, $6, $7, $8, $9, $10, $9, $9)
       on conflict (run_id) do update set status = 'sending', recipient = excluded.recipient, reason = null, error = null,
         sent_at = null, reported_at = null, booking_id = excluded.booking_id, template_id = excluded.template_id, recipient_kind = excluded.recipient_kind,
         suppression_group = excluded.suppression_group,
         subject = excluded.subject, text = excluded.text, attempts = excluded.attempts, lease_until = excluded.lease_until,
         updated_at = excluded.updated_at
       returning ${this.columns()}`,
      [
        newId('nmsg'),
        runId,
        recipient,
        recipientKind,
        suppressionGroup,
        subject,
        text,
        attempts,
        this.clock.now(),
        this.clock.inSeconds(LEASE_SECONDS),
        bookingId,
        templateId,
      ],
    );
    if (!started) throw new Error(`The message of ${runId} was not stored`);
    return started;
  }

  /** Locks up to `limit` messages whose process ended during the attempt. */
  async lockAbandoned(limit: number): Promise<NotificationMessage[]> {
    return this.read(
      `select ${this.columns()} from notification_messages message
       where message.status = 'sending' and message.lease_until < $1 order by message.lease_until limit $2
       for update skip locked`,
      [this.clock.now(), limit],
    );
  }

  /** Records the outcome of an attempt. Returns false if another process has already recorded one, which then remains. */
  async settle(message: NotificationMessage, outcome: MessageOutcome): Promise<boolean> {
    const { status, reason, error, sendAt } = outcome;
    const { count } = await this.database.execute(
      `update notification_messages set status = $3, reason = $4, error = $5, send_at = $6, lease_until = null,
         sent_at = case when $3 = 'sent' then $7::timestamptz end, updated_at = $7
       where id = $1 and attempts = $2 and status = 'sending'`,
      [message.id, message.attempts, status, reason, error, sendAt, this.clock.now()],
    );
    if (count === 0) return false;
    Object.assign(message, outcome);
    if (status === 'queued' || status === 'cancelled') return true;
    this.recordOutcome(message);
    return true;
  }

  /** Records what was reported of a locked message that was sent. */
  async report(message: NotificationMessage, { status, reason }: MessageReport, error: string | null): Promise<void> {
    const reportedAt = this.clock.now();
    await this.database.execute(
      `update notification_messages set status = $2, reason = $3, error = $4, reported_at = $5, updated_at = $5 where id = $1`,
      [message.id, status, reason, error, reportedAt],
    );
    Object.assign(message, { status, reason, error, reportedAt });
    this.recordOutcome(message);
  }

  /**
   * Returns how many soft bounces of the address were reported within these days, since it was last suppressed. Locks that
   * number until the transaction ends, so that parallel reports count each other.
   */
  async countSoftBounces(recipient: string, days: number): Promise<number> {
    await this.database.query('select pg_advisory_xact_lock(hashtextextended(lower($1), 2204))', [recipient]);
    const [counted] = await this.database.query<{ bounces: number }>(
      `select count(*)::int as bounces from notification_messages
       where lower(recipient) = lower($1) and status = 'bounced' and reason = 'soft_bounce'
         and reported_at > $2::timestamptz - make_interval(days => $3)
         and reported_at > coalesce(
           (select max(created_at) from message_suppressions where address = lower($1) and scope = 'all'), '-infinity')`,
      [recipient, this.clock.now(), days],
    );
    return counted?.bounces ?? 0;
  }

  /** Cancels the message of a run that ended while its message waited for another attempt. */
  async cancelQueued(runId: string): Promise<void> {
    await this.database.execute(
      `update notification_messages set status = 'cancelled', updated_at = $2 where run_id = $1 and status = 'queued'`,
      [runId, this.clock.now()],
    );
  }

  /**
   * Replaces recipient, subject and text of up to `limit` messages that ended before this time, and returns their number. Id,
   * kind, times and outcome stay.
   */
  async eraseOlderThan(months: number, limit: number): Promise<number> {
    const { count } = await this.database.execute(
      `update notification_messages set recipient = 'erased', subject = 'erased', text = 'erased', error = null, files = '[]',
         erased_at = $1
       where id in (
         select id from notification_messages
         where erased_at is null and updated_at < $1::timestamptz - make_interval(months => $2)
           and status not in ('queued', 'sending')
         order by updated_at limit $3 for update skip locked)`,
      [this.clock.now(), months, limit],
    );
    return count;
  }

  private recordOutcome(message: NotificationMessage): void {
    this.ledger.record(`notifications.message.${LEDGER_VERBS[message.status] ?? 'send'}`, {
      subjectType: 'notification_message',
      subjectId: message.id,
      after: message.auditImage(),
    });
  }

  private async read(text: string, values: unknown[]): Promise<NotificationMessage[]> {
    const found = await this.database.read(NotificationMessage, { text, values });
    return found.map(({ entity }) => entity);
  }

  private columns(): string {
    return this.database.columnsOf(NotificationMessage, 'message');
  }

  private midnightBefore(instant: Date): Date {
    return instantOf(dayNumber(this.clock.dayOf(instant)) * DAY_MS, this.env.orgTimeZone);
  }
}
