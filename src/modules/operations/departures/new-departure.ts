import { make } from '../../../platform/database/rows.js';
import { invalidRequest, type Issue } from '../../../platform/errors/app-error.js';
import { earlier } from '../../../platform/time/local-time.js';
import { type Cutoff, cutoffOf, type ProductDefaults } from '../../products/index.js';
import { cutoffInstant } from './departure-deadlines.js';
import { type CreateDeparture, pickupsOf, unitPricesOf } from './departure.dto.js';
import { Departure } from './departure.entity.js';

const MINUTE_MS = 60_000;

/**
 * A scheduled departure without sales. What the request omits comes from the record of the product, if there is one; the cut-off is
 * the option's cut-off, otherwise the product's. It must have one of the two forms.
 */
export function newDeparture(
  input: CreateDeparture,
  {
    id,
    product,
    optionCutoff = null,
    now,
  }: { id: string; product: ProductDefaults | null; optionCutoff?: Cutoff | null; now: Date },
): Departure {
  const startsAt = new Date(input.startsAt);
  const { endsAt, timeZone, capacity } = requiredTerms(input, startsAt, product);
  const cutoff = input.cutoff === undefined ? (optionCutoff ?? product?.cutoff ?? null) : cutoffOf(input.cutoff);
  const minParticipants = orElse(input.minParticipants, product?.minParticipants);
  return make(Departure, {
    id,
    productId: input.productId,
    optionId: input.optionId,
    startsAt,
    endsAt,
    timeZone,
    capacity,
    priceCents: input.priceCents,
    unitPrices: unitPricesOf(input.unitPrices ?? []),
    taxIncludedCents: input.taxIncludedCents ?? 0,
    taxCodeId: orElse(input.taxCodeId, product?.taxCodeId),
    currency: input.currency,
    facilityId: orElse(input.facilityId, product?.facilityId),
    pickups: pickupsOf(input.pickups ?? []),
    status: 'scheduled',
    sold: 0,
    held: 0,
    guaranteedOpen: 0,
    cutoff,
    cutoffAt: cutoffInstant(cutoff, { startsAt, endsAt, timeZone }),
    minParticipants,
    decideBy: decideBy(input, {
      startsAt,
      timeZone,
      days: minParticipants === null ? null : product?.decideDaysBefore,
    }),
    euPackage: input.euPackage ?? false,
    createdAt: now,
  });
}

/** The members that a departure must have. Throws 400 with each that neither the request nor the product states. */
function requiredTerms(
  input: CreateDeparture,
  startsAt: Date,
  product: ProductDefaults | null,
): { endsAt: Date; timeZone: string; capacity: number } {
  const minutes = product?.durationMinutes ?? null;
  const usualEnd = minutes === null ? null : new Date(startsAt.getTime() + minutes * MINUTE_MS);
  const endsAt = input.endsAt === undefined ? usualEnd : new Date(input.endsAt);
  const timeZone = input.timeZone ?? product?.timeZone ?? null;
  const capacity = input.capacity ?? product?.defaultCapacity ?? null;
  if (endsAt !== null && timeZone !== null && capacity !== null) return { endsAt, timeZone, capacity };
  const missing = Object.entries({ endsAt, timeZone, capacity }).filter(([, value]) => value === null);
  throw invalidRequest(missing.map(([path]): Issue => ({ path, message: `${path} is required`, code: 'required' })));
}

/** The decision date of the product counts only with a minimum. */
function decideBy(
  input: CreateDeparture,
  { startsAt, timeZone, days }: { startsAt: Date; timeZone: string; days: number | null | undefined },
): Date | null {
  if (input.decideBy !== undefined) return input.decideBy === null ? null : new Date(input.decideBy);
  return days === null || days === undefined ? null : earlier(startsAt, { days, hours: 0, timeZone });
}

/** Null in a request means none; only an omitted member has a default. */
function orElse<T>(given: T | null | undefined, otherwise: T | null | undefined): T | null {
  return (given === undefined ? otherwise : given) ?? null;
}
