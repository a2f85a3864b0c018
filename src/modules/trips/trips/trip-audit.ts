import type { DomainEvent } from '../../../platform/outbox/outbox.js';
import type { Change } from '../../action-ledger/index.js';
import type { Trip } from './trip.entity.js';

/** The ledger entry of a change of a trip as it is now. `more` is stored with its snapshot. */
export function changeOf(trip: Trip, before: object | null, more: object = {}): Change {
  return { subjectType: 'trip', subjectId: trip.id, before, after: { ...trip.auditImage(), ...more } };
}

/** For the trip's own channel and the one of all trips. Contains no personal data. */
export function eventsOf(
  { id: envelopeId, status, currency, totalCents, version }: Trip,
  what: string,
  more: object = {},
): DomainEvent[] {
  const data = { envelopeId, status, currency, totalCents, version, ...more };
  return [`trips.${envelopeId}`, 'trips'].map((channel) => ({ channel, event: `trip.${what}`, data }));
}
