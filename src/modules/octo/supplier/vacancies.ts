import type { ChannelSlot } from '../../distribution/index.js';
import type { DepartureSummary } from '../../operations/index.js';
import type { Connection } from '../connections/connection.entity.js';
import type { AvailabilityStatus } from './octo-objects.js';

/** The seats of a departure that a reseller can take, and from where. */
export interface Vacancies {
  capacity: number;
  /** Seats of the channel's own slot, and the allotment to which it belongs. */
  slot: { allotmentId: string; seats: number } | null;
  /** Seats of the general pool. */
  poolSeats: number;
  /** Whether the channel can sell the departure at all, if there are seats. */
  isOpen: boolean;
}

/** A guaranteed slot comes in addition to the pool; a cap limits what the channel takes from the pool. */
export function vacanciesOf(
  { poolPolicy }: Pick<Connection, 'poolPolicy'>,
  { available, capacity }: Pick<DepartureSummary, 'available' | 'capacity'>,
  slot: ChannelSlot | null,
): Vacancies {
  const isPoolOpen = poolPolicy === 'allotment_then_pool';
  const poolSeats = isPoolOpen ? Math.max(0, available) : 0;
  const bounds = { capacity: isPoolOpen || !slot ? capacity : slot.units };
  if (!slot) return { ...bounds, slot: null, poolSeats, isOpen: isPoolOpen };
  const { allotmentId, type, active, remaining } = slot;
  if (type === 'cap') {
    const seats = active ? Math.max(0, Math.min(remaining, available)) : 0;
    return { ...bounds, slot: { allotmentId, seats }, poolSeats: 0, isOpen: active };
  }
  return {
    ...bounds,
    slot: active ? { allotmentId, seats: Math.max(0, remaining) } : null,
    poolSeats,
    isOpen: active || isPoolOpen,
  };
}

export function seatsOf({ slot, poolSeats }: Vacancies): number {
  return (slot?.seats ?? 0) + poolSeats;
}

/** `wanted` are the seats that the reseller asks for; 0 if it names no units. */
export function statusOf(
  { seats, capacity, wanted }: { seats: number; capacity: number; wanted: number },
  isOnSale: boolean,
): AvailabilityStatus {
  if (!isOnSale) return 'CLOSED';
  if (seats <= 0 || seats < wanted) return 'SOLD_OUT';
  return seats * 2 < capacity ? 'LIMITED' : 'AVAILABLE';
}

/**
 * Decides for each unit whether it takes its seats from the slot or the pool: the slot first, the largest units first, because a
 * unit takes all of its seats from one of them. Null if the seats do not suffice.
 */
export function placeUnits<Unit extends { seats: number }>(
  units: readonly Unit[],
  { slot, poolSeats }: Vacancies,
): Map<Unit, string | null> | null {
  let [ofSlot, ofPool] = [slot?.seats ?? 0, poolSeats];
  const places = new Map<Unit, string | null>();
  for (const unit of [...units].sort((a, b) => b.seats - a.seats)) {
    if (slot && unit.seats <= ofSlot) {
      ofSlot -= unit.seats;
      places.set(unit, slot.allotmentId);
    } else if (unit.seats <= ofPool) {
      ofPool -= unit.seats;
      places.set(unit, null);
    } else {
      return null;
    }
  }
  return places;
}
