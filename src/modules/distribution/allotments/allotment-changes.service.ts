import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import type { ExpectedVersions } from '../../../platform/http/if-match.js';
import { ChannelsService } from '../channels/channels.service.js';
import { AllotmentJournal, slotsOf } from './allotment-journal.js';
import { toAllotment } from './allotment-response.dto.js';
import { AllotmentRows, type AllotmentView } from './allotment-rows.service.js';
import type { UpdateAllotment } from './allotment.dto.js';
import type { Allotment } from './allotment.entity.js';
import { ruleOf } from './new-allotments.service.js';
import { SlotCoverage } from './slot-coverage.service.js';

/** What staff do with an allotment as a whole. */
@Injectable()
export class AllotmentChanges {
  constructor(
    private readonly rows: AllotmentRows,
    private readonly channels: ChannelsService,
    private readonly coverage: SlotCoverage,
    private readonly journal: AllotmentJournal,
  ) {}

  /**
   * Throws 400 where it would end before it begins, 404, 409 `allotment_overlap`, `allotment_has_sales`,
   * `capacity_exceeded`, `channel_archived`, 412.
   */
  async update(
    id: string,
    { release: sent, ...fields }: UpdateAllotment,
    expected: ExpectedVersions,
  ): Promise<AllotmentView> {
    return this.rows.change(id, expected, async ({ allotment, release: was }, now) => {
      const before = toAllotment({ allotment, release: was });
      const { active, validTo } = allotment;
      const release = sent === undefined ? was : sent && ruleOf(sent);
      allotment.change(fields, now);
      Object.assign(allotment, { releaseMode: release?.mode ?? null, unsoldAction: release?.unsoldAction ?? null });
      await this.rows.update(allotment);
      if (!isDeepStrictEqual(release, was)) await this.coverage.setRelease(allotment, release, now);
      if (endOf(allotment) < endOf({ validTo })) await this.coverage.shorten(allotment);
      if (endOf(allotment) > endOf({ validTo }) || (allotment.active && !active)) await this.extend(allotment, now);
      const view = { allotment, release };
      this.journal.allotment('update', view, { before });
      return view;
    });
  }

  /** Unsold units go back into the pool. Throws 404, 409 `allotment_has_sales`, 412. */
  async delete(id: string, expected: ExpectedVersions): Promise<void> {
    await this.rows.change(id, expected, async (view, now) => {
      const { allotment } = view;
      const before = toAllotment(view);
      const unsold = await this.coverage.end(allotment);
      Object.assign(allotment, { deletedAt: now, updatedAt: now });
      await this.rows.update(allotment);
      const returned = unsold.reduce((sum, { units }) => sum + units, 0);
      const after = { id, deletedAt: now.toISOString(), returned, slots: slotsOf(unsold), version: allotment.version };
      this.journal.allotment('delete', view, { before, after });
    });
  }

  /** More departures are covered, or covered again: not for a channel that sells no more. */
  private async extend(allotment: Allotment, now: Date): Promise<void> {
    await this.channels.lockUsable(allotment.channelId);
    if (allotment.active) await this.coverage.extend(allotment, now);
  }
}

/** Days compare as texts; no last day comes after all of them. */
function endOf({ validTo }: Pick<Allotment, 'validTo'>): string {
  return validTo ?? '9999-12-31';
}
