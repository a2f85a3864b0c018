import { Injectable } from '@nestjs/common';
import { RateLimits } from '../../../platform/admission/rate-limits.js';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { newId } from '../../../platform/ids/id.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { SEND_MESSAGES } from '../deliveries/direct-mails.service.js';
import { MessageFiles } from '../messages/message-files.js';
import { MessagesService } from '../messages/messages.service.js';
import { isToStaff, type MessageStatus, type NotificationMessage } from '../messages/notification-message.entity.js';
import { onRecord, RecordAddresses } from '../messages/record-addresses.js';
import { type ReminderRunResponse, toReminderRun } from '../runs/reminder-run.dto.js';
import type { ReminderRun, RunStatus } from '../runs/reminder-run.entity.js';
import { ReminderRunsRepository, type RunToRetry } from '../runs/reminder-runs.repository.js';
import { SuppressionsService } from '../suppressions/suppressions.service.js';
import { type DueTarget, findSource } from '../targets/reminder-source.js';
import { UnsubscriptionsService } from '../unsubscriptions/unsubscriptions.service.js';
import type { ResendMessage, RetryRun } from './resend.dto.js';

const RETRIABLE: readonly RunStatus[] = ['failed', 'skipped', 'expired'];

const RESENDABLE: readonly MessageStatus[] = ['failed', 'bounced'];

/** A reminder that replaces one that was not sent. */
interface Retried {
  run: ReminderRun;
  ruleName: string;
  customerEmail: string;
  /** The message of the new run; null if the former one had none. */
  messageId: string | null;
}

/** Sends again, on request of staff, what was not sent or did not arrive. Each repetition is a new message. */
@Injectable()
export class ResendsService {
  constructor(
    private readonly database: Database,
    private readonly messages: MessagesService,
    private readonly files: MessageFiles,
    private readonly addresses: RecordAddresses,
    private readonly runs: ReminderRunsRepository,
    private readonly suppressions: SuppressionsService,
    private readonly unsubscriptions: UnsubscriptionsService,
    private readonly listeners: Listeners,
    private readonly rateLimits: RateLimits,
    private readonly jobs: Jobs,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  /**
   * Plans a new reminder for now in place of one that failed, was skipped or has expired. Throws 409 `nothing_to_retry`,
   * `outcome_unknown`, `target_closed`, `no_recipient` or `recipient_suppressed`.
   */
  async retry(runId: string, options: RetryRun): Promise<ReminderRunResponse> {
    return this.database.transaction(async () => {
      const { run, ruleName, customerEmail, messageId } = await this.retryLocked(runId, options);
      this.ledger.record('notifications.reminder_run.retry', {
        subjectType: 'reminder_run',
        subjectId: run.id,
        after: { id: run.id, retryOf: runId, bookingId: run.bookingId, messageId },
      });
      return toReminderRun(run, { ruleName, runDay: this.clock.dayOf(run.runAt), customerEmail });
    });
  }

  /**
   * Queues a copy of a message that failed; a reminder gets its present amount and day. Throws the errors of `retry`; 403 unless
   * the caller may read the files; 422 `recipient_not_on_record` for an address that is not of the booking or its customer.
   */
  async resend(id: string, options: ResendMessage): Promise<NotificationMessage> {
    return this.database.transaction(async () => {
      const message = await this.messages.lock(id);
      const { kind, status, reason, erasedAt, runId } = message;
      if (isToStaff(kind) || !RESENDABLE.includes(status) || erasedAt !== null || (await this.messages.wasResent(id))) {
        throw nothingToRetry({ kind, status });
      }
      assertConfirmed(reason, options);
      const newMessageId =
        runId === null ? await this.resendDirect(message, options) : (await this.retryLocked(runId, options)).messageId;
      const resent = await this.messages.get(newMessageId ?? '');
      this.ledger.record('notifications.message.resend', {
        subjectType: 'notification_message',
        subjectId: resent.id,
        after: resent.auditImage(),
      });
      return resent;
    });
  }

  private async resendDirect(message: NotificationMessage, { recipientEmail }: ResendMessage): Promise<string> {
    const { id, kind, contractId, bookingId, customerId, templateId, recipientKind, subject, text } = message;
    const { files, documentKey } = message;
    await this.files.assertSendable(files);
    const isMarketing = kind === 'marketing';
    if (isMarketing) await this.unsubscriptions.assertConsent(customerId);
    // A booking may have another customer by now.
    const record =
      isMarketing || bookingId === null ? { bookingId: null, customerId } : { bookingId, customerId: null };
    const present = await this.addresses.listOf(record);
    const known = isMarketing ? present : [...present, message.recipient];
    const recipient = recipientEmail === undefined ? known[0] : onRecord(recipientEmail, known);
    if (recipient === undefined) throw conflict('no_recipient', 'The customer has no e-mail address');
    await this.suppressions.assertReachable(recipient, isMarketing ? 'marketing' : 'all');
    this.rateLimits.takeMail({ subject: bookingId ?? id, recipient });
    const about = { kind, contractId, bookingId, customerId, templateId, recipientKind, subject, text };
    const newMessageId = await this.messages.queue({
      ...{ ...about, files, documentKey, recipient },
      ...{ resendOf: id, createdBy: currentActor().principal },
    });
    await this.sendNow(newMessageId);
    return newMessageId;
  }

  private async retryLocked(runId: string, options: ResendMessage): Promise<Retried> {
    const found = await this.runs.lockForRetry(runId);
    const { run: former, ruleName } = found;
    const { status, reason } = former;
    if (!RETRIABLE.includes(status)) throw nothingToRetry({ status });
    if (former.channel !== 'email') throw nothingToRetry({ status, reason });
    if (!found.enabled) throw nothingToRetry({ status, reason: 'rule_disabled' });
    assertConfirmed(status === 'failed' ? reason : null, options);

    const { customerEmail } = await this.targetOf(found);
    if (customerEmail === null) throw conflict('no_recipient', 'The booking has no e-mail address');
    if (options.recipientEmail !== undefined) onRecord(options.recipientEmail, [customerEmail]);
    await this.suppressions.assertReachable(customerEmail);
    this.rateLimits.takeMail({ subject: former.targetId, recipient: customerEmail });

    const message = await this.messages.findOfRun(runId);
    await this.runs.replace(runId);
    const run = await this.runs.planRequested({ ...former, id: newId('rrun'), runAt: this.clock.now() });
    const messageId = message && (await this.queueFor(run, { ...message, recipient: customerEmail }));
    await this.sendNow(run.id);
    return { run, ruleName, customerEmail, messageId };
  }

  /** The delivery writes the present subject and text into the message. */
  private async queueFor(run: ReminderRun, message: Omit<NotificationMessage, 'auditImage'>): Promise<string> {
    const { id: resendOf, recipient, recipientKind, subject, text } = message;
    const about = { kind: 'reminder', runId: run.id, bookingId: run.bookingId, resendOf } as const;
    const createdBy = currentActor().principal;
    return this.messages.queue({ ...about, recipient, recipientKind, subject, text, createdBy });
  }

  /** Throws 409 if nothing is left to remind of, or another reminder is planned for the new date. */
  private async targetOf({ run, trigger }: RunToRetry): Promise<DueTarget> {
    const target = await findSource(this.listeners, trigger)?.read(trigger, run.targetId);
    if (!target) throw conflict('target_closed', 'Nothing is left that the reminder could concern');
    if (target.anchorDate !== run.anchorDate) throw nothingToRetry({ status: run.status, reason: 'anchor_moved' });
    return target;
  }

  private async sendNow(id: string): Promise<void> {
    await this.jobs.add(SEND_MESSAGES, {}, { key: `${SEND_MESSAGES}:${id}` });
  }
}

function assertConfirmed(reason: string | null, { confirm }: RetryRun): void {
  if (reason === 'outcome_unknown' && confirm !== true) {
    throw conflict('outcome_unknown', 'The mail may have arrived; confirm that it is sent again');
  }
}

function nothingToRetry(details: { status: string; kind?: string; reason?: string | null }) {
  return conflict('nothing_to_retry', 'Only what failed, was skipped or has expired can be sent again', details);
}
