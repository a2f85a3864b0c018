import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { EventListener, Outbox, type PublishedEvent } from '../../../platform/outbox/outbox.js';
import { PartnerBookingsService } from '../../bookings/index.js';
import { ConnectionsService } from '../connections/connections.service.js';

/** The events of a booking that change what its partners read. */
const FOLLOWED = new Set([
  ...['booking.created', 'booking.updated', 'booking.confirmed', 'booking.started', 'booking.completed'],
  ...['booking.cancelled', 'booking.reinstated'],
  ...['booking_item.created', 'booking_item.updated', 'booking_item.cancelled', 'booking_item.reinstated'],
]);

/**
 * Publishes the changes of bookings to the operators whose channels sold them. It follows the events of bookings instead of their
 * listener, so that a change that sells nothing and the nightly progress also arrive, and no transaction of a booking is longer.
 */
@Injectable()
@Listens(EventListener, 20)
export class PartnerBookingEvents extends EventListener {
  constructor(
    private readonly bookings: PartnerBookingsService,
    private readonly connections: ConnectionsService,
    private readonly outbox: Outbox,
  ) {
    super();
  }

  /** Several changes of a booking in one batch are one event with its present status. */
  override async published(events: readonly PublishedEvent[]): Promise<void> {
    const changed = events.filter(({ channel, event }) => channel === 'bookings' && FOLLOWED.has(event));
    if (changed.length === 0) return;
    const sold = await this.bookings.soldAmong([...new Set(changed.map(({ data }) => String(data['bookingId'])))]);
    if (sold.length === 0) return;
    const operators = await this.connections.operatorsOf([...new Set(sold.map(({ channelId }) => channelId))]);
    for (const { id: bookingId, channelId, status } of sold) {
      for (const operatorId of operators.get(channelId) ?? []) {
        const data = { bookingId, operatorId, status };
        this.outbox.add({ channel: `${operatorId}.bookings`, event: 'partner_booking.changed', data });
      }
    }
  }
}
