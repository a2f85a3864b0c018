import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../../../platform/context/actor.js';
import { currentContext, openContext } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { invalidField, unavailable } from '../../../platform/errors/app-error.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { BOUNCE_TOKENS, MessageTokens } from '../messages/message-tokens.js';
import { MessagesService, type MessageReport } from '../messages/messages.service.js';
import { isToStaff, type NotificationMessage } from '../messages/notification-message.entity.js';
import { ReminderRunsRepository } from '../runs/reminder-runs.repository.js';
import { SuppressionsService } from '../suppressions/suppressions.service.js';
import { bounceKindOf, readBounceMail } from './bounce-mail.js';
import type { ReportBounce, ReportResult } from './bounce-report.dto.js';

/** A message without an outcome gets one within its lease, so the reporter repeats the report. */
const RETRY_AFTER_MS = 5_000;
/** An address is suppressed after this number of soft bounces within these days. */
const SOFT_BOUNCES = 3;
const SOFT_BOUNCE_DAYS = 14;

type Reported = 'hard' | 'soft' | 'rejected' | 'complaint';

const REPORTS: Record<Reported, MessageReport> = {
  hard: { status: 'bounced', reason: 'hard_bounce' },
  soft: { status: 'bounced', reason: 'soft_bounce' },
  rejected: { status: 'failed', reason: 'rejected' },
  complaint: { status: 'complained', reason: 'complaint' },
};

/** Reports about mails that the mail server had accepted. A report without the token of a message has no effect. */
@Injectable()
export class BounceReportsService {
  constructor(
    private readonly database: Database,
    private readonly tokens: MessageTokens,
    private readonly messages: MessagesService,
    private readonly runs: ReminderRunsRepository,
    private readonly suppressions: SuppressionsService,
    private readonly outbox: Outbox,
  ) {}

  /** Throws 400 for a report that names no mail, and for a bounce without action and status. */
  async report(report: ReportBounce): Promise<ReportResult> {
    const token = tokenOf(report);
    if (report.kind === 'complaint') return this.record(token, 'complaint', null);
    const { action, status } = report;
    if (action === undefined || status === undefined) {
      const missing = action === undefined ? 'action' : 'status';
      throw invalidField(missing, 'A bounce needs an action and a status', 'required');
    }
    return this.record(token, bounceKindOf([{ action, status }]), status);
  }

  /** A returned mail. */
  async receive(mail: Uint8Array): Promise<ReportResult> {
    const report = await readBounceMail(mail);
    if (!report) return 'ignored';
    const kind = bounceKindOf(report.recipients);
    const status = report.recipients.find(({ action }) => action === 'failed')?.status ?? null;
    for (const token of report.tokens) {
      const result = await this.record(token, kind, status);
      if (result !== 'ignored') return result;
    }
    return 'ignored';
  }

  /** The report acts as the service: its sender has no credential of the service. */
  private async record(token: string, kind: Reported | null, status: string | null): Promise<ReportResult> {
    const presented = this.tokens.read('bounce', token);
    if (!presented || kind === null) return 'ignored';
    return openContext({ ...currentContext(), actor: SYSTEM }, () =>
      this.database.transaction(async () => {
        const message = await this.messages.findLocked(presented.messageId);
        if (!message || !presented.isFor(message.recipient)) return 'ignored';
        if (message.status === 'sending') throw unavailable('The mail is still being sent', RETRY_AFTER_MS);
        const former = formerOf(message);
        if (
          former !== 'open' &&
          !(former === 'soft' && kind === 'hard') &&
          !(isBounce(former) && kind === 'complaint')
        ) {
          return former === null ? 'ignored' : 'repeated';
        }
        await this.messages.report(message, REPORTS[kind], status === null ? null : `Reported with status ${status}`);
        await this.apply(message, kind);
        return 'recorded';
      }),
    );
  }

  private async apply(message: NotificationMessage, kind: Reported): Promise<void> {
    const { id: messageId, runId, recipient, bookingId, customerId } = message;
    const { reason } = REPORTS[kind];
    if (kind !== 'complaint' && runId !== null) await this.runs.failSent(runId, reason);
    if (kind === 'complaint') {
      await this.suppressions.add({ address: recipient, scope: 'marketing', reason: 'complaint', messageId });
    } else if (kind === 'hard' || (kind === 'soft' && (await this.isLastSoftBounce(message)))) {
      const cause = { address: recipient, scope: 'all', reason: 'hard_bounce', messageId } as const;
      const suppressionId = await this.suppressions.add(cause);
      if (!isToStaff(message.kind)) await this.suppressions.report({ suppressionId, bookingId, customerId });
    }
    if (kind === 'rejected') return;
    const event = kind === 'complaint' ? 'message.complained' : 'message.bounced';
    this.outbox.add({ channel: 'notifications.messages', event, data: { messageId, bookingId, customerId, reason } });
  }

  private async isLastSoftBounce({ recipient }: NotificationMessage): Promise<boolean> {
    return (await this.messages.countSoftBounces(recipient, SOFT_BOUNCE_DAYS)) >= SOFT_BOUNCES;
  }
}

/** What is known of a message that was sent; `open` if nothing was reported, null if it was not sent. */
function formerOf({ status, reason, reportedAt }: NotificationMessage): 'open' | Reported | null {
  switch (status) {
    case 'sent':
      return 'open';
    case 'bounced':
      return reason === 'soft_bounce' ? 'soft' : 'hard';
    case 'complained':
      return 'complaint';
    case 'failed':
      if (reason === 'outcome_unknown') return 'open';
      return reportedAt === null ? null : 'rejected';
    case 'queued':
    case 'sending':
    case 'recorded':
    case 'cancelled':
      return null;
  }
}

function isBounce(former: 'open' | Reported | null): boolean {
  return former === 'soft' || former === 'hard';
}

function tokenOf({ token, envelopeSender }: ReportBounce): string {
  if (token !== undefined && envelopeSender !== undefined) {
    throw invalidField('envelopeSender', 'Only one of token and envelopeSender is allowed', 'not_applicable');
  }
  if (token !== undefined) return token.toLowerCase();
  if (envelopeSender === undefined) throw invalidField('token', 'token or envelopeSender is required', 'required');
  const [found] = envelopeSender.toLowerCase().matchAll(BOUNCE_TOKENS);
  return found?.[1] ?? '';
}
