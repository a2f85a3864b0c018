import type { DomainEvent } from '../../../platform/outbox/outbox.js';
import type { Change } from '../../action-ledger/index.js';
import type { TripComponent } from './trip-component.entity.js';
import type { Trip } from './trip.entity.js';

/** Writes the ledger entry of a change, with the trip as it is now. `more` is stored with its snapshot. */
export function changeOf(trip: Trip, before: object | null, more: object = {}): Change {
  return { subjectType: 'trip', subjectId: trip.id, before, after: { ...trip.auditImage(), ...more } };
}

export function componentChangeOf(component: TripComponent, before: object | null): Change {
  return { subjectType: 'trip_component', subjectId: component.id, before, after: component.auditImage() };
}

/** Publishes an event on the trip's own channel and on the channel of all trips. It contains no personal data. */
export function eventsOf(
  { id: envelopeId, status, currency, totalCents, version }: Trip,
  what: string,
  more: object = {},
): DomainEvent[] {
  const data = { envelopeId, status, currency, totalCents, version, ...more };
  return [`trips.${envelopeId}`, 'trips'].map((channel) => ({ channel, event: `trip.${what}`, data }));
}
