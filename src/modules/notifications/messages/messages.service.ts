import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { newId } from '../../../platform/ids/id.js';
import { instantOf } from '../../../platform/time/local-time.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { dayNumber } from '../timing/run-time.js';
import { DAY_MS } from '../timing/sending-window.js';
import type { ListNotificationMessages } from './notification-message.dto.js';
import { type MessageStatus, NotificationMessage, type RecipientKind } from './notification-message.entity.js';

/** Time within which a process must record the outcome of an attempt. */
const LEASE_SECONDS = 300;

export interface ContractMessage {
  contractId: string;
  recipient: string;
  subject: string;
  text: string;
}

export interface AccountMessage {
  recipient: string;
  subject: string;
  /** The text, with `{{link}}` in place of the link. */
  text: string;
  accountLinkId: string | null;
}

export interface ReminderMessage {
  runId: string;
  attempts: number;
  recipient: string;
  recipientKind: RecipientKind;
  suppressionGroup: string | null;
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
    filterRows(found, 'message.status', query.status);
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
         and status in ('queued', 'sending', 'sent', 'recorded') and updated_at >= least($3::timestamptz, $5::timestamptz)`,
      [recipient, runId, this.midnightBefore(at), suppressionGroup, new Date(at.getTime() - DAY_MS)],
    );
    const inGroup = (counted?.inGroup ?? 0) + (suppressionGroup === null ? 0 : promised);
    if (inGroup > 0) return 'suppressed';
    return (counted?.today ?? 0) + promised >= this.env.remindersPerDay ? 'rate_limited' : null;
  }

  /** Stores a mail with the link to a contract in the running transaction, for immediate sending. */
  async queueContractMail({ contractId, recipient, subject, text }: ContractMessage): Promise<void> {
    await this.database.query(
      `insert into notification_messages (id, kind, contract_id, status, recipient, recipient_kind, subject, text, attempts,
         send_at, created_at, updated_at)
       values ($1, 'contract', $2, 'queued', $3, 'primary', $4, $5, 0, $6, $6, $6)`,
      [newId('nmsg'), contractId, recipient, subject, text, this.clock.now()],
    );
  }

  /** Stores a mail about an account in the running transaction, for immediate sending. Returns its id. */
  async queueAccountMail({ recipient, subject, text, accountLinkId }: AccountMessage): Promise<string> {
    const id = newId('nmsg');
    await this.database.query(
      `insert into notification_messages (id, kind, account_link_id, status, recipient, recipient_kind, subject, text,
         attempts, send_at, created_at, updated_at)
       values ($1, 'account', $2, 'queued', $3, 'primary', $4, $5, 0, $6, $6, $6)`,
      [id, accountLinkId, recipient, subject, text, this.clock.now()],
    );
    return id;
  }

  /** Stores a mail about a departure that was called off, in the running transaction, for immediate sending. Returns its id. */
  async queueCallOffMail({ recipient, subject, text }: Omit<AccountMessage, 'accountLinkId'>): Promise<string> {
    const id = newId('nmsg');
    await this.database.query(
      `insert into notification_messages (id, kind, status, recipient, recipient_kind, subject, text, attempts, send_at,
         created_at, updated_at)
       values ($1, 'call_off', 'queued', $2, 'primary', $3, $4, 0, $5, $5, $5)`,
      [id, recipient, subject, text, this.clock.now()],
    );
    return id;
  }

  /** Starts an attempt for the next due message that is not a reminder; null if there is none. */
  async startDirect(): Promise<NotificationMessage | null> {
    const [started] = await this.read(
      `update notification_messages message
       set status = 'sending', lease_until = $2, attempts = message.attempts + 1, updated_at = $1
       where message.id = (
         select id from notification_messages where kind in ('contract', 'account', 'call_off') and status = 'queued' and send_at <= $1
         order by send_at, id limit 1 for update skip locked)
       returning ${this.columns()}`,
      [this.clock.now(), this.clock.inSeconds(LEASE_SECONDS)],
    );
    return started ?? null;
  }

  /** Starts an attempt for the reminder of a run, whose row is locked. */
  async startReminder(reminder: ReminderMessage): Promise<NotificationMessage> {
    const { runId, recipient, recipientKind, suppressionGroup, subject, text, attempts } = reminder;
    const [started] = await this.read(
      `insert into notification_messages as message (id, kind, run_id, status, recipient, recipient_kind,
         suppression_group, subject, text, attempts, send_at, lease_until, created_at, updated_at)
       values ($1, 'reminder', $2, 'sending', $3, $4, $5, $6, $7, $8, $9, $10, $9, $9)
       on conflict (run_id) do update set status = 'sending', recipient = excluded.recipient, reason = null, error = null,
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
    this.ledger.record(`notifications.message.${status === 'failed' ? 'fail' : 'send'}`, {
      subjectType: 'notification_message',
      subjectId: message.id,
      after: message.auditImage(),
    });
    return true;
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
      `update notification_messages set recipient = 'erased', subject = 'erased', text = 'erased', error = null, erased_at = $1
       where id in (
         select id from notification_messages
         where erased_at is null and updated_at < $1::timestamptz - make_interval(months => $2)
           and status not in ('queued', 'sending')
         order by updated_at limit $3 for update skip locked)`,
      [this.clock.now(), months, limit],
    );
    return count;
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
