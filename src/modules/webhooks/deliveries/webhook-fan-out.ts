import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { EventListener, Outbox, type PublishedEvent } from '../../../platform/outbox/outbox.js';
import { matchesAny } from '../endpoints/event-types.js';
import { OwnerRightsService } from '../endpoints/owner-rights.service.js';
import { type StoredEvent, WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookDeliveryWorker } from './webhook-delivery-worker.js';

/**
 * Adds the deliveries of events in the transaction in which the relay publishes them, so none is lost and their order is kept. An
 * event is also stored for an endpoint that is disabled: a replay can bring it later.
 */
@Injectable()
@Listens(EventListener, 10)
export class WebhookFanOut extends EventListener {
  constructor(
    private readonly repository: WebhookDeliveriesRepository,
    private readonly rights: OwnerRightsService,
    private readonly worker: WebhookDeliveryWorker,
    private readonly outbox: Outbox,
    private readonly database: Database,
  ) {
    super();
  }

  override async published(events: readonly PublishedEvent[]): Promise<void> {
    const endpoints = await this.repository.candidatesFor([...new Set(events.map(({ event }) => event))]);
    if (endpoints.length === 0) return;
    const rights = await this.rights.rightsOf(endpoints);
    const wanted = events.flatMap((published) => {
      const receivers = endpoints.filter(
        (endpoint) =>
          matchesAny(endpoint.eventTypes, published.event) && this.rights.receives(endpoint, rights, published),
      );
      return receivers.length > 0 ? [{ event: this.stored(published), receivers }] : [];
    });
    await this.repository.addEvents(wanted.map(({ event }) => event));
    const deliveries = wanted.flatMap(({ event, receivers }) =>
      receivers.filter(({ status }) => status === 'active').map(({ id: endpointId }) => ({ endpointId, event })),
    );
    if ((await this.repository.enqueue(deliveries)) > 0) this.database.afterCommit(() => this.worker.wake());
  }

  private stored({ event: type, channel, ...published }: PublishedEvent): StoredEvent {
    return { ...published, type, channel, subject: this.subjectOf(type, published.data) ?? channel };
  }

  /** The first of the declared members that is an ID: what an event is about comes first. */
  private subjectOf(event: string, data: Readonly<Record<string, unknown>>): string | null {
    const members = this.outbox.groupsOf(event).flatMap((group) => group.members);
    const ids = members.filter((member) => member.endsWith('Id')).map((member) => data[member]);
    return ids.find((value): value is string => typeof value === 'string' && value.length <= 300) ?? null;
  }
}
