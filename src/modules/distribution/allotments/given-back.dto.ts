import { Id, ListOf, OneOf, Optional, Whole } from '../../../platform/http/fields.js';
import { MAX_UNITS } from './allotment.dto.js';
import { UNSOLD_ACTIONS, type UnsoldAction } from './release-rule.js';

/** Units released on one slot. */
export class GivenBackSlot {
  /** Slot that the units were released from (prefix `alsl`). */
  @Id('alsl')
  slotId: string;

  /** Departure of the slot (prefix `dep`). */
  @Id('dep')
  departureId: string;

  /** Number of units released. */
  @Whole({ min: 0, max: MAX_UNITS })
  units: number;
}

/** Units released by a release or a deletion, as stored in the action ledger. */
export class GivenBack {
  /** Released units per slot. */
  @ListOf(() => GivenBackSlot, { max: MAX_UNITS })
  slots: GivenBackSlot[];

  /** What happened to the units; absent for a deletion, which returns them to the general pool. */
  @Optional()
  @OneOf(UNSOLD_ACTIONS)
  unsoldAction?: UnsoldAction;
}
