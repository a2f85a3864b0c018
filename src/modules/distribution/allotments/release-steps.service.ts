import { Injectable } from '@nestjs/common';
import { AllotmentJournal } from './allotment-journal.js';
import { AllotmentRows } from './allotment-rows.service.js';
import type { Allotment } from './allotment.entity.js';
import type { AllotmentSlot } from './allotment-slot.entity.js';
import { type DueStep, ReleasePlans } from './release-plans.service.js';
import { unitsToRelease } from './release-rule.js';
import { SlotCoverage } from './slot-coverage.service.js';
import { Slots } from './slots.service.js';

/** Takes steps that were claimed. */
@Injectable()
export class ReleaseSteps {
  constructor(
    private readonly allotments: AllotmentRows,
    private readonly coverage: SlotCoverage,
    private readonly slots: Slots,
    private readonly plans: ReleasePlans,
    private readonly journal: AllotmentJournal,
  ) {}

  /** In this order: a later step of a slot finds what the earlier one has left. */
  async take(due: readonly DueStep[], now: Date): Promise<void> {
    const [slots, allotments] = await this.hold(due);
    const taken: { step: DueStep; units: number }[] = [];
    for (const steps of oneOfEachSlot(due)) {
      const allotment = allotments.get(steps[0]?.allotmentId ?? '');
      const unsold = steps.flatMap(({ slotId, keepQuantity }) => {
        const slot = slots.get(slotId);
        return slot ? [{ slot, units: unitsToRelease(slot, keepQuantity) }] : [];
      });
      if (!allotment || unsold.length < steps.length) throw new Error('A step has no slot or no allotment');
      await this.slots.release(allotment, unsold, 'step');
      for (const one of unsold) this.journal.released(allotment, [one], 'step');
      taken.push(...steps.map((step, index) => ({ step, units: unsold[index]?.units ?? 0 })));
    }
    await this.plans.finish(taken, now);
  }

  private async hold(due: readonly DueStep[]): Promise<[Map<string, AllotmentSlot>, Map<string, Allotment>]> {
    const ids = [...new Set(due.map(({ allotmentId }) => allotmentId))];
    const allotments = await this.allotments.byIds(ids);
    const places = new Map(due.map(({ slotId, departureId }) => [slotId, { id: slotId, departureId }]));
    const slots = await this.coverage.hold([...places.values()]);
    return [new Map(slots.map((slot) => [slot.id, slot])), new Map(allotments.map((one) => [one.id, one]))];
  }
}

/** Steps of one allotment that can be taken at once; those of one slot come one after the other. */
function oneOfEachSlot(due: readonly DueStep[]): DueStep[][] {
  const earlier = new Map<string, number>();
  const groups = new Map<string, DueStep[]>();
  for (const step of due) {
    const nth = earlier.get(step.slotId) ?? 0;
    earlier.set(step.slotId, nth + 1);
    const key = `${nth} ${step.allotmentId}`;
    groups.set(key, [...(groups.get(key) ?? []), step]);
  }
  return [...groups.values()];
}
