import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { toAppError } from '../../../platform/errors/to-app-error.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { LOG } from '../../../platform/observability/log.js';
import { OutgoingCalls } from '../../../platform/observability/telemetry.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { MessageTokens } from '../messages/message-tokens.js';
import { UnsubscriptionsService } from '../unsubscriptions/unsubscriptions.service.js';
import { SuppressionsService } from '../suppressions/suppressions.service.js';
import { MailedFilesService } from '../messages/mailed-files.service.js';
import { MessagesService } from '../messages/messages.service.js';
import { type MailFile, MessageFiles } from '../messages/message-files.js';
import { isToStaff, type NotificationMessage } from '../messages/notification-message.entity.js';
import { isSendable, namedTemplate, recipientKindOf } from '../rules/channel-config.js';
import { type ClaimedRun, ReminderRunsRepository } from '../runs/reminder-runs.repository.js';
import { MailComposer } from '../templates/mail-composer.js';
import { htmlOf } from '../templates/template-text.js';
import { findSource } from '../targets/reminder-source.js';
import { sendingWindowOf } from '../timing/sending-window.js';
import { DirectMailsService, SEND_MESSAGES } from './direct-mails.service.js';
import { ContractLinks } from './contract-links.js';
import { OfferLinks } from './offer-links.js';
import { withLink, withoutLink } from './link-placeholder.js';
import { type Mail, MailSender, type Outcome } from './mail-sender.js';
import { decide, type Decision } from './run-decision.js';
import { CANCELLED, type DeliveryResult, deliveryResultOf, retryDelayMs } from './delivery-result.js';

const LANES = 4;
const BATCH = 1_000;
/** Ends before the next run of the cron, so that a long queue does not occupy a worker permanently. */
const MAX_WORK_MS = 50_000;
const ABANDONED_BATCH = 100;
/** The pauses add up to much less than the lease of a message. */
const MAX_PAUSE_MS = 16_000;

/** A message with a delivery attempt in progress. */
interface Attempt {
  message: NotificationMessage;
  /** The text to send; null if its link is no longer valid, because the mail would be useless. */
  text: string | null;
  /** The one-time link in the text; null if there is none. */
  link: string | null;
}

interface Content {
  text: string;
  link: string | null;
  files: readonly MailFile[];
}

/**
 * Sends due messages, each at most once: the start of an attempt is committed before the mail server is called, and an attempt
 * whose outcome was not recorded is never repeated.
 */
@Injectable()
export class DeliveryJobs {
  constructor(
    private readonly database: Database,
    private readonly messages: MessagesService,
    private readonly runs: ReminderRunsRepository,
    private readonly suppressions: SuppressionsService,
    private readonly listeners: Listeners,
    private readonly composer: MailComposer,
    private readonly directMails: DirectMailsService,
    private readonly tokens: MessageTokens,
    private readonly unsubscriptions: UnsubscriptionsService,
    private readonly files: MessageFiles,
    private readonly mailedFiles: MailedFilesService,
    private readonly sender: MailSender,
    private readonly jobs: Jobs,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    private readonly env: Env,
    private readonly calls: OutgoingCalls,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Runs every minute and when a message is due earlier; any number of processes may run it at once. */
  @Cron(SEND_MESSAGES, '* * * * *')
  async sendDue(): Promise<void> {
    await this.settleAbandoned();
    while ((await this.runs.queueDue(BATCH)) === BATCH);
    const until = performance.now() + MAX_WORK_MS;
    await Promise.all(Array.from({ length: LANES }, () => this.sendUntil(until)));
    // Runs once more without concurrent lanes, for the runs that a lane skipped because another one had locked their recipient.
    await this.sendUntil(until);
  }

  /** If its process ended, the outcome of an attempt is unknown. */
  private async settleAbandoned(): Promise<void> {
    const error = 'The sending process ended before it recorded the outcome';
    for (let count = ABANDONED_BATCH; count === ABANDONED_BATCH;) {
      count = await this.database.transaction(async () => {
        const abandoned = await this.messages.lockAbandoned(ABANDONED_BATCH);
        for (const message of abandoned) await this.settle(message, { kind: 'unknown', error });
        return abandoned.length;
      });
    }
  }

  private async sendUntil(until: number): Promise<void> {
    const skipped = new Set<string>();
    while (performance.now() < until) {
      // Sends contracts and mails about accounts first, because their recipients expect them.
      const next = (await this.startDirect()) ?? (await this.decideNextRun(skipped));
      if (next === 'none') return;
      if (next !== 'decided') await this.deliver(next);
    }
  }

  /**
   * Each attempt creates its own link, because an earlier mail may have arrived. Mails about accounts of staff are sent even to
   * suppressed addresses: staff could not log in otherwise.
   *
   * @returns the message to send, `decided` if its recipient is suppressed, null if none is due.
   */
  private async startDirect(): Promise<Attempt | 'decided' | null> {
    return this.database.transaction(async () => {
      const message = await this.messages.startDirect();
      if (!message) return null;
      const { text } = message;
      if (message.kind === 'account') return { message, ...(await this.directMails.complete(message)) };
      if (message.kind === 'marketing')
        return (await this.mayGetMarketing(message)) ? { message, text, link: null } : 'decided';
      const suppression = await this.suppressions.find(message.recipient);
      if (suppression) {
        const { bookingId, customerId } = message;
        await this.messages.suppress(message);
        if (!isToStaff(message.kind))
          await this.suppressions.report({ suppressionId: suppression.id, bookingId, customerId });
        return 'decided';
      }
      const link = await this.linkOf(message);
      if (link === undefined) return { message, text, link: null };
      return { message, text: link === null ? null : withLink(text, link), link };
    });
  }

  /** The link of a mail; null if it no longer works, undefined if the mail has none. */
  private async linkOf({ id, kind, contractId }: NotificationMessage): Promise<string | null | undefined> {
    if (kind === 'waiting_offer') return this.listeners.all(OfferLinks)[0]?.find(id);
    return contractId === null ? undefined : this.listeners.all(ContractLinks)[0]?.create(contractId);
  }

  /** Ends a marketing mail whose recipient has withdrawn the consent or is suppressed since it was queued. */
  private async mayGetMarketing(message: NotificationMessage): Promise<boolean> {
    const isSuppressed = (await this.suppressions.find(message.recipient, 'marketing')) !== null;
    if (!isSuppressed && (await this.unsubscriptions.hasConsent(message.customerId))) return true;
    await this.messages.suppress(message, isSuppressed ? 'recipient_suppressed' : 'consent_required');
    return false;
  }

  /**
   * Locks the next due run, reads its target and its recipient's limits, and starts the attempt or ends the run. If the process
   * ends before the commit, the run remains in the queue. A transaction that settles the target waits for the lock of the run:
   * it either finds the attempt started, or prevents it.
   *
   * @returns the message to send, `decided` if the run is not sent now, `none` if no run is due.
   */
  private async decideNextRun(skipped: Set<string>): Promise<Attempt | 'decided' | 'none'> {
    return this.database.transaction(async () => {
      const now = this.clock.now();
      const run = await this.runs.lockNextDue(skipped);
      if (!run) return 'none';
      const target = (await findSource(this.listeners, run.trigger)?.read(run.trigger, run.targetId)) ?? null;
      const template =
        target && isSendable(run.config)
          ? await this.composer.choose(run.trigger, namedTemplate(run.config), target.bookingId)
          : null;
      const decision = decide({ ...run, target, template }, { now, window: sendingWindowOf(this.env) });
      switch (decision.kind) {
        case 'wait':
          await this.runs.postpone(run.id, decision.until);
          return 'decided';
        case 'end':
          await this.end(run.id, decision);
          return 'decided';
        case 'send':
          return this.start(run, decision, skipped);
      }
    });
  }

  /** A run whose recipient another process has locked is added to the skipped ones and remains in the queue. */
  private async start(
    run: ClaimedRun,
    { recipient, template, target }: Extract<Decision, { kind: 'send' }>,
    skipped: Set<string>,
  ): Promise<Attempt | 'decided'> {
    const { id: runId, suppressionGroup } = run;
    if (!(await this.messages.lockRecipient(recipient))) {
      skipped.add(runId);
      return 'decided';
    }
    const { bookingId } = target;
    const suppression = await this.suppressions.find(recipient);
    if (suppression) {
      await this.end(runId, { status: 'skipped', reason: 'recipient_suppressed', recipient });
      await this.suppressions.report({ suppressionId: suppression.id, bookingId, customerId: null });
      return 'decided';
    }
    const limited = { runId, recipient, suppressionGroup };
    const reason = await this.messages.exceededLimit(limited, { at: this.clock.now(), promised: 0 });
    if (reason !== null) {
      await this.end(runId, { status: 'skipped', reason });
      return 'decided';
    }
    const mail = await this.composer.compose(template, target);
    if (!mail) {
      await this.end(runId, { status: 'skipped', reason: 'message_too_long' });
      return 'decided';
    }
    const attempts = await this.runs.startSending(runId, recipient);
    const kind = recipientKindOf(run.config);
    const message = await this.messages.startReminder({
      ...{ ...limited, ...mail, bookingId, attempts },
      recipientKind: kind,
    });
    return { message, text: message.text, link: null };
  }

  private async end(
    runId: string,
    { status, reason, recipient }: Omit<Extract<Decision, { kind: 'end' }>, 'kind'> & { recipient?: string },
  ) {
    await this.runs.end(runId, { status, reason, recipient: recipient ?? null });
    await this.messages.cancelQueued(runId);
  }

  /** The start of the attempt must be committed. */
  private async deliver({ message, text, link }: Attempt): Promise<void> {
    const outcome: Outcome = text === null ? { kind: 'withdrawn' } : await this.sendText(message, { text, link });
    await untilRecorded(() => this.database.transaction(() => this.settle(message, outcome)));
  }

  /** Reports about the mail return to an address of its own, if a mail server passes them on. */
  private mailOf(message: NotificationMessage, { text, link, files }: Content): Mail {
    const { bounceDomain } = this.env;
    const token = bounceDomain === null ? null : this.tokens.create('bounce', message.id, message.recipient);
    const envelopeSender = token === null ? null : `bounces+${token}@${bounceDomain}`;
    const unsubscriptionUrl = message.kind === 'marketing' ? this.unsubscriptions.urlOf(message.id) : null;
    return { ...message, files, text, link, envelopeSender, unsubscriptionUrl, html: htmlOfTemplate(message, text) };
  }

  /** Returns the outcome without the links of the mail. */
  private async sendText(message: NotificationMessage, content: Omit<Content, 'files'>): Promise<Outcome> {
    const files = await this.readFiles(message);
    if (files === 'unavailable') return { kind: 'temporary', error: 'A file of the mail cannot be read at the moment' };
    if (files === null) return { kind: 'incomplete' };
    const { text, links } = await this.mailedFiles.withLinks(message, content.text);
    const mail = this.mailOf(message, { ...content, text, files });
    const outcome = withoutLink(withoutLink(await this.send(mail), mail.link), mail.unsubscriptionUrl);
    return links.reduce(withoutLink, outcome);
  }

  /** Returns null if the mail cannot be sent with all of its files. A process of an older build copies a message without them. */
  private async readFiles({ id, kind, files }: NotificationMessage): Promise<MailFile[] | 'unavailable' | null> {
    if (kind === 'document' && files.length === 0) return null;
    try {
      return await this.files.read(files);
    } catch (error) {
      if (toAppError(error)?.status === 503) return 'unavailable';
      this.log.error({ err: error, messageId: id }, 'A file of a mail cannot be read');
      return null;
    }
  }

  private send(mail: Mail): Promise<Outcome> {
    const { smtpUrl: url } = this.env;
    if (url === null) return this.sender.send(mail);
    const failureOf = ({ kind }: Outcome) => (kind === 'sent' ? null : kind);
    return this.calls.run({ name: 'mail', url, failureOf }, () => this.sender.send(mail));
  }

  private async settle(message: NotificationMessage, outcome: Outcome): Promise<void> {
    const settlement = await this.deliveryResultOf(message, outcome);
    const { status, reason, run } = settlement;
    const delayMs = status === 'queued' ? retryDelayMs(message.attempts) : 0;
    const sendAt = new Date(this.clock.now().getTime() + delayMs);
    const error = 'error' in outcome ? outcome.error : null;
    if (!(await this.messages.settle(message, { status, reason, error, sendAt }))) return;
    if (message.runId !== null) await this.settleRun(message.runId, run, sendAt);
    if (outcome.kind === 'bounced') await this.suppress(message);
    if (status === 'queued')
      await this.jobs.add(SEND_MESSAGES, {}, { runAt: sendAt, key: `${SEND_MESSAGES}:${message.id}` });
  }

  /** The address does not exist: no further mail is sent to it until staff lift the suppression. */
  private async suppress({ id, kind, recipient, bookingId, customerId }: NotificationMessage): Promise<void> {
    const cause = { scope: 'all', reason: 'hard_bounce' } as const;
    const suppressionId = await this.suppressions.add({ address: recipient, messageId: id, ...cause });
    if (!isToStaff(kind)) await this.suppressions.report({ suppressionId, bookingId, customerId });
  }

  private async deliveryResultOf({ runId, attempts }: NotificationMessage, outcome: Outcome): Promise<DeliveryResult> {
    const settlement = deliveryResultOf(outcome, attempts);
    if (settlement.status !== 'queued' || runId === null) return settlement;
    return (await this.runs.isOfDisabledRule(runId)) ? CANCELLED : settlement;
  }

  private async settleRun(runId: string, { status, reason }: DeliveryResult['run'], runAt: Date): Promise<void> {
    const settled = await this.runs.settle(runId, { status, reason, runAt });
    if (!settled || status !== 'sent') return;
    const data = { runId, ...settled, delivered: reason === null };
    for (const channel of [`bookings.${settled.bookingId}`, 'notifications.reminders']) {
      this.outbox.add({ channel, event: 'reminder.sent', data });
    }
  }
}

/** Mails with a published text also have it as HTML. */
function htmlOfTemplate({ templateId }: NotificationMessage, text: string): string | null {
  return templateId === null ? null : htmlOf(text);
}

/** Only this process knows the outcome, so it retries during a short outage of the database. */
async function untilRecorded(work: () => Promise<void>): Promise<void> {
  for (let pauseMs = 1_000; ; pauseMs *= 2) {
    try {
      return await work();
    } catch (error) {
      if (pauseMs > MAX_PAUSE_MS) throw error;
      await pause(pauseMs);
    }
  }
}
