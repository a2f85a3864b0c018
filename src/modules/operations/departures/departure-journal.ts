import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { availableOf, type DepartureStatus, type DepartureView } from './departure.entity.js';

/** What whoever shows departures needs to know of one. */
interface Told {
  id: string;
  productId: string;
  startsAt: Date;
  endsAt: Date;
  status: DepartureStatus;
  available: number;
}

/** What is recorded and told of departures. Selling a unit is told here and recorded by whoever sells it. */
@Injectable()
export class DepartureJournal {
  constructor(
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
  ) {}

  record(
    verb: 'create' | 'update' | 'cancel',
    departure: DepartureView,
    { before, reason = null }: { before: object | null; reason?: string | null },
  ): void {
    const subject = { subjectType: 'departure', subjectId: departure.id };
    const after = imageOfDeparture(departure);
    this.ledger.record(`operations.departure.${verb}`, { ...subject, before, after, reason });
    this.tell({ ...departure, available: availableOf(departure) });
  }

  tell({ id, productId, startsAt, endsAt, status, available }: Told): void {
    const times = { startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString() };
    const data = { productId, departureId: id, ...times, status, available };
    this.outbox.add({ channel: 'operations.departures', event: 'departure.changed', data });
  }
}

export function imageOfDeparture(departure: DepartureView): object {
  return {
    id: departure.id,
    productId: departure.productId,
    startsAt: departure.startsAt.toISOString(),
    endsAt: departure.endsAt.toISOString(),
    timeZone: departure.timeZone,
    capacity: departure.capacity,
    priceCents: departure.priceCents,
    taxIncludedCents: departure.taxIncludedCents,
    currency: departure.currency,
    facilityId: departure.facilityId,
    status: departure.status,
    sold: departure.sold,
    held: departure.held,
    guaranteedOpen: departure.guaranteedOpen,
    version: departure.version,
  };
}
