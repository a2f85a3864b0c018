import type { SalesState } from '../../operations/index.js';
import type { ItemAction } from './call-off-item.entity.js';
import type { Treatment } from './call-off.entity.js';

/** A booking on the departure, with what decides the outcome of its treatment. */
export interface LiveBooking {
  bookingId: string;
  number: string;
  status: string;
  currency: string;
  channelStatus: string | null;
  bookingCents: number;
  totalCents: number;
  units: number;
  people: number;
  /** It has live units elsewhere, so that only a part of it is cancelled. */
  isKept: boolean;
  receivedCents: number;
  waivedCents: number;
  /** `soldPartId` is the unit or the extra of the product that the item sells. */
  items: {
    soldPartId: string | null;
    productId: string | null;
    optionId: string | null;
    allotmentId: string | null;
    units: number;
  }[];
}

export interface HoldingTrip {
  envelopeId: string;
  currency: string;
  units: number;
  totalCents: number;
}

export interface Target {
  departureId: string;
  productId: string;
  /** The only option that it sells; null for all options. */
  optionId: string | null;
  currency: string;
  available: number;
  salesState: SalesState;
}

export interface TargetSlot {
  departureId: string;
  allotmentId: string;
  type: string;
  isSelling: boolean;
  remaining: number;
}

/** The expected outcome for a booking or trip. */
export interface Expected {
  bookingId: string | null;
  bookingNumber: string | null;
  action: ItemAction;
  /** The error that the item would fail with; null if none is expected. */
  code: string | null;
  currency: string;
  people: number;
  units: number;
  totalCents: number;
  refundedCents: number;
  creditedCents: number;
  openCents: number;
}

const NO_MONEY = { refundedCents: 0, creditedCents: 0, openCents: 0 };
const ON_SALE: readonly SalesState[] = ['open', 'sold_out'];

/** Units that targets have left while one booking after the other moves to them. */
class Places {
  private readonly pools: Map<string, number>;
  private readonly slots: Map<string, TargetSlot>;

  constructor(
    private readonly targets: ReadonlyMap<string, Target>,
    slots: readonly TargetSlot[],
  ) {
    this.pools = new Map([...targets.values()].map(({ departureId, available }) => [departureId, available]));
    this.slots = new Map(slots.map((slot) => [placeOf(slot.departureId, slot.allotmentId), { ...slot }]));
  }

  /** Takes the units of a booking, or returns the error code and takes none. */
  take(booking: LiveBooking, targetId: string): string | null {
    const target = this.targets.get(targetId);
    if (!target) return 'not_found';
    if (booking.status === 'completed') return 'booking_closed';
    if (booking.channelStatus === 'archived') return 'channel_archived';
    if (booking.channelStatus === 'inactive') return 'channel_inactive';
    if (booking.currency !== target.currency) return 'currency_mismatch';
    if (booking.items.some(({ soldPartId, productId }) => soldPartId !== null && productId !== target.productId)) {
      return 'product_mismatch';
    }
    if (booking.items.some((item) => isOfOtherOption(item, target))) return 'option_mismatch';
    if (!ON_SALE.includes(target.salesState)) return salesCode(target.salesState);
    const [pools, slots] = [new Map(this.pools), [...this.slots.values()].map((slot) => ({ ...slot }))];
    for (const { allotmentId, units } of booking.items) {
      const code = this.takeItem(targetId, allotmentId, units);
      if (code === null) continue;
      this.pools.clear();
      for (const [id, left] of pools) this.pools.set(id, left);
      for (const slot of slots) this.slots.set(placeOf(slot.departureId, slot.allotmentId), slot);
      return code;
    }
    return null;
  }

  private takeItem(targetId: string, allotmentId: string | null, units: number): string | null {
    const pool = this.pools.get(targetId) ?? 0;
    const slot = allotmentId === null ? undefined : this.slots.get(placeOf(targetId, allotmentId));
    if (slot && !slot.isSelling) return 'allotment_inactive';
    const usesPool = slot?.type !== 'guaranteed';
    if ((slot && slot.remaining < units) || (usesPool && pool < units)) return 'capacity_exceeded';
    if (slot) slot.remaining -= units;
    if (usesPool) this.pools.set(targetId, pool - units);
    return null;
  }
}

/** Predicts what happens with each booking and trip, in the order in which they are worked on. */
export function expectedOutcomes(
  { bookings, trips }: { bookings: readonly LiveBooking[]; trips: readonly HoldingTrip[] },
  { targets, slots }: { targets: readonly Target[]; slots: readonly TargetSlot[] },
  treatmentOf: (bookingId: string) => Treatment,
): Expected[] {
  const places = new Places(new Map(targets.map((target) => [target.departureId, target])), slots);
  const ofBookings = bookings.map((booking): Expected => {
    const { action, targetDepartureId, settle } = treatmentOf(booking.bookingId);
    const { bookingId, number: bookingNumber, currency, people, units, totalCents } = booking;
    const code =
      action === 'move'
        ? places.take(booking, targetDepartureId ?? '')
        : action === 'cancel'
          ? cancelCode(booking)
          : null;
    const cents = action === 'cancel' && code === null ? freedCents(booking) : 0;
    const money = {
      refundedCents: settle === 'refund' ? cents : 0,
      creditedCents: settle === 'credit' ? cents : 0,
      openCents: settle === 'later' ? cents : 0,
    };
    return { bookingId, bookingNumber, action, code, currency, people, units, totalCents, ...money };
  });
  const ofTrips = trips.map(({ currency, units, totalCents }): Expected => ({
    ...{ bookingId: null, bookingNumber: null, action: 'release', code: null, currency },
    ...{ people: 0, units, totalCents, ...NO_MONEY },
  }));
  return [...ofBookings, ...ofTrips];
}

/**
 * What the customer has paid for services that end. After a partial cancellation the rest of the booking keeps its part, and what
 * was paid in excess before stays as it was.
 */
function freedCents({ status, isKept, receivedCents, bookingCents, waivedCents, totalCents }: LiveBooking): number {
  if (!isKept) return receivedCents;
  if (status === 'draft') return 0;
  const claim = bookingCents - waivedCents;
  const reduced = Math.max(0, totalCents - waivedCents);
  return Math.max(0, receivedCents - (claim - reduced)) - Math.max(0, receivedCents - claim);
}

function cancelCode({ status, isKept }: LiveBooking): string | null {
  if (status !== 'completed') return null;
  return isKept ? 'booking_closed' : 'invalid_transition';
}

function isOfOtherOption({ soldPartId, optionId }: LiveBooking['items'][number], target: Target): boolean {
  return soldPartId !== null && optionId !== null && target.optionId !== null && optionId !== target.optionId;
}

function salesCode(state: SalesState): string {
  if (state === 'called_off') return 'departure_called_off';
  if (state === 'cancelled') return 'departure_cancelled';
  return state === 'departed' || state === 'completed' ? 'departure_departed' : 'sales_closed';
}

function placeOf(departureId: string, allotmentId: string): string {
  return `${departureId} ${allotmentId}`;
}
