import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import type { Rows } from '../../../platform/database/rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import type { CallOffItemView, ListCallOffItems, ListCallOffs, ReportRow } from './call-off.dto.js';
import { CallOff } from './call-off.entity.js';
import { CallOffItem } from './call-off-item.entity.js';
import type { HoldingTrip, LiveBooking, Target, TargetSlot } from './call-off-plan.js';
import { HOLDING_TRIPS, LIVE_BOOKINGS, REPORT, TARGET_SLOTS, TARGETS } from './call-off.sql.js';

/** The SQL of call-offs and their items. */
@Injectable()
export class CallOffsRepository {
  readonly callOffs: Rows<CallOff>;
  readonly items: Rows<CallOffItem>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.callOffs = database.rows(CallOff);
    this.items = database.rows(CallOffItem);
  }

  /** Throws 404, also for a call-off of another departure. */
  async get(departureId: string, id: string): Promise<CallOff> {
    const callOff = await this.callOffs.findBy({ id, departureId });
    if (!callOff) throw notFound();
    return callOff;
  }

  /** Locks the call-off. Waits for the items that are being worked on, which share its row. */
  async lock(departureId: string, id: string): Promise<CallOff> {
    const callOff = await this.callOffs.lock(id);
    if (callOff.departureId !== departureId) throw notFound();
    return callOff;
  }

  async isOpen(departureId: string): Promise<boolean> {
    const open = `select from call_offs where departure_id = $1 and status in ('running', 'paused', 'completed_with_failures')`;
    return (await this.database.query(open, [departureId])).length > 0;
  }

  async list(departureId: string, query: ListCallOffs): Promise<{ rows: CallOff[]; total: number }> {
    const found = this.callOffs.query('call_off').where('call_off.departureId = :departureId', { departureId });
    filterRows(found, 'call_off.status', query.status);
    sortRows(found, query.sort ?? '-createdAt');
    return this.callOffs.page(found, pageBounds(query));
  }

  async listItems(callOffId: string, query: ListCallOffItems): Promise<{ views: CallOffItemView[]; total: number }> {
    const found = this.itemViews().where('item.callOffId = :callOffId', { callOffId });
    filterRows(found, 'item.status', query.status);
    filterRows(found, 'item.action', query.action);
    sortRows(found, query.sort ?? 'position');
    const { rows, total } = await this.database.page<CallOffItem, { number: string | null }>(found, pageBounds(query));
    return { views: rows.map(({ entity: item, raw }) => ({ item, bookingNumber: raw.number })), total };
  }

  async viewOf(item: CallOffItem): Promise<CallOffItemView> {
    const [booking] = await this.database.query<{ number: string }>('select number from bookings where id = $1', [
      item.bookingId,
    ]);
    return { item, bookingNumber: booking?.number ?? null };
  }

  async report(callOffId: string): Promise<ReportRow[]> {
    return this.database.query<ReportRow>(REPORT, [callOffId]);
  }

  /** Whether something has happened with a booking or trip of the departure, in any of its call-offs. */
  async hasDoneItems(departureId: string): Promise<boolean> {
    const [found] = await this.database.query(
      `select from call_offs c join call_off_items item on item.call_off_id = c.id
       where c.departure_id = $1 and item.status = 'done' limit 1`,
      [departureId],
    );
    return found !== undefined;
  }

  /** Whether the departure is scheduled again, as after its reinstatement. */
  async isScheduled(departureId: string): Promise<boolean> {
    const [found] = await this.database.prepared(
      'call-off-departure',
      `select from departures where id = $1 and status = 'scheduled'`,
      [departureId],
    );
    return found !== undefined;
  }

  /** The call-offs in which staff keep the booking on its departure. */
  async keeping(bookingId: string): Promise<string[]> {
    const found = await this.database.prepared<{ id: string }>(
      'call-off-keeping',
      `select call_off_id as id from call_off_items where booking_id = $1 and action = 'keep' and status = 'done'`,
      [bookingId],
    );
    return found.map(({ id }) => id);
  }

  async liveBookings(departureId: string): Promise<LiveBooking[]> {
    return this.database.query<LiveBooking>(LIVE_BOOKINGS, [departureId]);
  }

  async holdingTrips(departureId: string): Promise<HoldingTrip[]> {
    return this.database.query<HoldingTrip>(HOLDING_TRIPS, [departureId]);
  }

  async targets(ids: readonly string[]): Promise<{ targets: Target[]; slots: TargetSlot[] }> {
    const targets = await this.database.query<Target>(TARGETS, [ids, this.clock.now()]);
    return { targets, slots: await this.database.query<TargetSlot>(TARGET_SLOTS, [ids]) };
  }

  /**
   * Shares the row of a running call-off until the transaction ends: a pause or an abandonment waits for the item in work, and
   * then no other begins. Returns null if the call-off does not run.
   */
  async shareRunning(id: string): Promise<CallOff | null> {
    const [callOff] = await this.callOffs.read({
      name: 'call-off-share',
      text: `select ${this.callOffs.columns('c')} from call_offs c where c.id = $1 and c.status = 'running' for share`,
      values: [id],
    });
    return callOff ?? null;
  }

  /** Locks the next pending item that no other process works on: those that were not tried yet come first. */
  async claimNext(callOffId: string): Promise<CallOffItem | null> {
    const [item] = await this.items.read({
      name: 'call-off-claim',
      text: `select ${this.items.columns('item')} from call_off_items item
        where item.call_off_id = $1 and item.status = 'pending'
        order by item.attempts, item.position limit 1 for update skip locked`,
      values: [callOffId],
    });
    return item ?? null;
  }

  /** Locks the items of a call-off in these states, by id; only the named ones, unless `ids` is null. */
  async lockItems(
    callOffId: string,
    { statuses, ids }: { statuses: readonly string[]; ids: readonly string[] | null },
  ): Promise<CallOffItem[]> {
    return this.items.read({
      text: `select ${this.items.columns('item')} from call_off_items item
        where item.call_off_id = $1 and item.status = any($2) and ($3::text[] is null or item.id = any($3))
        order by item.id for update`,
      values: [callOffId, statuses, ids],
    });
  }

  async running(): Promise<string[]> {
    const found = await this.database.query<{ id: string }>(
      `select id from call_offs where status = 'running' order by id`,
    );
    return found.map(({ id }) => id);
  }

  private itemViews() {
    return this.items
      .query('item')
      .addSelect('(select booking.number from bookings booking where booking.id = item.booking_id)', 'number');
  }
}
