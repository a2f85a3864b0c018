import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { newId } from '../../../platform/ids/id.js';
import { LOG } from '../../../platform/observability/log.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { ActionLedger } from '../../action-ledger/index.js';
import type { ReservationStep } from '../envelopes/reservation-plan.js';
import { type AttentionCode, type Resolution, TripAttention } from './trip-attention.entity.js';
import { eventsOf } from '../envelopes/trip-audit.js';
import type { Trip } from '../envelopes/trip.entity.js';
import type { ListTripAttentions } from './trip-attention.dto.js';

/**
 * Manages the attentions of trips. The caller locks the trip and saves it, because a flag shows whether an attention is open.
 */
@Injectable()
export class TripAttentionsService {
  private readonly rows: Rows<TripAttention>;

  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.rows = database.rows(TripAttention);
  }

  /** Newest first. */
  async list(envelopeId: string, query: ListTripAttentions): Promise<{ rows: TripAttention[]; total: number }> {
    const found = this.rows.query('attention').where('attention.envelopeId = :envelopeId', { envelopeId });
    sortRows(found, query.sort ?? '-raisedAt');
    return this.rows.page(found, pageBounds(query));
  }

  /** An attention of another trip is not found. */
  async get(envelopeId: string, id: string): Promise<TripAttention> {
    const found = await this.rows.get(id);
    return found.envelopeId === envelopeId ? found : this.rows.get('');
  }

  /** Does nothing if the step already has an open attention with this code. */
  async raise(trip: Trip, { id: stepId, componentId }: ReservationStep, code: AttentionCode): Promise<void> {
    const open = await this.openOf(stepId);
    if (open.some((known) => known.code === code)) return;
    const attention = make(TripAttention, {
      id: newId('tatt'),
      envelopeId: trip.id,
      componentId,
      stepId,
      code,
      raisedAt: this.clock.now(),
    });
    await this.rows.insert(attention);
    trip.attention = true;
    const images = { before: null, after: attention.auditImage() };
    this.ledger.record('trips.attention.raise', { ...subjectOf(attention), ...images });
    this.publish('attention_raised', trip, attention);
    const about = { envelopeId: trip.id, componentId, attentionId: attention.id, code };
    this.database.afterCommit(() => this.log.warn({ trips: about }, 'Staff need to check an order at a provider'));
  }

  /** Closes the step's open attentions, because nothing is left to check. */
  async settle(trip: Trip, stepId: string, resolution: Resolution = 'settled'): Promise<void> {
    for (const attention of await this.openOf(stepId)) await this.close(trip, attention, { resolution });
  }

  /** Closes attentions about ended orders of these components. Returns their number. */
  async settleReinstated(trip: Trip, componentIds: ReadonlySet<string>): Promise<number> {
    const found = await this.rows.listBy({ envelopeId: trip.id, code: 'order_not_reinstated' }, ['raisedAt']);
    const open = found.filter(({ resolvedAt, componentId }) => resolvedAt === null && componentIds.has(componentId));
    for (const attention of open) await this.close(trip, attention, { resolution: 'settled' });
    return open.length;
  }

  async close(
    trip: Trip,
    attention: TripAttention,
    { resolution, note = null }: { resolution: Resolution; note?: string | null },
  ): Promise<void> {
    const before = attention.auditImage();
    attention.resolve(resolution, note, this.clock.now());
    await this.rows.update(attention);
    const [open] = await this.database.query<{ open: boolean }>(
      'select exists (select from trip_attentions where envelope_id = $1 and resolved_at is null) as open',
      [trip.id],
    );
    trip.attention = open?.open ?? false;
    const images = { before, after: attention.auditImage() };
    this.ledger.record('trips.attention.resolve', { ...subjectOf(attention), ...images, reason: note });
    this.publish('attention_resolved', trip, attention);
  }

  private async openOf(stepId: string): Promise<TripAttention[]> {
    const found = await this.rows.listBy({ stepId }, ['raisedAt']);
    return found.filter(({ resolvedAt }) => resolvedAt === null);
  }

  private publish(what: string, trip: Trip, { id: attentionId, code, componentId, resolution }: TripAttention): void {
    for (const event of eventsOf(trip, what, { attentionId, code, componentId, resolution })) this.outbox.add(event);
  }
}

function subjectOf({ id }: TripAttention) {
  return { subjectType: 'trip_attention', subjectId: id };
}
