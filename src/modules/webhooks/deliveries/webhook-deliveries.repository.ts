import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { newId } from '../../../platform/ids/id.js';
import { LOG } from '../../../platform/observability/log.js';
import { patternsOf } from '../endpoints/event-types.js';
import type { EndpointStatus, OwnerKind } from '../endpoints/webhook-endpoint.entity.js';
import type { Attempt, ListWebhookDeliveries } from './webhook-delivery.dto.js';
import { type DeliveryError, type DeliveryStatus, WebhookDelivery } from './webhook-delivery.entity.js';

/** An event as the module stores it. */
export interface StoredEvent {
  id: string;
  type: string;
  channel: string;
  /** The record that it is about, or its channel. */
  subject: string;
  data: Record<string, unknown>;
  createdAt: Date;
}

/** An endpoint that wants some event. */
export interface Candidate {
  id: string;
  ownerKind: OwnerKind;
  ownerId: string;
  eventTypes: string[];
  status: EndpointStatus;
}

/** A delivery to attempt now, with its event and its endpoint. */
export interface ClaimedDelivery {
  id: string;
  /** The number of this attempt. */
  attempt: number;
  tries: number;
  firstAttemptAt: Date;
  endpointId: string;
  ownerKind: OwnerKind;
  ownerId: string;
  subject: string;
  url: string;
  /** Null if the event was purged. */
  event: StoredEvent | null;
}

export interface Outcome {
  status: DeliveryStatus;
  nextAttemptAt: Date | null;
  startedAt: Date;
  durationMs: number;
  responseStatus: number | null;
  error: DeliveryError | null;
}

/** Concurrent attempts of an endpoint whose attempts succeed; any other endpoint has one. */
const PER_ENDPOINT = 4;
/**
 * Failures in a row after which an endpoint has one attempt at a time and pauses in between. A new endpoint begins there; a single
 * time-out leads there.
 */
const DISTRUST_AT = 10;
/** Deliveries of one statement, which has a time limit. */
const ENQUEUED_AT_ONCE = 5_000;
/** By the clock of the database, which the processes share. */
const LEASE_SECONDS = 25;
export const LEASE_MS = LEASE_SECONDS * 1000;
const CLAIM_LOCK = 7_120_067;

const CANDIDATES = `
  select id, owner_kind as "ownerKind", owner_id as "ownerId", event_types as "eventTypes", status
  from webhook_endpoints where event_types && $1::text[] order by id`;

const ADD_EVENTS = `
  insert into webhook_events (id, type, channel, subject, data, created_at, stored_at)
  select id, type, channel, subject, data::json, created_at, $7
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
    with ordinality as e (id, type, channel, subject, data, created_at, n)
  order by n
  on conflict (id) do nothing`;

/** Every transaction locks queues before deliveries, and in this order. */
const LOCK_QUEUES = `
  insert into webhook_queues (endpoint_id, subject, waiting, due_at)
  select distinct endpoint_id, subject, 0, $3::timestamptz from unnest($1::text[], $2::text[]) as q (endpoint_id, subject)
  order by endpoint_id, subject
  on conflict (endpoint_id, subject) do update set waiting = webhook_queues.waiting`;

/** $7: statuses of existing deliveries that start again. A replay moves them behind the others of their subject. */
const ENQUEUE = `
  with added as (
    insert into webhook_deliveries (id, endpoint_id, event_id, event_type, subject, status, attempts, tries, next_attempt_at,
      created_at, updated_at)
    select id, endpoint_id, event_id, event_type, subject, 'pending', 0, 0, $6, $6, $6
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
      with ordinality as d (id, endpoint_id, event_id, event_type, subject, n)
    order by n
    on conflict (endpoint_id, event_id) do update
      set status = 'pending', sequence = excluded.sequence, tries = 0, first_attempt_at = null, next_attempt_at = $6,
        response_status = null, error = null, completed_at = null, updated_at = $6
      where webhook_deliveries.status = any ($7)
    returning endpoint_id, subject
  ), queued as (
    update webhook_queues queue set waiting = queue.waiting + added.count
    from (select endpoint_id, subject, count(*)::int as count from added group by endpoint_id, subject) added
    where queue.endpoint_id = added.endpoint_id and queue.subject = added.subject
  )
  select count(*)::int as count from added`;

const DELETE_EMPTY_QUEUES = `
  delete from webhook_queues queue using unnest($1::text[], $2::text[]) as q (endpoint_id, subject)
  where queue.endpoint_id = q.endpoint_id and queue.subject = q.subject and queue.waiting = 0`;

/**
 * Leases the subjects that are due, and starts an attempt of the first delivery of each. $2: whether of endpoints whose attempts
 * succeed, or of the others. An endpoint that hangs therefore occupies neither more than its own attempts nor the places of those
 * that answer.
 */
const CLAIM = `
  with busy as (
    select endpoint_id, count(*)::int as attempts from webhook_queues where leased_until > now() group by endpoint_id
  ), ready as (
    select due.endpoint_id, due.subject
    from webhook_endpoints endpoint
      left join webhook_health health on health.endpoint_id = endpoint.id
      left join busy on busy.endpoint_id = endpoint.id
      cross join lateral (
        select queue.endpoint_id, queue.subject, queue.due_at from webhook_queues queue
        where queue.endpoint_id = endpoint.id and queue.due_at <= $1
          and (queue.leased_until is null or queue.leased_until <= now())
        order by queue.due_at, queue.subject
        limit greatest(0, (case when $2 then ${PER_ENDPOINT} else 1 end) - coalesce(busy.attempts, 0))
        for update of queue skip locked
      ) due
    where endpoint.status = 'active' and (coalesce(health.failures, ${DISTRUST_AT}) < ${DISTRUST_AT}) = $2
      and (health.paused_until is null or health.paused_until <= $1)
    order by due.due_at, due.endpoint_id
    limit $3
  ), leased as (
    update webhook_queues queue set leased_until = now() + interval '${LEASE_SECONDS} seconds' from ready
    where queue.endpoint_id = ready.endpoint_id and queue.subject = ready.subject
    returning queue.endpoint_id, queue.subject
  ), head as (
    select first.id, first.event_id from leased cross join lateral (
      select id, event_id from webhook_deliveries
      where endpoint_id = leased.endpoint_id and subject = leased.subject and status = 'pending'
      order by sequence limit 1
    ) first
  ), started as (
    update webhook_deliveries delivery
    set attempts = delivery.attempts + 1, tries = delivery.tries + 1,
      first_attempt_at = coalesce(delivery.first_attempt_at, $1), updated_at = $1
    from head where delivery.id = head.id
    returning delivery.*
  )
  select started.id, started.attempts as attempt, started.tries, started.first_attempt_at as "firstAttemptAt",
    started.endpoint_id as "endpointId", started.subject, endpoint.owner_kind as "ownerKind", endpoint.owner_id as "ownerId", endpoint.url,
    case when event.id is not null then json_build_object('id', event.id, 'type', event.type, 'channel', event.channel,
      'subject', event.subject, 'data', event.data) end as event, event.created_at as "eventCreatedAt"
  from started join webhook_endpoints endpoint on endpoint.id = started.endpoint_id
    left join webhook_events event on event.id = started.event_id`;

/** Records an attempt unless another process has started a later one, because this one took longer than its lease. */
const COMPLETE = `
  with locked as materialized (
    select endpoint_id, subject from webhook_queues where endpoint_id = $10 and subject = $11 for update
  ), done as (
    update webhook_deliveries delivery
    set status = $3, next_attempt_at = $4, response_status = $5, error = $6, updated_at = $7,
      completed_at = case when $3 = 'pending' then null else $7::timestamptz end
    from locked
    where delivery.id = $1 and delivery.attempts = $2 and delivery.status = 'pending'
    returning delivery.endpoint_id, delivery.subject
  ), logged as (
    insert into webhook_attempts (delivery_id, number, started_at, duration_ms, response_status, error)
    select $1, $2, $8, $9, $5, $6 from done
  )
  update webhook_queues queue
  set waiting = queue.waiting - (case when $3 = 'pending' then 0 else 1 end), leased_until = null, due_at = coalesce($4, $7)
  from done where queue.endpoint_id = done.endpoint_id and queue.subject = done.subject
  returning queue.endpoint_id as "endpointId", queue.subject, queue.waiting`;

const DELETE_QUEUE = 'delete from webhook_queues where endpoint_id = $1 and subject = $2 and waiting = 0';

const SKIPPED_AT_ONCE = 1_000;
const SKIP = `
  with skipped as (
    update webhook_deliveries set status = 'skipped', error = 'endpoint_disabled', next_attempt_at = null, completed_at = $2,
      updated_at = $2
    where id in (
      select id from webhook_deliveries where endpoint_id = $1 and status = 'pending' order by subject, sequence limit $3)
    returning subject
  ), counted as (
    update webhook_queues queue set waiting = queue.waiting - skipped.count
    from (select subject, count(*)::int as count from skipped group by subject) skipped
    where queue.endpoint_id = $1 and queue.subject = skipped.subject
  )
  select count(*)::int as count from skipped`;

const SUCCEEDED = `
  insert into webhook_health (endpoint_id, failures) values ($1, 0)
  on conflict (endpoint_id) do update set failures = 0, paused_until = null where webhook_health.failures > 0`;

/** $2: the attempt took its whole time. The pause doubles from 5 seconds to 5 minutes. */
const FAILED = `
  insert into webhook_health as health (endpoint_id, failures, paused_until)
  values ($1, ${DISTRUST_AT} + 1, $3::timestamptz + interval '5 seconds')
  on conflict (endpoint_id) do update set
    failures = (case when $2 then greatest(health.failures, ${DISTRUST_AT} - 1) else health.failures end) + 1,
    paused_until = case when health.failures + 1 >= ${DISTRUST_AT} or $2
      then $3::timestamptz + interval '5 seconds' * least(60, power(2, least(10, greatest(0, health.failures - ${DISTRUST_AT})))) end`;

/** The statements of deliveries, their events and their queues. */
@Injectable()
export class WebhookDeliveriesRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** The endpoints that want one of these events. */
  async candidatesFor(events: readonly string[]): Promise<Candidate[]> {
    const patterns = [...new Set(events.flatMap(patternsOf))];
    return this.database.prepared('webhook-candidates', CANDIDATES, [patterns]);
  }

  async addEvents(events: readonly StoredEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.database.write({
      name: 'webhook-add-events',
      text: ADD_EVENTS,
      values: [
        events.map(({ id }) => id),
        events.map(({ type }) => type),
        events.map(({ channel }) => channel),
        events.map(({ subject }) => subject),
        events.map(({ data }) => JSON.stringify(data)),
        events.map(({ createdAt }) => createdAt),
        this.clock.now(),
      ],
    });
  }

  /**
   * Adds the deliveries of these events to their queues, in this order. A delivery that exists starts again if it has one of the
   * statuses. Returns how many were added or started.
   */
  async enqueue(
    wanted: readonly { endpointId: string; event: Pick<StoredEvent, 'id' | 'type' | 'subject'> }[],
    restarted: readonly DeliveryStatus[] = [],
  ): Promise<number> {
    if (wanted.length === 0) return 0;
    const now = this.clock.now();
    const queues = [wanted.map(({ endpointId }) => endpointId), wanted.map(({ event }) => event.subject)];
    await this.database.write({ name: 'webhook-lock-queues', text: LOCK_QUEUES, values: [...queues, now] });
    let count = 0;
    for (let start = 0; start < wanted.length; start += ENQUEUED_AT_ONCE) {
      const some = wanted.slice(start, start + ENQUEUED_AT_ONCE);
      const [added] = await this.database.prepared<{ count: number }>('webhook-enqueue', ENQUEUE, [
        some.map(() => newId('whd')),
        some.map(({ endpointId }) => endpointId),
        some.map(({ event }) => event.id),
        some.map(({ event }) => event.type),
        some.map(({ event }) => event.subject),
        now,
        restarted,
      ]);
      count += added?.count ?? 0;
    }
    if (count < wanted.length) await this.database.execute(DELETE_EMPTY_QUEUES, queues);
    return count;
  }

  /** Starts up to this many attempts; none while another process does so, because both could exceed the limit of an endpoint. */
  async claim(trusted: boolean, most: number): Promise<ClaimedDelivery[]> {
    return this.database.transaction(async () => {
      const [lock] = await this.database.prepared<{ taken: boolean }>(
        'webhook-claim-lock',
        'select pg_try_advisory_xact_lock($1) as taken',
        [CLAIM_LOCK],
      );
      if (!lock?.taken) return [];
      const now = this.clock.now();
      const rows = await this.database.prepared<ClaimedDelivery & { eventCreatedAt: Date }>('webhook-claim', CLAIM, [
        now,
        trusted,
        most,
      ]);
      return rows.map(({ event, eventCreatedAt, ...row }) => ({
        ...row,
        event: event && { ...event, createdAt: eventCreatedAt },
      }));
    });
  }

  /** Records the result of an attempt and releases its queue, in the running transaction. Returns false if it came too late. */
  async complete(delivery: ClaimedDelivery, outcome: Outcome): Promise<boolean> {
    const [queue] = await this.database.prepared<{ endpointId: string; subject: string; waiting: number }>(
      'webhook-complete',
      COMPLETE,
      [
        delivery.id,
        delivery.attempt,
        outcome.status,
        outcome.nextAttemptAt,
        outcome.responseStatus,
        outcome.error,
        this.clock.now(),
        outcome.startedAt,
        outcome.durationMs,
        delivery.endpointId,
        delivery.subject,
      ],
    );
    if (!queue) return false;
    const { endpointId, subject, waiting } = queue;
    if (waiting === 0) {
      await this.database.write({ name: 'webhook-delete-queue', text: DELETE_QUEUE, values: [endpointId, subject] });
    }
    return true;
  }

  async noteSuccess(endpointId: string): Promise<void> {
    await this.database.write({ name: 'webhook-succeeded', text: SUCCEEDED, values: [endpointId] });
  }

  async noteFailure(endpointId: string, tookAllTime: boolean): Promise<void> {
    const values = [endpointId, tookAllTime, this.clock.now()];
    await this.database.write({ name: 'webhook-failed', text: FAILED, values });
  }

  async list(endpointId: string, query: ListWebhookDeliveries): Promise<{ rows: WebhookDelivery[]; total: number }> {
    const { status, eventType, createdAfter, createdBefore, sort = '-createdAt' } = query;
    const found = this.database
      .repository(WebhookDelivery)
      .createQueryBuilder('delivery')
      .where('delivery.endpoint_id = :endpointId', { endpointId });
    filterRows(found, 'delivery.status', status);
    if (eventType !== undefined) found.andWhere('delivery.event_type = :eventType', { eventType });
    if (createdAfter !== undefined) found.andWhere('delivery.created_at >= :createdAfter', { createdAfter });
    if (createdBefore !== undefined) found.andWhere('delivery.created_at < :createdBefore', { createdBefore });
    sortRows(found, sort);
    const { rows, total } = await this.database.page(found, pageBounds(query));
    return { rows: rows.map(({ entity }) => entity), total };
  }

  async find(id: string): Promise<WebhookDelivery | null> {
    return this.database.findRow(WebhookDelivery, { id });
  }

  async findOf(endpointId: string, eventId: string): Promise<WebhookDelivery | null> {
    return this.database.findRow(WebhookDelivery, { endpointId, eventId });
  }

  async attemptsOf(id: string, limit: number): Promise<Attempt[]> {
    return this.database.query(
      `select number, started_at as "startedAt", duration_ms as "durationMs", response_status as "responseStatus", error
       from webhook_attempts where delivery_id = $1 order by number desc limit $2`,
      [id, limit],
    );
  }

  async findEvent(id: string): Promise<StoredEvent | null> {
    const [event = null] = await this.database.query<StoredEvent>(`${EVENTS} where id = $1`, [id]);
    return event;
  }

  /**
   * The events of a range in the order in which they were published, without those whose delivery to the endpoint is pending.
   * `isKnown`: a delivery exists.
   */
  async eventsBetween(
    { id, eventTypes }: { id: string; eventTypes: readonly string[] },
    { from, to, limit }: { from: Date; to: Date; limit: number },
  ): Promise<(StoredEvent & { isKnown: boolean })[]> {
    const names = eventTypes.filter((pattern) => !pattern.endsWith('*'));
    const prefixes = eventTypes.flatMap((pattern) => (pattern.endsWith('*') ? [pattern.slice(0, -1)] : []));
    return this.database.query(
      `select event.*, delivery.id is not null as "isKnown"
       from (${EVENTS}) event left join webhook_deliveries delivery on delivery.endpoint_id = $6 and delivery.event_id = event.id
       where event."createdAt" >= $1 and event."createdAt" < $2 and delivery.status is distinct from 'pending'
         and (event.type = any ($3) or exists (select from unnest($4::text[]) as prefix where starts_with(event.type, prefix)))
       order by event.sequence limit $5`,
      [from, to, names, prefixes, limit, id],
    );
  }

  /**
   * Deletes what is older than the retention. What waits for an endpoint that was deleted, or has been disabled for as long, is
   * skipped.
   */
  async purge(keptSince: Date, eventsKeptSince: Date): Promise<void> {
    const endpoints = await this.database.query<{ id: string }>(
      `select id from webhook_endpoints where disabled_at < $1
         and exists (select from webhook_queues queue where queue.endpoint_id = webhook_endpoints.id)
       union
       select endpoint_id from webhook_deliveries where status = 'pending'
         and not exists (select from webhook_endpoints endpoint where endpoint.id = endpoint_id)`,
      [keptSince],
    );
    for (const { id } of endpoints) {
      try {
        while (await this.skipWaiting(id, keptSince));
      } catch (error) {
        this.log.warn({ err: error, endpointId: id }, 'cannot skip the deliveries of a disabled endpoint; will retry');
      }
    }
    await this.database.purge('webhook_deliveries', `created_at < $1 and status <> 'pending'`, [keptSince]);
    await this.database.purge('webhook_events', 'stored_at < $1', [eventsKeptSince]);
  }

  /** Skips some of the waiting deliveries unless the endpoint was activated meanwhile. Returns whether more may wait. */
  private async skipWaiting(endpointId: string, keptSince: Date): Promise<boolean> {
    return this.database.transaction(async () => {
      await this.database.query('select from webhook_queues where endpoint_id = $1 order by subject for update', [
        endpointId,
      ]);
      const [endpoint] = await this.database.query<{ disabledAt: Date | null }>(
        'select disabled_at as "disabledAt" from webhook_endpoints where id = $1 for share',
        [endpointId],
      );
      if (endpoint && (endpoint.disabledAt === null || endpoint.disabledAt >= keptSince)) return false;
      const [skipped] = await this.database.query<{ count: number }>(SKIP, [
        endpointId,
        this.clock.now(),
        SKIPPED_AT_ONCE,
      ]);
      await this.database.execute('delete from webhook_queues where endpoint_id = $1 and waiting = 0', [endpointId]);
      return skipped?.count === SKIPPED_AT_ONCE;
    });
  }
}

const EVENTS = `select id, sequence, type, channel, subject, data, created_at as "createdAt" from webhook_events`;
