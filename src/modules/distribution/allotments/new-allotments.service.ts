import { Injectable } from '@nestjs/common';
import { make } from '../../../platform/database/rows.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { refuseOn } from '../../../platform/errors/database-refusals.js';
import { newId } from '../../../platform/ids/id.js';
import { ChannelsService } from '../channels/channels.service.js';
import { AllotmentJournal } from './allotment-journal.js';
import { AllotmentRows, type AllotmentView } from './allotment-rows.service.js';
import type { CreateAllotment, ReleaseBody } from './allotment.dto.js';
import { Allotment } from './allotment.entity.js';
import type { ReleaseRule } from './release-rule.js';
import { SlotCoverage } from './slot-coverage.service.js';

refuseOn('allotments_no_overlap', ({ detail }) =>
  conflict(
    'allotment_overlap',
    'Another active allotment of this channel and product overlaps this period',
    takenBy(detail),
  ),
);

const NEW_IDS = { allotment: () => newId('alot'), slot: () => newId('alsl') };

/** Where units are set aside for channels. */
@Injectable()
export class NewAllotments {
  constructor(
    private readonly rows: AllotmentRows,
    private readonly channels: ChannelsService,
    private readonly coverage: SlotCoverage,
    private readonly journal: AllotmentJournal,
  ) {}

  /**
   * With slots on all scheduled departures to come. Throws 400, 404 for an unknown channel, 409 `channel_archived`,
   * `allotment_overlap`, `capacity_exceeded` with the departures: then nothing was made.
   */
  async create(input: CreateAllotment, ids = NEW_IDS): Promise<AllotmentView> {
    const release = input.release ? ruleOf(input.release) : null;
    return this.rows.within(async (now) => {
      const allotment = newAllotment(input, { id: ids.allotment(), release, now });
      allotment.assertRange();
      await this.channels.lockUsable(allotment.channelId);
      await this.rows.insert(allotment);
      await this.coverage.setRelease(allotment, release, now);
      await this.coverage.extend(allotment, now, ids.slot);
      const view = { allotment, release };
      this.journal.allotment('create', view, { before: null });
      return view;
    });
  }
}

/** With what a body may leave out. */
export function ruleOf({ mode, steps, unsoldAction = 'release_to_general_pool' }: ReleaseBody): ReleaseRule {
  const complete = steps.map(({ daysBefore, hoursBefore = 0, keepQuantity = 0 }) => ({
    daysBefore,
    hoursBefore,
    keepQuantity,
  }));
  return { mode, steps: complete, unsoldAction };
}

/** The days of the other one, which the database says last: in which language it says the rest is the server's choice. */
function takenBy(detail = ''): { takenFrom: string | null; freeFrom: string | null } {
  const [, takenFrom = null, freeFrom] = /\[(\d{4}-\d\d-\d\d),(\d{4}-\d\d-\d\d)?\)\)\D*$/.exec(detail) ?? [];
  return { takenFrom, freeFrom: freeFrom ?? null };
}

function newAllotment(
  input: CreateAllotment,
  { id, release, now }: { id: string; release: ReleaseRule | null; now: Date },
): Allotment {
  return make(Allotment, {
    id,
    channelId: input.channelId,
    productId: input.productId,
    type: input.type ?? 'guaranteed',
    validFrom: input.validFrom,
    validTo: input.validTo ?? null,
    defaultQuantity: input.defaultQuantity,
    active: input.active ?? true,
    releaseMode: release?.mode ?? null,
    unsoldAction: release?.unsoldAction ?? null,
    notes: input.notes ?? null,
    deletedAt: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
}
