import { make } from '../../../platform/database/rows.js';
import { cutoffOf } from '../../products/index.js';
import { cutoffInstant } from './departure-deadlines.js';
import type { CreateDeparture } from './departure.dto.js';
import { Departure } from './departure.entity.js';

/** A scheduled departure without sales. Its cut-off must have one of the two forms. */
export function newDeparture(input: CreateDeparture, id: string, now: Date): Departure {
  const [startsAt, endsAt] = [new Date(input.startsAt), new Date(input.endsAt)];
  const cutoff = cutoffOf(input.cutoff ?? null);
  return make(Departure, {
    id,
    productId: input.productId,
    startsAt,
    endsAt,
    timeZone: input.timeZone,
    capacity: input.capacity,
    priceCents: input.priceCents,
    taxIncludedCents: input.taxIncludedCents ?? 0,
    taxCodeId: input.taxCodeId,
    currency: input.currency,
    facilityId: input.facilityId,
    status: 'scheduled',
    sold: 0,
    held: 0,
    guaranteedOpen: 0,
    cutoff,
    cutoffAt: cutoffInstant(cutoff, { startsAt, endsAt, timeZone: input.timeZone }),
    minParticipants: input.minParticipants,
    decideBy: input.decideBy ? new Date(input.decideBy) : null,
    euPackage: input.euPackage ?? false,
    createdAt: now,
  });
}
