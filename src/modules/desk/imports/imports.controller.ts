import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { LimitOperation } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ComputedNow, setResponseHeader, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  CreateImport,
  ImportEnvelope,
  ImportPage,
  ImportRecordPage,
  type ImportView,
  ListImportRecords,
  ListImports,
  toImport,
  toImportRecord,
} from './import.dto.js';
import { ImportsService } from './imports.service.js';

const PATH = '/v1/admin/imports';
const FILE_FAULTS = [
  'column_duplicate',
  'column_missing',
  'column_unknown',
  'csv_empty',
  'csv_malformed',
  'reference_too_long',
  'too_many_lines',
];

@ApiGroup('Imports', {
  position: 156,
  description: 'Staff: customers, products and running bookings of an earlier system from CSV files.',
})
@Controller(PATH)
export class ImportsController {
  constructor(private readonly imports: ImportsService) {}

  /**
   * Check a file to import
   *
   * @remarks A job tries each record of the file and rolls it back (202); poll the import, then read its records. Nothing is
   * imported before the execution. Each line has a `reference`, its key in the earlier system, which must not be an e-mail address; one that was imported before
   * is skipped, so a corrected file can be sent again. Empty cells are omitted values.
   *
   * `customers`: `kind`, `firstName`, `lastName`, `companyName`, `email`, `phone`, `line1`, `line2`, `city`, `region`, `postalCode`,
   * `country`, `language`, `birthDate`, `taxId`, `vatId`, `notes`.
   *
   * `products`, as drafts: `name`, `kind`, `timeZone`, and optionally `id`, `durationMinutes`, `defaultCapacity`, `minParticipants`,
   * `taxCodeId`. Lines with the same reference add units: `unitName`, `unitType`, `minAge`, `maxAge`, `seats`, `paxCount`. It also
   * needs the scope `products:write`.
   *
   * `bookings`, as confirmed ones: `currency`, `title`, `unitPrice` (an amount such as `1250.00`), and optionally `quantity`, `type`,
   * `serviceDate`, `departureId`, `taxCodeId`, `billed`; for the booking `number`, `customerReference` or `customerId` or
   * `customerName` with `customerEmail` and `customerPhone`, `startDate`, `endDate`, `notes`, `paid`, `paidOn`, `paymentMethod`. Lines
   * with the same reference are items of one booking. `billed` is what the earlier system has invoiced for the line; it is taken off
   * the price, so that it is not invoiced again. `paid` is what the customer has paid so far: if it is less than `billed`, the difference
   * becomes an item without tax; if it is more, the difference is recorded as a payment. Customers get no confirmation. It also needs the scopes
   * `bookings:write`, `bookings:override` and `finance:write`.
   */
  @Post()
  @HttpCode(202)
  @RequireScope('customers:write')
  @Mutates('desk.import.create', { irreversible: 'Nothing is imported before the execution: discard the import' })
  @LimitOperation({ name: 'imports', maxConcurrent: 2 })
  @BodyExample({
    kind: 'customers',
    csv: 'reference,firstName,lastName,email\nK-1001,Maria,Ionescu,maria.ionescu@example.com\n',
  })
  @Refuses({ 422: FILE_FAULTS })
  async create(@Body() body: CreateImport): Promise<ImportEnvelope> {
    return accepted(await this.imports.create(body));
  }

  /**
   * List imports
   *
   * @remarks Returns a page of imports, newest first unless `sort` is given. Imports are deleted 30 days after their creation.
   */
  @Get()
  @RequireScope('customers:read')
  async list(@Query() query: ListImports): Promise<ImportPage> {
    const { views, total } = await this.imports.list(query);
    return { data: views.map(toImport), total, ...pageBounds(query) };
  }

  /**
   * Get an import
   *
   * @remarks Returns the progress of the check or of the import.
   */
  @Get(':id')
  @RequireScope('customers:read')
  @ComputedNow()
  async get(@PathId('imp', 'id') id: string): Promise<ImportEnvelope> {
    const view = await this.imports.get(id);
    return tagged(view.import, { data: toImport(view) });
  }

  /**
   * List the records of an import
   *
   * @remarks Returns a page of records in the order of the file unless `sort` is given: what each becomes, or why it cannot be
   * imported.
   */
  @Get(':id/records')
  @RequireScope('customers:read')
  async listRecords(@PathId('imp', 'id') id: string, @Query() query: ListImportRecords): Promise<ImportRecordPage> {
    const { rows, total } = await this.imports.listRecords(id, query);
    return { data: rows.map(toImportRecord), total, ...pageBounds(query) };
  }

  /**
   * Execute an import
   *
   * @remarks A job imports the valid records, each in its own transaction (202). A record that is rejected gets the status `failed`
   * and stops no other. Only an import that is `checked` can be executed, and only once. It needs the same scopes as its creation.
   */
  @Post(':id/execution')
  @HttpCode(202)
  @RequireScope('customers:write')
  @Mutates('desk.import.execute', { irreversible: 'The records exist: change, archive or cancel them one by one' })
  @Refuses({ 409: ['invalid_transition'] })
  async execute(@PathId('imp', 'id', 2) id: string, @NoBody() _body: null): Promise<ImportEnvelope> {
    return accepted(await this.imports.execute(id));
  }

  /**
   * Discard an import
   *
   * @remarks Deletes the import and the lines of its file, and returns it. What it has imported stays, and so do the references.
   * Rejected while a job works on it.
   */
  @Delete(':id')
  @RequireScope('customers:write')
  @Mutates('desk.import.delete', { irreversible: 'The lines were erased: upload the file again' })
  @Refuses({ 409: ['import_in_progress'] })
  async delete(
    @PathId('imp', 'id', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<ImportEnvelope> {
    const view = await this.imports.delete(id, expected);
    return tagged(view.import, { data: toImport(view) });
  }
}

/** The work goes on in a job; `Location` shows its progress. */
function accepted(view: ImportView): ImportEnvelope {
  setResponseHeader('Location', `${PATH}/${view.import.id}`);
  return { data: toImport(view) };
}
