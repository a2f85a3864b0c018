import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/id.js';
import { LEASE_SECONDS } from '../messages/deliveries.service.js';
import { NotificationMessage } from '../messages/notification-message.entity.js';
import { worded } from '../messages/templates.js';
import { recipientKindOf } from '../rules/channel-config.js';
import { RecipientLimits } from './recipient-limits.service.js';
import type { Decision, RunFacts } from './run-decision.js';

export type ClaimedRun = Omit<RunFacts, 'target'> & { id: string; targetId: string; suppressionGroup: string | null };
type Sending = Extract<Decision, { kind: 'send' }>;

/** Writes down what was decided of a run, whose row is held. */
@Injectable()
export class RunOutcomes {
  constructor(
    private readonly database: Database,
    private readonly limits: RecipientLimits,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  /** Marks its message for sending, unless its recipient has had enough; `busy` where somebody else has him in hand. */
  async mark(run: ClaimedRun, sending: Sending): Promise<NotificationMessage | 'decided' | 'busy'> {
    const { recipient, template, target } = sending;
    if (!(await this.limits.hold(recipient))) return 'busy';
    const reason = await this.limits.refusal({ ...run, recipient });
    if (reason !== null) {
      await this.conclude(run.id, { kind: 'end', status: 'skipped', reason });
      return 'decided';
    }
    const now = this.clock.now();
    await this.database.execute(
      `update reminder_runs set status = 'sending', recipient = $2, attempts = attempts + 1, run_at = $3, updated_at = $3
       where id = $1`,
      [run.id, recipient, now],
    );
    const { subject, text } = worded(template, target, this.env.orgName);
    const [marked] = await this.database.read(NotificationMessage, {
      text: `insert into notification_messages as message (id, kind, run_id, status, recipient, recipient_kind,
           suppression_group, subject, text, attempts, send_at, lease_until, created_at, updated_at)
         select $1, 'reminder', run.id, 'sending', $3, $4, $5, $6, $7, run.attempts, $8, $9, $8, $8
         from reminder_runs run where run.id = $2
         on conflict (run_id) do update set status = 'sending', recipient = excluded.recipient, reason = null, error = null,
           subject = excluded.subject, text = excluded.text, attempts = excluded.attempts, lease_until = excluded.lease_until,
           updated_at = excluded.updated_at
         returning ${this.database.columnsOf(NotificationMessage, 'message')}`,
      values: [
        newId('nmsg'),
        run.id,
        recipient,
        recipientKindOf(run.config),
        run.suppressionGroup,
        subject,
        text,
        now,
        this.clock.inSeconds(LEASE_SECONDS),
      ],
    });
    if (!marked) throw new Error(`The message of ${run.id} was not marked`);
    return marked.entity;
  }

  /** What it was withdrawn from is not to be sent either, where an attempt at it had failed. */
  async conclude(id: string, decision: Exclude<Decision, Sending>): Promise<void> {
    const now = this.clock.now();
    const [status, reason, runAt] =
      decision.kind === 'wait' ? ['queued', null, decision.until] : [decision.status, decision.reason, now];
    await this.database.execute(
      'update reminder_runs set status = $2, reason = $3, run_at = $4, updated_at = $5 where id = $1',
      [id, status, reason, runAt, now],
    );
    await this.database.execute(
      `update notification_messages set status = 'cancelled', updated_at = $2 where run_id = $1 and status = 'queued'
         and $3 <> 'queued'`,
      [id, now, status],
    );
  }
}
