import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger } from '../entries/action-ledger.service.js';

export const ERASURE_ACTION = 'action-ledger.payload.erase';
/** The ids and digests are in one payload, which is kept forever. */
const MAX_ENTRIES = 500;

/** The record of an erasure is never erased. */
const ERASABLE = `
  select entry.id, encode(payload.digest, 'hex') as digest
  from action_ledger_entries entry join ledger_payloads payload on payload.entry_id = entry.id
  where (payload.before is not null or payload.after is not null) and entry.action <> $1`;

interface ErasablePayload {
  id: string;
  digest: string;
}

interface Payload extends ErasablePayload {
  action: string;
  isEmpty: boolean;
}

/** Erases the states before and after a change, for personal data whose retention has ended. */
@Injectable()
export class PayloadErasuresService {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  /**
   * Erases the payloads of up to 500 entries and records that in an entry with their ids, digests and the reason. Returns the
   * id of that entry. The digests stay in the chain, so verification still covers the erased entries. The reason contains no
   * personal data, because it cannot be erased.
   */
  async erase(entryIds: readonly string[], reason: string): Promise<string> {
    const ids = [...new Set(entryIds)];
    if (ids.length === 0 || ids.length > MAX_ENTRIES) throw new Error(`expected 1 to ${MAX_ENTRIES} entries`);
    if (reason.trim() === '') throw new Error('expected a reason');
    return this.database.transaction(async () => {
      const payloads = await this.lock(ids);
      rejectUnerasable(ids, payloads);
      return this.eraseLocked(payloads, reason);
    });
  }

  /**
   * Erases the payloads of all entries about these records, in the transaction that erases the records. Entries recorded by
   * this transaction are written later and keep their payloads.
   */
  async eraseAbout(
    subjectType: string,
    subjectIds: readonly string[],
    reason = 'The record was erased after its retention period',
  ): Promise<void> {
    let erased = subjectIds.length === 0 ? 0 : MAX_ENTRIES;
    while (erased === MAX_ENTRIES) {
      const payloads = await this.database.query<ErasablePayload>(
        `${ERASABLE} and entry.subject_type = $2 and entry.subject_id = any ($3)
         order by entry.id limit $4 for update of payload`,
        [ERASURE_ACTION, subjectType, subjectIds, MAX_ENTRIES],
      );
      if (payloads.length > 0) await this.eraseLocked(payloads, reason);
      erased = payloads.length;
    }
  }

  /**
   * Erases the payloads of up to 500 entries after this one that were made before a year began in the time zone of the
   * organization. Returns the id of the last one; null if none remain.
   */
  async eraseBefore(year: number, after: string): Promise<string | null> {
    return this.database.transaction(async () => {
      // Ids begin with the time of the entry, so newer partitions are not read. Clocks differ by less than a day.
      const payloads = await this.database.query<ErasablePayload>(
        `${ERASABLE} and entry.id > $2 and entry.created_at < make_timestamptz($3, 1, 1, 0, 0, 0, $4)
           and entry.id < ledger_id_at(make_timestamptz($3, 1, 1, 0, 0, 0, $4) + interval '1 day')
         order by entry.id limit $5 for update of payload skip locked`,
        [ERASURE_ACTION, after, year, this.env.orgTimeZone, MAX_ENTRIES],
      );
      if (payloads.length > 0) await this.eraseLocked(payloads, 'The retention period of accounting has ended');
      return payloads.length === MAX_ENTRIES ? (payloads.at(-1)?.id ?? null) : null;
    });
  }

  /** Returns the id of the entry that records the erasure. */
  private async eraseLocked(payloads: readonly ErasablePayload[], reason: string): Promise<string> {
    const ids = payloads.map(({ id }) => id);
    const erasureId = newId('aled');
    await this.database.execute('update ledger_payloads set before = null, after = null where entry_id = any ($1)', [
      ids,
    ]);
    await this.database.execute(
      'insert into ledger_erasures (entry_id, erasure_id, created_at) select unnest($1::text[]), $2, $3',
      [ids, erasureId, this.clock.now()],
    );
    const entries = payloads.map(({ id, digest }) => ({ id, digest }));
    this.ledger.recordUnder(erasureId, ERASURE_ACTION, {
      subjectType: 'ledger_erasure',
      subjectId: erasureId,
      after: { entries, reason },
    });
    return erasureId;
  }

  private lock(ids: readonly string[]): Promise<Payload[]> {
    return this.database.query<Payload>(
      `select payload.entry_id as id, entry.action, encode(payload.digest, 'hex') as digest,
              payload.before is null and payload.after is null as "isEmpty"
       from ledger_payloads payload join action_ledger_entries entry on entry.id = payload.entry_id
       where payload.entry_id = any ($1) order by payload.entry_id for update of payload`,
      [ids],
    );
  }
}

function rejectUnerasable(ids: readonly string[], payloads: readonly Payload[]): void {
  const known = new Set(payloads.map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw notFound({ entryId: unknown });
  const empty = payloads.find(({ isEmpty }) => isEmpty);
  if (empty) throw conflict('payload_erased', 'The entry has no payload, or it was erased', { entryId: empty.id });
  const record = payloads.find(({ action }) => action === ERASURE_ACTION);
  if (record) throw conflict('erasure_record', 'The record of an erasure is never erased', { entryId: record.id });
}
