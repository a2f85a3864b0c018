import { dataOf } from '../../../platform/http/dto.js';
import { Id, ListOf, OneOf, Text, Whole } from '../../../platform/http/fields.js';
import { type DepartureFollowers, FOLLOWER_KINDS, type FollowerKind } from './departure-listener.js';

const MAX_UNITS = 1_000_000;
const MAX_PENDING = 200;

/** An allotment slot that was opened with fewer units than it had. */
export class SlotWarning {
  /** `slot_short` */
  @Text({ max: 50 })
  code: string;

  @Id('alsl')
  slotId: string;

  @Id('dep')
  departureId: string;

  /** Units with which the slot should have returned. */
  @Whole({ min: 0, max: MAX_UNITS })
  wanted: number;

  /** Units that the pool had for it. */
  @Whole({ min: 0, max: MAX_UNITS })
  available: number;
}

/** A booking or trip that is not yet on the day of its departure. */
class PendingFollower {
  /** Kind of record. */
  @OneOf(FOLLOWER_KINDS)
  kind: FollowerKind;

  /** ID of the booking or trip. */
  @Text({ max: 40 })
  id: string;
}

/** The bookings and trips that follow a moved departure. */
export class DepartureFollowersResponse {
  /** Bookings with a live item, and live trips with a component, on the departure. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  total: number;

  /** Number of them that are still on another day. They follow within seconds, unless their change is rejected. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  pending: number;

  /** The first 200 of the pending ones. */
  @ListOf(() => PendingFollower, { max: MAX_PENDING })
  pendingFollowers: PendingFollower[];
}

export class DepartureFollowersEnvelope extends dataOf(DepartureFollowersResponse) {}

export function toDepartureFollowers(groups: readonly DepartureFollowers[]): DepartureFollowersResponse {
  const pending = groups.flatMap(({ kind, pendingIds }) => pendingIds.map((id) => ({ kind, id })));
  return {
    total: groups.reduce((sum, { total }) => sum + total, 0),
    pending: pending.length,
    pendingFollowers: pending.slice(0, MAX_PENDING),
  };
}
