import { Id, ListOf, OneOf, Optional, Whole } from '../../../platform/http/fields.js';
import { MAX_UNITS } from './allotment.dto.js';
import { UNSOLD_ACTIONS, type UnsoldAction } from './release-rule.js';

export class GivenBackSlot {
  @Id('alsl')
  slotId: string;

  @Id('dep')
  departureId: string;

  @Whole({ min: 0, max: MAX_UNITS })
  units: number;
}

/** What the ledger's entry of a release or a deletion says of the units that were given back. */
export class GivenBack {
  @ListOf(() => GivenBackSlot, { max: MAX_UNITS })
  slots: GivenBackSlot[];

  /** Of a deletion none is said: then they are in the pool. */
  @Optional()
  @OneOf(UNSOLD_ACTIONS)
  unsoldAction?: UnsoldAction;
}
