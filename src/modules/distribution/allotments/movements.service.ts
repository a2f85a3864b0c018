import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/id.js';

/** What moved a slot's units. */
export type MovementCause =
  'opened' | 'changed' | 'item' | 'step' | 'hand' | 'out_of_range' | 'departure_cancelled' | 'deleted' | 'reversal';

/** How a slot's units moved; allot and reclaim are more for the channel, release is less. */
export interface Movement {
  slotId: string;
  kind: 'allot' | 'pick' | 'unpick' | 'release' | 'reclaim';
  cause: MovementCause;
  units: number;
  bookingItemId?: string;
}

/** The journal of slots' units: nothing moves without a line here, and no line is ever changed. */
@Injectable()
export class Movements {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Movements of no units are none. */
  async append(movements: readonly Movement[]): Promise<void> {
    const moved = movements.filter(({ units }) => units > 0);
    if (moved.length === 0) return;
    await this.database.prepared(
      'movements-append',
      `insert into allotment_movements (id, slot_id, kind, cause, quantity, booking_item_id, created_at)
       select id, slot_id, kind, cause, quantity, item, $7
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::text[])
         as m (id, slot_id, kind, cause, quantity, item)`,
      [
        moved.map(() => newId('almv')),
        moved.map(({ slotId }) => slotId),
        moved.map(({ kind }) => kind),
        moved.map(({ cause }) => cause),
        moved.map(({ units }) => units),
        moved.map(({ bookingItemId }) => bookingItemId ?? null),
        this.clock.now(),
      ],
    );
  }
}
