import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { StoredFile } from '../../../platform/files/file-store.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { InvoiceRendition } from './invoice-rendition.entity.js';
import { toRendition } from './rendition.dto.js';
import { MAX_ATTEMPTS } from './renditions.service.js';

const LEASE_SECONDS = 300;

/** A rendition that this process is rendering. Whoever claims it next has another attempt's number. */
export type Claim = Pick<InvoiceRendition, 'id' | 'invoiceId' | 'format' | 'language' | 'attempts'>;

/** Who renders what: a claim is good for five minutes, and a rendition is tried five times. */
@Injectable()
export class RenditionClaims {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Null where somebody else has it, or there is nothing more to do. Waits where the row is held: its siblings'
   * completion holds it too, and a claim that passed over it would leave it to the sweep.
   */
  async claim(id: string): Promise<Claim | null> {
    const [claim] = await this.database.query<Claim>(
      `update invoice_renditions set attempts = attempts + 1, lease_until = $2
       where id = $1 and status = 'pending' and attempts < $4 and (lease_until is null or lease_until <= $3)
       returning id, invoice_id as "invoiceId", format, language, attempts`,
      [id, this.clock.inSeconds(LEASE_SECONDS), this.clock.now(), MAX_ATTEMPTS],
    );
    return claim ?? null;
  }

  /** The file is there; of its format and language, the newest one that is ready stays so. */
  async complete(claim: Claim, { key, sizeBytes }: StoredFile): Promise<void> {
    await this.database.transaction(async () => {
      const [pending] = await this.hold(claim);
      if (!pending) return;
      const at = this.clock.now();
      const siblings = [claim.invoiceId, claim.format, claim.language];
      const [newer] = await this.database.query(
        `select from invoice_renditions where invoice_id = $1 and format = $2 and language = $3
           and version > $4 and status = 'ready'`,
        [...siblings, pending.version],
      );
      await this.database.query(
        `update invoice_renditions set status = 'stale' where invoice_id = $1 and format = $2 and language = $3
           and version < $4 and status = 'ready'`,
        [...siblings, pending.version],
      );
      await this.database.query(
        `update invoice_renditions set status = $2, storage_key = $3, sha256 = $3, size_bytes = $4, ready_at = $5,
           lease_until = null, failure = null where id = $1`,
        [claim.id, newer ? 'stale' : 'ready', key, sizeBytes, at],
      );
      await this.tell('render', pending);
      this.outbox.add({
        channel: 'finance.invoices',
        event: 'invoice.rendered',
        data: {
          invoiceId: claim.invoiceId,
          renditionId: claim.id,
          format: claim.format,
          language: claim.language,
          version: pending.version,
        },
      });
    });
  }

  /** Gives the claim back; true if that was the last attempt. */
  async giveUp(claim: Claim, failure: string): Promise<boolean> {
    return this.database.transaction(async () => {
      const [pending] = await this.hold(claim);
      if (!pending) return false;
      const isLast = claim.attempts >= MAX_ATTEMPTS;
      await this.database.query(
        'update invoice_renditions set status = $2, failure = $3, lease_until = null where id = $1',
        [claim.id, isLast ? 'failed' : 'pending', failure.slice(0, 500)],
      );
      if (isLast) await this.tell('fail', pending);
      return isLast;
    });
  }

  /** Those whose process died, or whose job got lost; those that were tried often enough are given up. */
  async abandoned(): Promise<Claim[]> {
    return this.database.query<Claim>(
      `select id, invoice_id as "invoiceId", format, language, attempts from invoice_renditions
       where status = 'pending' and coalesce(lease_until, created_at + $2 * interval '1 second') <= $1
       order by created_at limit 100`,
      [this.clock.now(), LEASE_SECONDS],
    );
  }

  /** All of the format and language, in one order, since the completion of one changes others. */
  private async hold({ id, attempts, invoiceId, format, language }: Claim): Promise<InvoiceRendition[]> {
    const rows = await this.database.repository(InvoiceRendition).find({
      where: { invoiceId, format, language },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    return rows.filter((row) => row.id === id && row.attempts === attempts && row.status === 'pending');
  }

  private async tell(verb: 'render' | 'fail', before: InvoiceRendition): Promise<void> {
    const after = await this.database.repository(InvoiceRendition).findOneByOrFail({ id: before.id });
    this.ledger.record(`finance.invoice_rendition.${verb}`, {
      subjectType: 'invoice_rendition',
      subjectId: before.id,
      before: toRendition(before),
      after: toRendition(after),
      reason: verb === 'fail' ? after.failure : null,
    });
  }
}
