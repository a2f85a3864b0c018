import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/id.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { contractMail, contractMailOf } from './contract-mail.js';
import { LEASE_SECONDS, SEND } from './deliveries.service.js';
import { NotificationMessage } from './notification-message.entity.js';

/** The mails with contracts: staff sent them, so they leave at once, at whatever hour. */
@Injectable()
export class ContractMails implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly env: Env,
  ) {}

  onModuleInit(): void {
    this.jobs.define('mail.send', (payload) => this.queue(payload));
  }

  /** The job is repeated where it was broken off; the message has the id that the job has for it, and is there once. */
  async queue(payload: unknown): Promise<void> {
    const mail = contractMailOf(payload);
    const { subject, text } = contractMail(mail, { organization: this.env.orgName, baseUrl: this.env.baseUrl });
    await this.database.transaction(async () => {
      await this.database.query(
        `insert into notification_messages (id, kind, contract_id, status, recipient, recipient_kind, subject, text, attempts,
           send_at, created_at, updated_at)
         values ($1, 'contract', $2, 'queued', $3, 'primary', $4, $5, 0, $6, $6, $6) on conflict (id) do nothing`,
        [mail.messageId ?? newId('nmsg'), mail.contractId, mail.recipientEmail, subject, text, this.clock.now()],
      );
      await this.jobs.add(SEND, {}, { key: `${SEND}:${mail.contractId}` });
    });
  }

  /** Marks the next one that is due; null where there is none. */
  async mark(): Promise<NotificationMessage | null> {
    return this.database.transaction(async () => {
      const [marked] = await this.database.read(NotificationMessage, {
        text: `update notification_messages message
          set status = 'sending', lease_until = $2, attempts = message.attempts + 1, updated_at = $1
          where message.id = (
            select id from notification_messages where kind = 'contract' and status = 'queued' and send_at <= $1
            order by send_at, id limit 1 for update skip locked)
          returning ${this.database.columnsOf(NotificationMessage, 'message')}`,
        values: [this.clock.now(), this.clock.inSeconds(LEASE_SECONDS)],
      });
      return marked?.entity ?? null;
    });
  }
}
