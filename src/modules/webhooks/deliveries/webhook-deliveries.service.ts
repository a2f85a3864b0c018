import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { conflict, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import type { ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { OwnerRightsService } from '../endpoints/owner-rights.service.js';
import type { EndpointView } from '../endpoints/webhook-endpoint.dto.js';
import { WebhookEndpointsService } from '../endpoints/webhook-endpoints.service.js';
import { WebhookSecretsService } from '../signing/webhook-secrets.service.js';
import { type StoredEvent, WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import type { Attempt, ListWebhookDeliveries, ReplayWebhookEvents } from './webhook-delivery.dto.js';
import type { DeliveryStatus, WebhookDelivery } from './webhook-delivery.entity.js';
import { TEST_EVENT, WebhookDeliveryWorker } from './webhook-delivery-worker.js';

const MAX_REPLAYED = 10_000;
const MAX_ATTEMPTS_SHOWN = 100;
const DAY_SECONDS = 86_400;
const KEPT_DAYS = 30;
/** An event that was replayed on its last day must outlive the 72 hours of its delivery. */
const EVENTS_KEPT_DAYS = 34;

/** The log of deliveries, replays and test events. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly repository: WebhookDeliveriesRepository,
    private readonly endpoints: WebhookEndpointsService,
    private readonly secrets: WebhookSecretsService,
    private readonly rights: OwnerRightsService,
    private readonly worker: WebhookDeliveryWorker,
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  async list(endpointId: string, query: ListWebhookDeliveries): Promise<{ rows: WebhookDelivery[]; total: number }> {
    await this.endpoints.getReadable(endpointId);
    return this.repository.list(endpointId, query);
  }

  async get(id: string): Promise<{ delivery: WebhookDelivery; attempts: Attempt[] }> {
    const delivery = await this.repository.find(id);
    if (!delivery) throw notFound();
    await this.endpoints.getReadable(delivery.endpointId);
    return { delivery, attempts: await this.repository.attemptsOf(id, MAX_ATTEMPTS_SHOWN) };
  }

  /** Sends an event to the endpoint only. */
  async sendTest(endpointId: string): Promise<WebhookDelivery> {
    const id = newId('evt');
    const event = {
      id,
      type: TEST_EVENT,
      channel: 'webhooks.test',
      subject: id,
      data: { endpointId },
      createdAt: this.clock.now(),
    };
    return this.database.transaction(async () => {
      (await this.endpoints.getOwn(endpointId)).assertActive();
      await this.repository.addEvents([event]);
      const delivery = await this.enqueueOne(endpointId, event, []);
      const subject = { subjectType: 'webhook_endpoint', subjectId: endpointId };
      this.ledger.record('webhooks.endpoint.test', { ...subject, before: null, after: { deliveryId: delivery.id } });
      return delivery;
    });
  }

  /** Sends an event again, behind the others of its subject. Throws 409 while it is pending. */
  async replay(id: string): Promise<WebhookDelivery> {
    return this.database.transaction(async () => {
      const delivery = await this.repository.find(id);
      if (!delivery) throw notFound();
      const endpoint = await this.endpoints.getOwn(delivery.endpointId);
      endpoint.assertActive();
      const event = await this.repository.findEvent(delivery.eventId);
      if (!event) throw conflict('event_expired', 'The event is no longer kept');
      const again = await this.enqueueOne(endpoint.id, event, ['succeeded', 'failed', 'skipped']);
      const subject = { subjectType: 'webhook_delivery', subjectId: id };
      this.ledger.record('webhooks.delivery.replay', {
        ...subject,
        before: { status: delivery.status },
        after: { status: again.status },
      });
      return again;
    });
  }

  /** Sends the events of a range that the endpoint wants and its owner may read; by default those it has not received. */
  async replayRange(endpointId: string, { from, to, includeSucceeded = false }: ReplayWebhookEvents): Promise<number> {
    const [start, end] = [new Date(from), to === undefined ? this.clock.now() : new Date(to)];
    if (start >= end) throw unprocessable('range_empty', 'The end must be after the start', { field: 'to' });
    return this.database.transaction(async () => {
      const endpoint = await this.endpoints.getOwn(endpointId);
      endpoint.assertActive();
      const events = await this.repository.eventsBetween(endpoint, { from: start, to: end, limit: MAX_REPLAYED + 1 });
      if (events.length > MAX_REPLAYED) {
        const details = { field: 'to', limit: MAX_REPLAYED };
        throw unprocessable('replay_too_large', `The range has more than ${MAX_REPLAYED} events`, details);
      }
      const rights = await this.rights.rightsOf([endpoint]);
      const wanted = events
        .filter(({ type, channel, data, isKnown }) =>
          isKnown
            ? this.rights.mayRead(endpoint, rights, channel)
            : this.rights.receives(endpoint, rights, { event: type, channel, data }),
        )
        .map((event) => ({ endpointId, event }));
      const restarted: DeliveryStatus[] = ['failed', 'skipped', ...(includeSucceeded ? (['succeeded'] as const) : [])];
      const deliveries = await this.repository.enqueue(wanted, restarted);
      this.wakeAfterCommit();
      const after = { from: start.toISOString(), to: end.toISOString(), includeSucceeded, deliveries };
      const subject = { subjectType: 'webhook_endpoint', subjectId: endpointId };
      this.ledger.record('webhooks.endpoint.replay', { ...subject, before: null, after });
      return deliveries;
    });
  }

  /** Deliveries that wait for the endpoint start again. */
  async activate(endpointId: string, expected: ExpectedVersions): Promise<EndpointView> {
    return this.database.transaction(async () => {
      const view = await this.endpoints.activate(endpointId, expected);
      this.wakeAfterCommit();
      return view;
    });
  }

  @Cron('webhooks.purge', '17 * * * *')
  async purge(): Promise<void> {
    const since = (days: number) => this.clock.inSeconds(-days * DAY_SECONDS);
    await this.repository.purge(since(KEPT_DAYS), since(EVENTS_KEPT_DAYS));
    await this.secrets.purge();
  }

  private async enqueueOne(
    endpointId: string,
    event: StoredEvent,
    restarted: readonly DeliveryStatus[],
  ): Promise<WebhookDelivery> {
    const added = await this.repository.enqueue([{ endpointId, event }], restarted);
    if (added === 0) throw conflict('delivery_pending', 'The delivery is pending');
    this.wakeAfterCommit();
    const delivery = await this.repository.findOf(endpointId, event.id);
    if (!delivery) throw new Error('The delivery was not stored');
    return delivery;
  }

  private wakeAfterCommit(): void {
    this.database.afterCommit(() => this.worker.wake());
  }
}
