import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { AllotmentRows } from './allotment-rows.service.js';
import type { AllotmentSlot } from './allotment-slot.entity.js';
import { releaseInstant, type ReleaseRule } from './release-rule.js';
import type { SlotRelease } from './slot.dto.js';

/** A slot as it is answered: its columns and when its unsold units are given back. */
export interface SlotView {
  slot: AllotmentSlot;
  releases: SlotRelease[];
}

interface StoredRelease {
  slotId: string;
  dueAt: Date;
  keepQuantity: number;
  takenAt: Date | null;
  units: number | null;
}

/** What the steps in force come to on single slots. */
@Injectable()
export class SlotReleases {
  constructor(
    private readonly database: Database,
    private readonly allotments: AllotmentRows,
  ) {}

  /** Throws 404 for an unknown allotment. */
  async viewsOf(allotmentId: string, slots: readonly AllotmentSlot[]): Promise<SlotView[]> {
    const { release } = await this.allotments.get(allotmentId);
    if (release?.mode === 'manual') return slots.map((slot) => ({ slot, releases: byHand(release, slot) }));
    const planned = release ? await this.planned(slots) : [];
    return slots.map((slot) => ({
      slot,
      releases: planned.filter(({ slotId }) => slotId === slot.id).map(toRelease),
    }));
  }

  private async planned(slots: readonly AllotmentSlot[]): Promise<StoredRelease[]> {
    return this.database.query<StoredRelease>(
      `select e.slot_id as "slotId", e.due_at as "dueAt", step.keep_quantity as "keepQuantity",
              e.executed_at as "takenAt", e.units
       from release_executions e join allotment_release_steps step on step.id = e.step_id
       where e.slot_id = any($1) and e.status <> 'cancelled' and step.retired_at is null
       order by e.due_at, step.position`,
      [slots.map(({ id }) => id)],
    );
  }
}

function byHand({ steps }: ReleaseRule, slot: AllotmentSlot): SlotRelease[] {
  if (slot.closedAt !== null) return [];
  const due = steps.map(({ keepQuantity, ...step }) => ({ dueAt: releaseInstant(slot, step), keepQuantity }));
  due.sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime());
  return due.map((step) => toRelease({ ...step, slotId: slot.id, takenAt: null, units: null }));
}

function toRelease({ dueAt, keepQuantity, takenAt, units }: StoredRelease): SlotRelease {
  return { dueAt: dueAt.toISOString(), keepQuantity, takenAt: takenAt?.toISOString() ?? null, units };
}
