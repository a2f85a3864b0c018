import { Injectable } from '@nestjs/common';
import { ChannelsService } from '../channels/channels.service.js';
import { AllotmentRows } from './allotment-rows.service.js';
import type { Allotment } from './allotment.entity.js';
import type { GivenBack } from './given-back.dto.js';
import { SlotCoverage } from './slot-coverage.service.js';
import { type Reclaimed, SlotReclaims } from './slot-reclaims.service.js';

/** How a deleted allotment comes back. The caller holds the product. */
@Injectable()
export class AllotmentRestoration {
  constructor(
    private readonly rows: AllotmentRows,
    private readonly channels: ChannelsService,
    private readonly reclaims: SlotReclaims,
    private readonly coverage: SlotCoverage,
  ) {}

  /** With its units, and a part of the departures that were scheduled since. Throws what `Slots` throw, 409 `channel_archived`. */
  async restore(allotment: Allotment, given: GivenBack, now: Date): Promise<Reclaimed> {
    const { deletedAt } = allotment;
    await this.channels.lockUsable(allotment.channelId);
    Object.assign(allotment, { deletedAt: null, updatedAt: now });
    await this.rows.update(allotment);
    // Its slots were closed by the deletion; one that was closed before is not among those that it gave back.
    const isMeant = ({ closedAt }: { closedAt: Date | null }) => closedAt !== null && deletedAt !== null;
    const reclaimed = await this.reclaims.reclaim(allotment, given, { now, isMeant });
    if (allotment.active) await this.coverage.extend(allotment, now);
    return reclaimed;
  }
}
