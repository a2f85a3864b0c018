import { Injectable } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { backoffMs } from './backoff.js';
import { DeliveryJournal } from './delivery-journal.js';
import { MailSender, type Outcome } from './mail-sender.js';
import { NotificationMessage } from './notification-message.entity.js';
import { type Settled, settledBy, WITHDRAWN } from './settled.js';

export const SEND = 'notifications.send';
/** How long whoever marks a message has to say what became of it. */
export const LEASE_SECONDS = 300;
/** Far below the lease, in all. */
const LONGEST_PAUSE_MS = 16_000;
const ABANDONED = 100;

/**
 * Hands messages to the sender, each at most once: that it is being sent is committed before the call (`leaseUntil` is the
 * mark), and who finds the mark without an outcome never sends again.
 */
@Injectable()
export class Deliveries {
  constructor(
    private readonly database: Database,
    private readonly sender: MailSender,
    private readonly journal: DeliveryJournal,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  /** Makes the attempt that the message is marked for; the mark must be committed. */
  async deliver(message: NotificationMessage): Promise<void> {
    const outcome = await this.sender.send(message);
    await insist(() => this.database.transaction(() => this.settle(message, outcome)));
  }

  /** Gives up on attempts whose process ended in the middle: what became of them nobody knows. */
  async abandon(): Promise<void> {
    for (let count = ABANDONED; count === ABANDONED;) {
      count = await this.database.transaction(async () => {
        const abandoned = await this.database.read(NotificationMessage, {
          text: `select ${this.database.columnsOf(NotificationMessage, 'message')} from notification_messages message
            where message.status = 'sending' and message.lease_until < $1 order by message.lease_until limit ${ABANDONED}
            for update skip locked`,
          values: [this.clock.now()],
        });
        const error = 'The sending process ended before it recorded the outcome';
        for (const { entity } of abandoned) await this.settle(entity, { kind: 'unknown', error });
        return abandoned.length;
      });
    }
  }

  private async settle(message: NotificationMessage, outcome: Outcome): Promise<void> {
    const ended = settledBy(outcome, message.attempts);
    const settled = ended.status === 'queued' && (await this.isWithdrawn(message)) ? WITHDRAWN : ended;
    const now = this.clock.now();
    const again = new Date(now.getTime() + (settled.status === 'queued' ? backoffMs(message.attempts) : 0));
    const { count } = await this.database.execute(
      `update notification_messages set status = $3, reason = $4, error = $5, send_at = $6, lease_until = null,
         sent_at = case when $3 = 'sent' then $7::timestamptz end, updated_at = $7
       where id = $1 and attempts = $2 and status = 'sending'`,
      [
        message.id,
        message.attempts,
        settled.status,
        settled.reason,
        'error' in outcome ? outcome.error : null,
        again,
        now,
      ],
    );
    // Somebody gave it up meanwhile; that stands.
    if (count === 0) return;
    if (message.runId !== null) await this.settleRun(message.runId, settled.run, { again, now });
    if (settled.status === 'queued') await this.jobs.add(SEND, {}, { runAt: again, key: `${SEND}:${message.id}` });
    else if (settled.status !== 'cancelled') this.journal.record(message, settled);
  }

  /** Its rule was disabled while it was being sent: it is not tried again. */
  private async isWithdrawn({ runId }: NotificationMessage): Promise<boolean> {
    const found = await this.database.query(
      `select from reminder_runs run join reminder_rules rule on rule.id = run.rule_id
       where run.id = $1 and not rule.enabled`,
      [runId],
    );
    return found.length > 0;
  }

  private async settleRun(id: string, run: Settled['run'], { again, now }: { again: Date; now: Date }): Promise<void> {
    const [told] = await this.database.query<{ bookingId: string; ruleId: string; stageId: string }>(
      `update reminder_runs set status = $2, reason = $3, run_at = $4, updated_at = $5 where id = $1 and status = 'sending'
       returning booking_id as "bookingId", rule_id as "ruleId", stage_id as "stageId"`,
      [id, run.status, run.reason, again, now],
    );
    if (!told || run.status !== 'sent') return;
    this.journal.announce({ runId: id, ...told, delivered: run.reason === null });
  }
}

/** What became of a mail is known here and nowhere else: a database that is away for a moment must not lose it. */
async function insist(work: () => Promise<void>): Promise<void> {
  for (let pauseMs = 1_000; ; pauseMs *= 2) {
    try {
      return await work();
    } catch (error) {
      if (pauseMs > LONGEST_PAUSE_MS) throw error;
      await pause(pauseMs);
    }
  }
}
