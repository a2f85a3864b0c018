import { setTimeout as pause } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { InterruptiblePause } from '../../../platform/clock/interruptible-pause.js';
import { Env } from '../../../platform/config/env.js';
import { asSystem } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { Egress, EgressError } from '../../../platform/egress/egress.js';
import { LOG } from '../../../platform/observability/log.js';
import { OwnerRightsService, type Rights } from '../endpoints/owner-rights.service.js';
import { WebhookEndpointsService } from '../endpoints/webhook-endpoints.service.js';
import type { WebhookSecret } from '../signing/webhook-secret.entity.js';
import { WebhookSecretsService } from '../signing/webhook-secrets.service.js';
import { nextAttemptAt, retryAfterOf } from './retry-schedule.js';
import {
  type ClaimedDelivery,
  LEASE_MS,
  type StoredEvent,
  WebhookDeliveriesRepository,
} from './webhook-deliveries.repository.js';
import type { DeliveryError } from './webhook-delivery.entity.js';

/** The name of an event that only its endpoint receives. */
export const TEST_EVENT = 'webhook.test';

const TIMEOUT_MS = 15_000;
/** Attempts of this process at the same time; endpoints whose attempts fail have at most half of them. */
const PLACES = 256;
const DISTRUSTED_PLACES = 128;
/** Attempts that end within this time trigger a single claim. */
const CLAIM_EVERY_MS = 5;
const IDLE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
const DRAIN_MS = 3_000;

interface Result {
  responseStatus: number | null;
  error: DeliveryError | null;
  retryAfter?: string | undefined;
}

/** Sends the deliveries that are due. Any number of processes share the work. */
@Injectable()
export class WebhookDeliveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly waiting = new InterruptiblePause();
  private readonly running = new Set<Promise<void>>();
  private readonly occupied = { trusted: 0, distrusted: 0 };
  private loop: Promise<void> = Promise.resolve();
  private stopping = false;

  constructor(
    private readonly repository: WebhookDeliveriesRepository,
    private readonly endpoints: WebhookEndpointsService,
    private readonly secrets: WebhookSecretsService,
    private readonly rights: OwnerRightsService,
    private readonly egress: Egress,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly env: Env,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    if (this.env.jobs) this.loop = this.run();
  }

  /** Attempts that last longer are repeated by another process when their leases end. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    this.waiting.interrupt();
    await this.loop;
    const timer = new AbortController();
    const drained = pause(DRAIN_MS, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.running), drained]);
    timer.abort();
  }

  /** Deliveries were added. */
  wake(): void {
    this.waiting.interrupt();
  }

  /** Never rejects: if the database is unavailable, it retries with increasing delays. */
  private async run(): Promise<void> {
    let failures = 0;
    while (!this.stopping) {
      let pauseMs = IDLE_MS;
      try {
        await this.startDue();
        failures = 0;
      } catch (error) {
        failures += 1;
        pauseMs = Math.min(IDLE_MS * 2 ** failures, LONGEST_PAUSE_MS);
        this.log.warn({ err: error, failures, pauseMs }, 'cannot claim webhook deliveries; will retry');
      }
      if (await this.waiting.wait(pauseMs)) await pause(CLAIM_EVERY_MS);
    }
  }

  private async startDue(): Promise<void> {
    const { trusted, distrusted } = this.occupied;
    const free = PLACES - trusted - distrusted;
    if (free > 0) await this.claim('trusted', free);
    const others = Math.min(PLACES - this.occupied.trusted, DISTRUSTED_PLACES) - this.occupied.distrusted;
    if (others > 0) await this.claim('distrusted', others);
  }

  private async claim(lane: 'trusted' | 'distrusted', most: number): Promise<void> {
    const before = performance.now();
    const claimed = await this.repository.claim(lane === 'trusted', most);
    await this.start(lane, claimed, () => performance.now() - before < LEASE_MS - TIMEOUT_MS);
  }

  private async start(
    lane: 'trusted' | 'distrusted',
    claimed: readonly ClaimedDelivery[],
    lasts: () => boolean,
  ): Promise<void> {
    if (claimed.length === 0) return;
    const rights = await this.rights.rightsOf(claimed);
    const secrets = await this.secrets.liveOf([...new Set(claimed.map(({ endpointId }) => endpointId))]);
    // An attempt that could outlive its lease is not started: when the lease ends, a process claims the delivery again.
    if (!lasts()) return;
    for (const delivery of claimed) {
      this.occupied[lane] += 1;
      const own = secrets.filter(({ endpointId }) => endpointId === delivery.endpointId);
      const attempt = asSystem(() => this.attempt(delivery, { rights, secrets: own }))
        .catch((error: unknown) => {
          this.log.warn(
            { err: error, deliveryId: delivery.id },
            'cannot record a webhook attempt; it will be repeated',
          );
        })
        .finally(() => {
          this.occupied[lane] -= 1;
          this.running.delete(attempt);
          this.waiting.interrupt();
        });
      this.running.add(attempt);
    }
  }

  private async attempt(
    delivery: ClaimedDelivery,
    { rights, secrets }: { rights: Rights; secrets: readonly WebhookSecret[] },
  ): Promise<void> {
    const { event } = delivery;
    const startedAt = this.clock.now();
    if (!event || !this.isPermitted(delivery, event, rights)) {
      const error = event ? 'not_permitted' : 'event_expired';
      await this.record(delivery, { startedAt, durationMs: 0, result: { responseStatus: null, error }, skip: true });
      return;
    }
    const started = performance.now();
    const result = await this.send(delivery.url, event, secrets);
    await this.record(delivery, {
      startedAt,
      durationMs: Math.round(performance.now() - started),
      result,
      skip: false,
    });
  }

  private isPermitted(delivery: ClaimedDelivery, { type, channel }: StoredEvent, rights: Rights): boolean {
    return type === TEST_EVENT || this.rights.mayRead(delivery, rights, channel);
  }

  private async send(url: string, event: StoredEvent, secrets: readonly WebhookSecret[]): Promise<Result> {
    const { id, type, createdAt, data } = event;
    const body = JSON.stringify({ type, timestamp: createdAt.toISOString(), data: { id, ...data } });
    const timestamp = Math.floor(this.clock.now().getTime() / 1000);
    const signature = await this.secrets.headerOf(secrets, { id, timestamp, body });
    if (signature === null) return { responseStatus: null, error: 'secret_unavailable' };
    try {
      const { status, headers } = await this.egress.send({
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'travel-operations-webhooks/1',
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': signature,
        },
        body,
        timeoutMs: TIMEOUT_MS,
        maxAnswerBytes: null,
      });
      const error = status >= 200 && status < 300 ? null : 'unexpected_status';
      const mayAskToWait = status === 429 || status === 503;
      return { responseStatus: status, error, ...(mayAskToWait && { retryAfter: headers['retry-after'] }) };
    } catch (error) {
      if (error instanceof EgressError) return { responseStatus: null, error: error.fault };
      throw error;
    }
  }

  private async record(
    delivery: ClaimedDelivery,
    { startedAt, durationMs, result, skip }: { startedAt: Date; durationMs: number; result: Result; skip: boolean },
  ): Promise<void> {
    const { responseStatus, error, retryAfter } = result;
    const now = this.clock.now();
    const isGone = responseStatus === 410;
    const retryAfterSeconds = retryAfterOf(retryAfter, now);
    const next = isGone ? null : nextAttemptAt({ ...delivery, now, retryAfterSeconds });
    const failed = next === null ? 'failed' : 'pending';
    const status = skip ? 'skipped' : error === null ? 'succeeded' : failed;
    const attempt = { startedAt, durationMs, responseStatus, error };
    await this.database.transaction(async () => {
      const nextAttempt = status === 'pending' ? next : null;
      const isRecorded = await this.repository.complete(delivery, { ...attempt, status, nextAttemptAt: nextAttempt });
      if (!isRecorded || skip) return;
      if (error === null) await this.repository.noteSuccess(delivery.endpointId);
      else await this.repository.noteFailure(delivery.endpointId, error === 'timeout');
      if (status !== 'failed') return;
      const { endpointId, url } = delivery;
      await this.endpoints.disable(endpointId, isGone ? 'gone' : 'failing', { url });
    });
  }
}
