import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ComputedNow, created, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { demoId } from '../../../platform/ids/id.js';
import { Names } from '../../../platform/http/row-names.js';
import {
  CreateWaitingEntry,
  ListWaitingEntries,
  toWaitingEntry,
  UpdateWaitingEntry,
  WaitingEntryEnvelope,
  WaitingEntryPage,
  WithdrawWaitingEntry,
} from './waiting-entry.dto.js';
import { WaitingEntriesService } from './waiting-entries.service.js';

const PATH = '/v1/admin/operations/waiting-entries';

@ApiGroup('Waiting list', {
  position: 153,
  description: 'Staff: customers who wait for units of a departure, and the offers that hold freed units for them.',
})
@Controller(PATH)
export class WaitingEntriesController {
  constructor(
    private readonly entries: WaitingEntriesService,
    private readonly names: Names,
  ) {}

  /**
   * Add a customer to the waiting list
   *
   * @remarks The customer waits for units of a departure, or of any departure of a product in a range of days. Units of the pool that
   * come free, by cancellations, releases, ended reservations or more capacity, are held at once for the first entry that they
   * satisfy: by priority, then by creation. An entry that needs more is passed over and keeps its place. The customer is informed by
   * mail and has 24 hours, at most until the end of sales; then the units go to the next entry. If enough units are free now, the new
   * entry is offered them. Rejected for a departure that has started, is called off or is cancelled.
   */
  @Post()
  @RequireScope('operations:write')
  @Mutates('operations.waiting_entry.create')
  @BodyExample({
    departureId: demoId('dep', 1),
    units: [{ unitId: demoId('punt', 1), quantity: 2 }],
    customerId: demoId('cus', 1),
  })
  @Refuses({
    404: ['not_found'],
    409: [
      ...['customer_archived', 'customer_erased', 'customer_merged', 'departure_called_off', 'departure_cancelled'],
      ...['departure_departed', 'option_inactive', 'product_archived'],
    ],
    422: ['not_accompanied', 'option_mismatch', 'option_quantity', 'unit_quantity'],
  })
  async create(@Body() body: CreateWaitingEntry): Promise<WaitingEntryEnvelope> {
    const view = await this.entries.create(body);
    return created(`${PATH}/${view.entry.id}`, view.entry, { data: toWaitingEntry(view) });
  }

  /**
   * List the waiting list
   *
   * @remarks Returns a page of entries in the order in which units are offered, unless `sort` is given. Entries that have ended are
   * included; filter with `status`.
   */
  @Get()
  @RequireScope('operations:read')
  async list(@Query() query: ListWaitingEntries): Promise<WaitingEntryPage> {
    const { views, total } = await this.entries.list(query);
    return {
      data: await this.names.beside(views.map(toWaitingEntry), 'productId', 'bookingId'),
      total,
      ...pageBounds(query),
    };
  }

  /**
   * Get an entry of the waiting list
   *
   * @remarks Returns the entry with its present offer.
   */
  @Get(':entryId')
  @RequireScope('operations:read')
  @ComputedNow()
  async get(@PathId('wait', 'entryId') id: string): Promise<WaitingEntryEnvelope> {
    const view = await this.entries.get(id);
    return tagged(view.entry, { data: toWaitingEntry(view) });
  }

  /**
   * Update an entry of the waiting list
   *
   * @remarks Changes only the fields that are sent. Units that are offered cannot be exchanged for others (409 `entry_offered`). If
   * enough units for what the entry needs now are free, they are offered.
   */
  @Patch(':entryId')
  @RequireScope('operations:write')
  @Mutates('operations.waiting_entry.update')
  @BodyExample({ priority: 20, note: 'Came with a cancelled group' })
  @Refuses({
    404: ['not_found'],
    409: ['entry_offered', 'invalid_transition', 'option_inactive'],
    422: ['not_accompanied', 'option_mismatch', 'option_quantity', 'unit_quantity'],
  })
  async update(
    @PathId('wait', 'entryId', 2) id: string,
    @Body() body: UpdateWaitingEntry,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<WaitingEntryEnvelope> {
    const view = await this.entries.update(id, body, expected);
    return tagged(view.entry, { data: toWaitingEntry(view) });
  }

  /**
   * Withdraw an entry of the waiting list
   *
   * @remarks The customer waits no longer. Units that are offered go to the next entry that they satisfy, otherwise back to the pool.
   * The body may be omitted.
   */
  @Post(':entryId/withdrawal')
  @HttpCode(200)
  @RequireScope('operations:write')
  @Mutates('operations.waiting_entry.withdraw', { irreversible: 'Its units went to others: add the customer again' })
  @BodyExample({ reason: 'The customer has found another day' })
  @Refuses({ 404: ['not_found'], 409: ['invalid_transition'] })
  async withdraw(
    @PathId('wait', 'entryId', 3) id: string,
    @Body() { reason }: WithdrawWaitingEntry,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<WaitingEntryEnvelope> {
    const view = await this.entries.withdraw(id, reason ?? null, expected);
    return tagged(view.entry, { data: toWaitingEntry(view) });
  }

  /**
   * Accept an offer of the waiting list
   *
   * @remarks Turns the held units into a draft booking of the customer (`bookingId`), in the currency and at the prices of a sale of
   * today. It also needs the scope `bookings:write`. Rejected after the end of the offer (409 `offer_expired`). It does not matter
   * whether sales have been closed since the offer.
   */
  @Post(':entryId/acceptance')
  @HttpCode(200)
  @RequireScope('operations:write')
  @Mutates('operations.waiting_entry.accept', { irreversible: 'The units are in a booking: cancel that booking' })
  @Refuses({
    400: ['tax_code_required'],
    404: ['not_found'],
    409: [
      ...['capacity_exceeded', 'customer_archived', 'customer_erased', 'customer_merged', 'invalid_transition'],
      ...['departure_departed', 'offer_expired', 'option_inactive', 'product_archived', 'tax_code_inactive'],
    ],
    422: [
      ...['not_accompanied', 'option_quantity', 'price_differs', 'price_missing', 'tax_rate_missing', 'unit_quantity'],
      'totals_mismatch',
    ],
  })
  async accept(
    @PathId('wait', 'entryId', 4) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<WaitingEntryEnvelope> {
    const view = await this.entries.accept(id, expected);
    return tagged(view.entry, { data: toWaitingEntry(view) });
  }
}
