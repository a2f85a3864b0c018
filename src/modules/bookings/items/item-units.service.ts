import { Injectable } from '@nestjs/common';
import { AllotmentSales, ChannelsService } from '../../distribution/index.js';
import { type DepartureFacts, Departures } from '../../operations/index.js';

/** What an item takes of a departure, if of any. */
export interface ItemClaim {
  id: string;
  departureId: string | null;
  allotmentId: string | null;
  quantity: number;
}

type Placed = ItemClaim & { departureId: string };

export function claimOf({ id, departureId, allotmentId, quantity }: ItemClaim): ItemClaim {
  return { id, departureId, allotmentId, quantity };
}

/**
 * The units that items take and give back. Whoever moves them holds the booking, then by `hold` all departures that are
 * concerned; what was not taken in full is refused with the whole change.
 */
@Injectable()
export class ItemUnits {
  constructor(
    private readonly departures: Departures,
    private readonly sales: AllotmentSales,
    private readonly channels: ChannelsService,
  ) {}

  /**
   * A channel that sells nothing now sells no more units either, and never those of another one. A booking that
   * names no channel sells through whichever allotment staff name. Throws 409 `channel_inactive`, `channel_archived`, 422 `channel_mismatch`.
   */
  async assertSelling(channelId: string | null, { allotmentId }: Pick<ItemClaim, 'allotmentId'>): Promise<void> {
    if (channelId === null) return;
    await this.channels.assertSelling(channelId);
    if (allotmentId !== null) await this.sales.assertSoldBy(channelId, [allotmentId], 'allotmentId');
  }

  /** Whether the booking that has these items may be this channel's. Throws 422 `channel_mismatch`. */
  async assertChannel(channelId: string, claims: readonly Pick<ItemClaim, 'allotmentId'>[]): Promise<void> {
    const allotmentIds = claims.flatMap(({ allotmentId }) => allotmentId ?? []);
    if (allotmentIds.length > 0) await this.sales.assertSoldBy(channelId, allotmentIds, 'channelId');
  }

  /** Holds the departures of these claims, by id. Throws 404. */
  async hold(...claims: ItemClaim[]): Promise<ReadonlyMap<string, DepartureFacts>> {
    const ids = claims.filter(isPlaced).map(({ departureId }) => departureId);
    const held = ids.length === 0 ? [] : await this.departures.lock(ids);
    return new Map(held.map((departure) => [departure.id, departure]));
  }

  /** Throws 404, 409 `capacity_exceeded`, `departure_cancelled`, `allotment_inactive`, `channel_inactive`. */
  async take(claim: ItemClaim): Promise<void> {
    if (!isPlaced(claim)) return;
    const { id: bookingItemId, departureId, allotmentId, quantity: units } = claim;
    if (allotmentId === null) await this.departures.take(departureId, units, { from: 'pool', as: 'sold' });
    else await this.sales.pick({ allotmentId, departureId }, { bookingItemId, units });
  }

  /** An item has other units than before, or more or fewer of the same. Throws like `take`. */
  async exchange(before: ItemClaim, after: ItemClaim): Promise<void> {
    if (isSamePlace(before, after)) {
      const more = after.quantity - before.quantity;
      if (more > 0) await this.take({ ...after, quantity: more });
      if (more < 0) await this.giveBack([{ ...before, quantity: -more }]);
    } else {
      await this.giveBack([before]);
      await this.take(after);
    }
  }

  async giveBack(claims: readonly ItemClaim[]): Promise<void> {
    const groups = new Map<string, Placed[]>();
    for (const claim of claims.filter(isPlaced)) {
      const place = `${claim.departureId} ${claim.allotmentId ?? ''}`;
      groups.set(place, [...(groups.get(place) ?? []), claim]);
    }
    for (const claimed of groups.values()) await this.giveBackTo(claimed);
  }

  /** All of one place, which is moved once. */
  private async giveBackTo(claims: readonly Placed[]): Promise<void> {
    const [first] = claims;
    if (!first) return;
    const { departureId, allotmentId } = first;
    const items = claims.map(({ id: bookingItemId, quantity: units }) => ({ bookingItemId, units }));
    const units = items.reduce((sum, item) => sum + item.units, 0);
    if (allotmentId === null) await this.departures.giveBack(departureId, units, { to: 'pool', from: 'sold' });
    else await this.sales.unpick({ allotmentId, departureId }, items);
  }
}

/** Whether the item needs units that it does not have yet. */
export function takesMore(before: ItemClaim, after: ItemClaim): boolean {
  return isPlaced(after) && (!isSamePlace(before, after) || after.quantity > before.quantity);
}

function isSamePlace(one: ItemClaim, other: ItemClaim): boolean {
  return one.departureId === other.departureId && one.allotmentId === other.allotmentId;
}

function isPlaced(claim: ItemClaim): claim is Placed {
  return claim.departureId !== null;
}
