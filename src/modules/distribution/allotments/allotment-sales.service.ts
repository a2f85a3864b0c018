import { Injectable } from '@nestjs/common';
import { conflict, unprocessable } from '../../../platform/errors/app-error.js';
import { DeparturesService } from '../../operations/index.js';
import { ChannelsService } from '../channels/channels.service.js';
import { AllotmentRows } from './allotment-rows.service.js';
import { Movements } from './movements.service.js';
import { type SlotPlace, SlotRows } from './slot-rows.service.js';

/** Units that an item has. */
export interface ItemUnits {
  bookingItemId: string;
  units: number;
}

/** The front door: how others sell through allotments. The caller holds the departure, so that both sums move together. */
@Injectable()
export class AllotmentSales {
  constructor(
    private readonly allotments: AllotmentRows,
    private readonly rows: SlotRows,
    private readonly movements: Movements,
    private readonly channels: ChannelsService,
    private readonly departures: DeparturesService,
  ) {}

  /**
   * One channel's units are not sold by another. Throws 422 `channel_mismatch` with the `field` that asked for it.
   */
  async assertSoldBy(channelId: string, allotmentIds: readonly string[], field: string): Promise<void> {
    const foreign = (await this.allotments.byIds(allotmentIds)).find((one) => one.channelId !== channelId);
    if (!foreign) return;
    const why = 'The allotment belongs to another channel than the booking';
    throw unprocessable('channel_mismatch', why, {
      field,
      allotmentId: foreign.id,
      allotmentChannelId: foreign.channelId,
      bookingChannelId: channelId,
    });
  }

  /**
   * Throws 404 with details {field}, 409 `allotment_inactive`, `channel_inactive`, `channel_archived`,
   * `departure_cancelled`, `capacity_exceeded` with details {available}.
   */
  async pick(place: SlotPlace, { bookingItemId, units }: ItemUnits): Promise<void> {
    const { allotment } = await this.allotments.get(place.allotmentId, { field: 'allotmentId' });
    if (!allotment.active) {
      const details = { field: 'allotmentId', allotmentId: allotment.id };
      throw conflict('allotment_inactive', 'The allotment is inactive', details);
    }
    await this.channels.assertSelling(allotment.channelId, 'allotmentId');
    const slot = await this.rows.pick(place, units);
    if (!slot) {
      const available = await this.rows.remaining(place);
      throw conflict('capacity_exceeded', 'Not enough units left in the allotment', { available });
    }
    const from = allotment.type === 'guaranteed' ? 'guaranteed_slot' : 'cap_slot';
    await this.departures.allocate(place.departureId, units, { from, as: 'sold' });
    await this.movements.append([{ slotId: slot.id, kind: 'pick', cause: 'item', units, bookingItemId }]);
  }

  /**
   * Gives back what `pick` took, of several items at once; once a release has run, straight on to the pool. Throws where
   * fewer units are sold: that is a fault of the caller's.
   */
  async unpick(place: SlotPlace, items: readonly ItemUnits[]): Promise<void> {
    const { allotment } = await this.allotments.get(place.allotmentId);
    const units = items.reduce((sum, item) => sum + item.units, 0);
    const slot = await this.rows.unpick(place, units);
    if (!slot) throw new Error(`Fewer units than ${units} of ${place.allotmentId} are sold on ${place.departureId}`);
    const guaranteed = slot.straightOn ? 'pool' : 'guaranteed_slot';
    const to = allotment.type === 'guaranteed' ? guaranteed : 'cap_slot';
    await this.departures.release(place.departureId, units, { to, from: 'sold' });
    const kinds = slot.straightOn ? (['unpick', 'release'] as const) : (['unpick'] as const);
    const moved = items.flatMap((item) => kinds.map((kind) => ({ kind, ...item })));
    await this.movements.append(moved.map((movement) => ({ slotId: slot.id, cause: 'item', ...movement })));
  }
}
