import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ComputedNow, setResponseHeader, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { ChangesNothing, Mutates } from '../../../platform/idempotency/mutates.js';
import {
  AbandonCallOff,
  CallOffEnvelope,
  CallOffItemEnvelope,
  CallOffItemPage,
  CallOffPage,
  CallOffPreviewEnvelope,
  type CallOffView,
  CreateCallOff,
  ListCallOffItems,
  ListCallOffs,
  RetryCallOff,
  toCallOff,
  toCallOffItem,
  UpdateCallOffItem,
} from './call-off.dto.js';
import { CallOffsService } from './call-offs.service.js';

const PATH = '/v1/admin/operations/departures';
const EXAMPLE = {
  reasonCode: 'weather',
  reason: 'Gale warning for the whole coast',
  default: { action: 'cancel', settle: 'refund' },
  message: { note: 'Call us for another day: +40 21 000 0000' },
};
const FOUND = 'the call-offs of a departure';
const STARTED = 'Customers were informed: reinstate bookings one by one';

@ApiGroup('Call-offs', {
  position: 152,
  description: 'Staff: calling off a departure with customers, booking by booking, with a report of what happened.',
})
@Controller(`${PATH}/:id/call-offs`)
export class CallOffsController {
  constructor(private readonly callOffs: CallOffsService) {}

  /**
   * Call off a departure
   *
   * @remarks From the response (202) on nothing more is sold on the departure, and its slots of allotments are closed. A job then
   * moves, cancels or keeps its bookings one after the other, and ends the reservations of trips; poll the call-off for its
   * progress. What happens with a booking, its money and its mail are one transaction. A booking that cannot be treated fails with
   * an error code and stops no other. The departure is `cancelled` once nothing is sold or held.
   *
   * Cancellations cost no fee. Refunds are requested and issued invoices of cancelled bookings credited without further scopes; a
   * refund is completed with `finance:refund`. It also needs the scope `bookings:write`. Rejected for a departure that is cancelled
   * or has ended, and while another call-off of it is open.
   */
  @Post()
  @HttpCode(202)
  @RequireScope('operations:write')
  @Mutates('operations.call_off.create', { irreversible: STARTED })
  @BodyExample(EXAMPLE)
  @Refuses({
    404: ['not_found'],
    409: ['call_off_in_progress', 'departure_cancelled', 'departure_departed'],
    422: ['booking_not_on_departure', 'same_departure'],
  })
  async create(@PathId('dep', 'id', 17) id: string, @Body() body: CreateCallOff): Promise<CallOffEnvelope> {
    return accepted(await this.callOffs.create(id, body));
  }

  /**
   * Preview calling off a departure
   *
   * @remarks Shows what the same request would do now: bookings, people, money by currency, units on other departures, and what would
   * fail. Stores nothing. It also needs the scope `bookings:write`.
   */
  @Post('preview')
  @HttpCode(200)
  @RequireScope('operations:write')
  @ChangesNothing('a preview is not stored')
  @BodyExample(EXAMPLE)
  @Refuses({
    404: ['not_found'],
    409: ['call_off_in_progress', 'departure_cancelled', 'departure_departed'],
    422: ['booking_not_on_departure', 'same_departure'],
  })
  async preview(@PathId('dep', 'id', 16) id: string, @Body() body: CreateCallOff): Promise<CallOffPreviewEnvelope> {
    return { data: await this.callOffs.preview(id, body) };
  }

  /**
   * List the call-offs of a departure
   *
   * @remarks Returns a page of call-offs, newest first unless `sort` is given.
   */
  @Get()
  @RequireScope('operations:read')
  async list(@PathId('dep', 'id', 18) id: string, @Query() query: ListCallOffs): Promise<CallOffPage> {
    const { views, total } = await this.callOffs.list(id, query);
    return { data: views.map(toCallOff), total, ...pageBounds(query) };
  }

  /**
   * Get a call-off
   *
   * @remarks Returns the progress and the report: how many items have which outcome, and the money refunded, credited and left to
   * staff.
   */
  @Get(':callOffId')
  @RequireScope('operations:read')
  @ComputedNow()
  async get(
    @PathId('dep', 'id', 18) id: string,
    @PathId('coff', 'callOffId') callOffId: string,
  ): Promise<CallOffEnvelope> {
    const view = await this.callOffs.get(id, callOffId);
    return tagged(view.callOff, { data: toCallOff(view) });
  }

  /**
   * List the items of a call-off
   *
   * @remarks Returns a page of bookings and trips with what happened, in the order in which they are worked on unless `sort` is given.
   *
   */
  @Get(':callOffId/items')
  @RequireScope('operations:read')
  async listItems(
    @PathId('dep', 'id', 18) id: string,
    @PathId('coff', 'callOffId') callOffId: string,
    @Query() query: ListCallOffItems,
  ): Promise<CallOffItemPage> {
    const { views, total } = await this.callOffs.listItems(id, callOffId, query);
    return { data: views.map(toCallOffItem), total, ...pageBounds(query) };
  }

  /**
   * Change a pending item of a call-off
   *
   * @remarks Changes only the fields that are sent; another `action` drops the terms of the former one. Pause the call-off first to
   * change several items before they are worked on. Items that are done, failed or skipped, and trips, cannot be changed. It also
   * needs the scope `bookings:write`.
   */
  @Patch(':callOffId/items/:itemId')
  @RequireScope('operations:write')
  @Mutates('operations.call_off.update_item', {
    irreversible: 'A job works on the item: change it while it is pending',
  })
  @BodyExample({ action: 'keep' })
  @Refuses({ 404: ['not_found'], 409: ['invalid_transition', 'item_is_trip'], 422: ['same_departure'] })
  async updateItem(
    @PathId('dep', 'id', 18, FOUND) id: string,
    @PathId('coff', 'callOffId', 1, FOUND) callOffId: string,
    @PathId('coit', 'itemId', 1, 'the items of the call-off') itemId: string,
    @Body() body: UpdateCallOffItem,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<CallOffItemEnvelope> {
    const view = await this.callOffs.updateItem({ departureId: id, callOffId, itemId, expected }, body);
    return tagged(view.item, { data: toCallOffItem(view) });
  }

  /**
   * Pause a call-off
   *
   * @remarks Once this returns, no item is worked on until the call-off is resumed. The departure stays called off. Only a running
   * call-off can be paused. It also needs the scope `bookings:write`.
   */
  @Post(':callOffId/pause')
  @HttpCode(200)
  @RequireScope('operations:write')
  @Mutates('operations.call_off.pause', { irreversible: 'Resume the call-off' })
  @Refuses({ 409: ['invalid_transition'] })
  async pause(
    @PathId('dep', 'id', 18, FOUND) id: string,
    @PathId('coff', 'callOffId', 1, FOUND) callOffId: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<CallOffEnvelope> {
    const view = await this.callOffs.pause(id, callOffId, expected);
    return tagged(view.callOff, { data: toCallOff(view) });
  }

  /**
   * Resume a call-off
   *
   * @remarks The job goes on with the pending items (202). Only a paused call-off can be resumed. It also needs the scope
   * `bookings:write`.
   */
  @Post(':callOffId/resumption')
  @HttpCode(202)
  @RequireScope('operations:write')
  @Mutates('operations.call_off.resume', { irreversible: STARTED })
  @Refuses({ 409: ['invalid_transition'] })
  async resume(
    @PathId('dep', 'id', 18, FOUND) id: string,
    @PathId('coff', 'callOffId', 1, FOUND) callOffId: string,
    @NoBody() _body: null,
  ): Promise<CallOffEnvelope> {
    return accepted(await this.callOffs.resume(id, callOffId));
  }

  /**
   * Repeat failed items of a call-off
   *
   * @remarks The job tries the failed items again (202): all or the named ones, with another action if one is given. The body may be
   * omitted. Only a call-off that is `completed_with_failures` has items to repeat. It also needs the scope `bookings:write`.
   */
  @Post(':callOffId/retries')
  @HttpCode(202)
  @RequireScope('operations:write')
  @Mutates('operations.call_off.retry', { irreversible: STARTED })
  @BodyExample({ action: 'cancel', settle: 'credit' })
  @Refuses({
    404: ['not_found'],
    409: ['invalid_transition', 'item_is_trip'],
    422: ['item_not_failed', 'same_departure'],
  })
  async retry(
    @PathId('dep', 'id', 18, FOUND) id: string,
    @PathId('coff', 'callOffId', 1, FOUND) callOffId: string,
    @Body() body: RetryCallOff,
  ): Promise<CallOffEnvelope> {
    return accepted(await this.callOffs.retry(id, callOffId, body));
  }

  /**
   * Abandon a call-off
   *
   * @remarks The departure is on sale again, and its slots of allotments are open. Rejected once an item is done: then reinstate
   * bookings one by one. It also needs the scope `bookings:write`.
   */
  @Post(':callOffId/abandonment')
  @HttpCode(200)
  @RequireScope('operations:write')
  @Mutates('operations.call_off.abandon', {
    irreversible: 'The departure is on sale, and its bookings may have changed: create another call-off',
  })
  @Refuses({ 409: ['call_off_started', 'capacity_exceeded', 'invalid_transition'] })
  async abandon(
    @PathId('dep', 'id', 18, FOUND) id: string,
    @PathId('coff', 'callOffId', 1, FOUND) callOffId: string,
    @Body() { reason }: AbandonCallOff,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<CallOffEnvelope> {
    const view = await this.callOffs.abandon({ departureId: id, callOffId, expected }, reason);
    return tagged(view.callOff, { data: toCallOff(view) });
  }
}

/** The work goes on in a job; `Location` shows its progress. */
function accepted(view: CallOffView): CallOffEnvelope {
  const { id, departureId } = view.callOff;
  setResponseHeader('Location', `${PATH}/${departureId}/call-offs/${id}`);
  return { data: toCallOff(view) };
}
