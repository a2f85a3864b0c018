import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { toAllotment } from './allotment-response.dto.js';
import type { AllotmentView } from './allotment-rows.service.js';
import type { Allotment } from './allotment.entity.js';
import type { AllotmentSlot } from './allotment-slot.entity.js';
import { toSlotFacts } from './slot.dto.js';
import type { Unsold } from './slots.service.js';

const CHANNEL = 'distribution.allotments';
const EVENTS = { create: 'created', update: 'updated', delete: 'deleted' } as const;

/** What is recorded and told of allotments. A sale is recorded by whoever sells; its movement says the rest. */
@Injectable()
export class AllotmentJournal {
  constructor(
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
  ) {}

  allotment(verb: keyof typeof EVENTS, view: AllotmentView, images: { before: object | null; after?: object }): void {
    const { allotment } = view;
    const { before, after = toAllotment(view) } = images;
    this.ledger.record(`distribution.allotment.${verb}`, { ...subjectOf(allotment), before, after });
    this.outbox.add({ channel: CHANNEL, event: `allotment.${EVENTS[verb]}`, data: factsOf(allotment) });
  }

  /** By which step, or by hand, so many units of these slots were given back. */
  released(allotment: Allotment, unsold: readonly Unsold[], by: 'step' | 'hand'): void {
    const unsoldAction = allotment.unsoldAction ?? 'release_to_general_pool';
    const slots = slotsOf(unsold);
    this.ledger.record('distribution.allotment.release', {
      ...subjectOf(allotment),
      before: null,
      after: { by, unsoldAction, slots },
    });
    if (unsoldAction === 'retain') return;
    for (const slot of slots.filter(({ units }) => units > 0)) {
      const data = { ...factsOf(allotment), ...slot, by, unsoldAction };
      this.outbox.add({ channel: CHANNEL, event: 'allotment.released', data });
    }
  }

  /** Units are the channel's again; the reversal's entry says why. */
  reclaimed(allotment: Allotment): void {
    this.outbox.add({ channel: CHANNEL, event: 'allotment.reclaimed', data: factsOf(allotment) });
  }

  slot(allotment: Allotment, slot: AllotmentSlot, before: object): void {
    const subject = { subjectType: 'allotment_slot', subjectId: slot.id };
    this.ledger.record('distribution.allotment_slot.update', { ...subject, before, after: toSlotFacts(slot) });
    const { id: slotId, departureId, allotted, remaining } = slot;
    const data = { ...factsOf(allotment), slotId, departureId, allotted, remaining };
    this.outbox.add({ channel: CHANNEL, event: 'allotment.slot_changed', data });
  }
}

/** What of each slot was given back, as the ledger keeps it: it can be reclaimed by that. */
export function slotsOf(unsold: readonly Unsold[]): { slotId: string; departureId: string; units: number }[] {
  return unsold.map(({ slot, units }) => ({ slotId: slot.id, departureId: slot.departureId, units }));
}

function subjectOf({ id }: Allotment) {
  return { subjectType: 'allotment', subjectId: id };
}

function factsOf({ id, channelId, productId, version }: Allotment) {
  return { allotmentId: id, channelId, productId, version };
}
