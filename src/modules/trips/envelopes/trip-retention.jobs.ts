import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { ActionLedger, PayloadErasuresService } from '../../action-ledger/index.js';
import { BookingsService } from '../../bookings/index.js';

const BATCH = 500;

interface Candidate {
  id: string;
  booking_id: string | null;
}

/**
 * Erases titles, customers, travelers and reasons of trips: `CONTACT_RETENTION_MONTHS` after their last change, or, if a trip was
 * booked, after its booking was erased. Status, prices and times stay.
 */
@Injectable()
export class TripRetentionJobs {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly ledger: ActionLedger,
    private readonly payloads: PayloadErasuresService,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  /** Each batch has its own transaction, so a stopped job continues with the next batch. */
  @Cron('trips.retention', '59 3 * * *')
  async erasePast(): Promise<void> {
    let after: string | null = '';
    while (after !== null) after = await this.eraseBatch(after);
  }

  /** Returns the last id that was checked; null after the last batch. */
  private async eraseBatch(after: string): Promise<string | null> {
    return this.database.transaction(async () => {
      const candidates = await this.database.query<Candidate>(
        `select id, booking_id from trip_envelopes
         where erased_at is null and id > $1 and updated_at < $2::date - make_interval(months => $3)
           and status not in ('reserve_in_progress', 'reserved')
         order by id limit $4 for update`,
        [after, this.clock.today(), this.env.contactRetentionMonths, BATCH],
      );
      const booked = candidates.flatMap(({ booking_id: bookingId }) => bookingId ?? []);
      const erased = new Set(await this.bookings.erasedAmong(booked));
      await this.erase(candidates.filter(({ booking_id: id }) => id === null || erased.has(id)).map(({ id }) => id));
      return candidates.length === BATCH ? (candidates.at(-1)?.id ?? null) : null;
    });
  }

  /** Erases these trips, in the running transaction. */
  async erase(ids: readonly string[], reason?: string): Promise<void> {
    const now = this.clock.now();
    const erased = await this.database.query<{ id: string; version: number }>(
      `update trip_envelopes set title = null, traveler_party = null, customer_id = null, erased_at = $2, version = version + 1,
         updated_at = $2,
         cancel_reason = case when cancel_reason is not null then 'erased' end
       where id = any ($1) returning id, version`,
      [ids, now],
    );
    const components = await this.database.query<{ id: string }>(
      `update trip_components set title = 'erased' where envelope_id = any ($1) returning id`,
      [ids],
    );
    const attentions = await this.database.query<{ id: string }>(
      `update trip_attentions set note = case when note is not null then 'erased' end
       where envelope_id = any ($1) returning id`,
      [ids],
    );
    const subjects = { trip: erased, trip_component: components, trip_attention: attentions };
    for (const [type, rows] of Object.entries(subjects)) {
      const subjectIds = rows.map(({ id }) => id);
      await this.payloads.eraseAbout(type, subjectIds, reason);
    }
    for (const { id, version } of erased) {
      const images = { before: { id, version: version - 1 }, after: { id, version } };
      this.ledger.record('trips.trip.erase', { subjectType: 'trip', subjectId: id, ...images });
    }
  }
}
