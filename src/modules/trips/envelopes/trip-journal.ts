import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import type { TripComponent } from '../components/component.entity.js';
import { missingOf } from './traveler-party.js';
import type { Trip } from './trip.entity.js';

type Verb = 'create' | 'update' | 'price' | 'reserve' | 'fail_reservation' | 'recover' | 'expire' | 'book' | 'cancel';

interface Images {
  before: object | null;
  /** What the trip's own image does not say. */
  with?: object;
  reason?: string | null;
}

/** What is recorded and told of trips: never who travels. */
@Injectable()
export class TripJournal {
  constructor(
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
  ) {}

  trip(verb: Verb, trip: Trip, images: Images): void {
    const { before, reason = null } = images;
    const after = { ...imageOfTrip(trip), ...images.with };
    this.ledger.record(`trips.trip.${verb}`, { subjectType: 'trip', subjectId: trip.id, before, after, reason });
  }

  component(
    verb: 'create' | 'update' | 'remove',
    component: TripComponent,
    { before, reason = null }: Omit<Images, 'with'>,
  ): void {
    const after = imageOfComponent(component);
    const subject = { subjectType: 'trip_component', subjectId: component.id };
    this.ledger.record(`trips.trip_component.${verb}`, { ...subject, before, after, reason });
  }

  /** To whoever watches this trip, and to whoever watches all of them. */
  tell(event: string, { id: envelopeId, status, currency, totalCents, version }: Trip, more: object = {}): void {
    const data = { envelopeId, status, currency, totalCents, version, ...more };
    for (const channel of [`trips.${envelopeId}`, 'trips']) this.outbox.add({ channel, event: `trip.${event}`, data });
  }
}

export function imageOfTrip(trip: Trip): object {
  return {
    id: trip.id,
    title: trip.title,
    status: trip.status,
    currency: trip.currency,
    partyMissing: missingOf(trip.travelerParty),
    subtotalCents: trip.subtotalCents,
    taxCents: trip.taxCents,
    totalCents: trip.totalCents,
    priceExpiresAt: trip.priceExpiresAt?.toISOString() ?? null,
    holdExpiresAt: trip.holdExpiresAt?.toISOString() ?? null,
    attention: trip.attention,
    bookingId: trip.bookingId,
    version: trip.version,
  };
}

export function imageOfComponent(component: TripComponent): object {
  return {
    id: component.id,
    envelopeId: component.envelopeId,
    kind: component.kind,
    title: component.title,
    quantity: component.quantity,
    status: component.status,
    departureId: component.departureId,
    providerRef: component.providerRef,
    unitPriceCents: component.unitPriceCents,
    unitTaxIncludedCents: component.unitTaxIncludedCents,
    confirmedByStaff: component.confirmedByStaff,
    serviceDate: component.serviceDate,
    totalCents: component.totalCents,
    version: component.version,
  };
}
