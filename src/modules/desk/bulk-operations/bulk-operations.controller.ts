import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ComputedNow, setResponseHeader, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { demoId } from '../../../platform/ids/id.js';
import {
  BulkOperationEnvelope,
  BulkOperationItemPage,
  BulkOperationPage,
  type BulkOperationView,
  CreateBulkOperation,
  ListBulkOperationItems,
  ListBulkOperations,
  toBulkOperation,
  toBulkOperationItem,
} from './bulk-operation.dto.js';
import { BulkOperationsService } from './bulk-operations.service.js';

const PATH = '/v1/admin/bulk-operations';
const FOUND = 'the bulk operations';
const ONE_BY_ONE = 'Records are changed one by one: change them back one by one';

@ApiGroup('Bulk operations', {
  position: 158,
  description: 'Staff: the same change of up to 1,000 bookings, invoices, departures or customers, record by record.',
})
@Controller(PATH)
export class BulkOperationsController {
  constructor(private readonly operations: BulkOperationsService) {}

  /**
   * Start a bulk operation
   *
   * @remarks A job changes the records one after the other (202); poll the operation for its progress, and read its items for what
   * happened. Each record is changed in its own transaction, exactly once, by the same rules and with the same messages and
   * entries as by its own route, in the name of the caller. A record that is rejected fails with an error code and stops no other.
   * At most two operations run at the same time; others wait.
   *
   * The records are `ids`, or those that `filters` find in their list, which needs the scope to read that list. `params` and the
   * scopes needed besides `desk:write`, at the start and for each record:
   *
   * `bookings.message`: `templateId`, or `subject` and `text`, and optionally `category`, as for a message to one customer; it goes to
   * the address of the booking. `notifications:write`, `bookings:read`.
   *
   * `bookings.cancel`: `reason`, and optionally `cancelledOn` and `initiator`. `bookings:write`.
   *
   * `bookings.move`: `departureId`, `targetDepartureId` of the same product, `reason`, and optionally `reprice`, which applies
   * the prices of today. All items of a booking on the departure move, or none. `bookings:write`.
   *
   * `invoices.issue`: optionally `issueDate`, `dueDate`, `seriesId` and `onStale`. `finance:write`.
   *
   * `departures.update`: fields of a departure except its times. `operations:write`.
   *
   * `departures.cancel`: optionally `reason`. `operations:write`.
   *
   * `customers.tag`: `add` and `remove`, lists of tags. `customers:write`.
   *
   * `documents.create`: `kind` and `subjectType` as for one document, and optionally `language`. `documents:write`, and the scopes to read
   * the records.
   *
   * If the session or token of the caller ends, or the caller loses a scope, the remaining records fail with `forbidden`.
   */
  @Post()
  @HttpCode(202)
  @RequireScope('desk:write')
  @Mutates('desk.bulk_operation.create', { irreversible: ONE_BY_ONE })
  @BodyExample({ type: 'customers.tag', ids: [demoId('cus', 1)], params: { add: ['season-2027'] }, dryRun: true })
  @Refuses({
    404: ['not_found'],
    422: ['placeholder_unknown', 'product_mismatch', 'same_departure', 'selection_empty', 'selection_too_large'],
  })
  async create(@Body() body: CreateBulkOperation): Promise<BulkOperationEnvelope> {
    return accepted(await this.operations.create(body));
  }

  /**
   * List bulk operations
   *
   * @remarks Returns a page of operations, newest first unless `sort` is given. Operations are deleted 90 days after their end.
   */
  @Get()
  @RequireScope('desk:read')
  async list(@Query() query: ListBulkOperations): Promise<BulkOperationPage> {
    const { views, total } = await this.operations.list(query);
    return { data: views.map(toBulkOperation), total, ...pageBounds(query) };
  }

  /**
   * Get a bulk operation
   *
   * @remarks Returns the progress: how many records have which outcome.
   */
  @Get(':id')
  @RequireScope('desk:read')
  @ComputedNow()
  async get(@PathId('bulk') id: string): Promise<BulkOperationEnvelope> {
    const view = await this.operations.get(id);
    return tagged(view.operation, { data: toBulkOperation(view) });
  }

  /**
   * List the items of a bulk operation
   *
   * @remarks Returns a page of records with what happened, in the order in which they are worked on unless `sort` is given.
   */
  @Get(':id/items')
  @RequireScope('desk:read')
  async listItems(@PathId('bulk') id: string, @Query() query: ListBulkOperationItems): Promise<BulkOperationItemPage> {
    const { rows, total } = await this.operations.listItems(id, query);
    return { data: rows.map(toBulkOperationItem), total, ...pageBounds(query) };
  }

  /**
   * Pause a bulk operation
   *
   * @remarks Once this returns, no record is changed until the operation is resumed. Only an operation that waits or runs can be
   * paused. After 30 days its rest is cancelled. It needs the scopes of its type.
   */
  @Post(':id/pause')
  @HttpCode(200)
  @RequireScope('desk:write')
  @Mutates('desk.bulk_operation.pause', { irreversible: 'Resume the operation' })
  @Refuses({ 409: ['invalid_transition'] })
  async pause(
    @PathId('bulk', 'id', 1, FOUND) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<BulkOperationEnvelope> {
    const view = await this.operations.pause(id, expected);
    return tagged(view.operation, { data: toBulkOperation(view) });
  }

  /**
   * Resume a bulk operation
   *
   * @remarks The job goes on with the pending records (202), in the name of the caller. Only a paused operation can be resumed. It
   * needs the scopes of its type.
   */
  @Post(':id/resumption')
  @HttpCode(202)
  @RequireScope('desk:write')
  @Mutates('desk.bulk_operation.resume', { irreversible: 'Pause or cancel the operation' })
  @Refuses({ 409: ['invalid_transition'] })
  async resume(@PathId('bulk', 'id', 1, FOUND) id: string, @NoBody() _body: null): Promise<BulkOperationEnvelope> {
    return accepted(await this.operations.resume(id));
  }

  /**
   * Cancel the rest of a bulk operation
   *
   * @remarks Skips the records that are not changed yet, and keeps the changes of the others. Rejected once the operation has ended.
   * It needs the scopes of its type.
   */
  @Post(':id/cancellation')
  @HttpCode(200)
  @RequireScope('desk:write')
  @Mutates('desk.bulk_operation.cancel', { irreversible: 'Start another operation for the skipped records' })
  @Refuses({ 409: ['invalid_transition'] })
  async cancel(
    @PathId('bulk', 'id', 1, FOUND) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<BulkOperationEnvelope> {
    const view = await this.operations.cancel(id, expected);
    return tagged(view.operation, { data: toBulkOperation(view) });
  }

  /**
   * Repeat the failed items of a bulk operation
   *
   * @remarks The job tries the failed records again (202), in the name of the caller. Only an operation that is
   * `completed_with_failures` has records to repeat. It needs the scopes of its type.
   */
  @Post(':id/retries')
  @HttpCode(202)
  @RequireScope('desk:write')
  @Mutates('desk.bulk_operation.retry', { irreversible: ONE_BY_ONE })
  @Refuses({ 409: ['invalid_transition'] })
  async retry(@PathId('bulk', 'id', 1, FOUND) id: string, @NoBody() _body: null): Promise<BulkOperationEnvelope> {
    return accepted(await this.operations.retry(id));
  }
}

/** The work goes on in a job; `Location` shows its progress. */
function accepted(view: BulkOperationView): BulkOperationEnvelope {
  setResponseHeader('Location', `${PATH}/${view.operation.id}`);
  return { data: toBulkOperation(view) };
}
