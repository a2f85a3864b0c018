import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { EventListener, Outbox, type PublishedEvent } from '../../../platform/outbox/outbox.js';
import { matchesAny } from '../endpoints/event-types.js';
import { OwnerRightsService, type Rights } from '../endpoints/owner-rights.service.js';
import { subjectOf } from './event-subject.js';
import { type Candidate, type StoredEvent, WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookDeliveryWorker } from './webhook-delivery-worker.js';

/** The relay publishes fewer events at once if they have more deliveries: these rows take about a second. */
const MAX_DELIVERIES = 20_000;
/** Batches of so few events are not counted: they would need more than 2,000 endpoints to exceed the limit. */
const FEW_EVENTS = 10;

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

  override async acceptable(events: readonly PublishedEvent[]): Promise<number> {
    if (events.length <= FEW_EVENTS) return events.length;
    const wanting = matcher(await this.candidatesFor(events));
    let deliveries = 0;
    const end = events.findIndex(({ event }) => {
      deliveries += wanting(event).length;
      return deliveries > MAX_DELIVERIES;
    });
    return end === -1 ? events.length : Math.max(1, end);
  }

  override async published(events: readonly PublishedEvent[]): Promise<void> {
    const endpoints = await this.candidatesFor(events);
    if (endpoints.length === 0) return;
    const rights = await this.rights.rightsOf(endpoints);
    const wanting = matcher(endpoints);
    const wanted = events.flatMap((published) => {
      const receivers = this.receiversOf(published, wanting(published.event), rights);
      return receivers.length > 0 ? [{ event: this.stored(published), receivers }] : [];
    });
    await this.repository.addEvents(wanted.map(({ event }) => event));
    const deliveries = wanted.flatMap(({ event, receivers }) =>
      receivers.filter(({ status }) => status === 'active').map(({ id: endpointId }) => ({ endpointId, event })),
    );
    if ((await this.repository.enqueue(deliveries)) > 0) this.database.afterCommit(() => this.worker.wake());
  }

  private candidatesFor(events: readonly PublishedEvent[]): Promise<Candidate[]> {
    return this.repository.candidatesFor([...new Set(events.map(({ event }) => event))]);
  }

  /** The endpoints whose owners receive the event; an owner can have many of them. */
  private receiversOf(published: PublishedEvent, endpoints: readonly Candidate[], rights: Rights): Candidate[] {
    const known = new Map<string, boolean>();
    return endpoints.filter((endpoint) => {
      const owner = `${endpoint.ownerKind}:${endpoint.ownerId}`;
      const receives = known.get(owner) ?? this.rights.receives(endpoint, rights, published);
      known.set(owner, receives);
      return receives;
    });
  }

  private stored({ event: type, channel, ...published }: PublishedEvent): StoredEvent {
    const members = this.outbox.groupsOf(type).flatMap((group) => group.members);
    return { ...published, type, channel, subject: subjectOf(type, members, published.data) ?? channel };
  }
}

/** Finds the endpoints that want an event; once for each name, because a batch has many events of few names. */
function matcher(endpoints: readonly Candidate[]): (event: string) => readonly Candidate[] {
  const known = new Map<string, readonly Candidate[]>();
  return (event) => {
    const wanting = known.get(event) ?? endpoints.filter(({ eventTypes }) => matchesAny(eventTypes, event));
    known.set(event, wanting);
    return wanting;
  };
}
