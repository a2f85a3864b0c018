import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiFoundResponse } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created, setResponseHeader, tagged } from '../../../platform/http/response-headers.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { DataExportEnvelope, toDataExport } from './data-export.dto.js';
import { DataExportsService } from './data-exports.service.js';

@ApiGroup('Customers')
@Controller('/v1/admin/customers/:customerId/data-exports')
export class DataExportsController {
  constructor(private readonly exports: DataExportsService) {}

  /**
   * Request an export of a customer's data
   *
   * @remarks Queues a JSON file with everything that the modules store about the customer (202): each class of data with its
   * purpose and the end of its retention, sealed values in plain text, and no data of other travelers. Poll the export until its
   * status is `ready`. The file is deleted after seven days.
   */
  @Post()
  @HttpCode(202)
  @RequireScope('customers:privacy')
  @Mutates('customers.customer.export', { irreversible: 'It changed no data: the file is deleted after seven days' })
  @Refuses({ 409: ['customer_erased', 'customer_merged'] })
  async request(@PathId('cus', 'customerId') customerId: string, @NoBody() _body: null): Promise<DataExportEnvelope> {
    const requested = await this.exports.request(customerId);
    const path = `/v1/admin/customers/${customerId}/data-exports/${requested.id}`;
    return created(path, {}, { data: toDataExport(requested) });
  }

  /**
   * Get an export of a customer's data
   *
   * @remarks Returns its status.
   */
  @Get(':exportId')
  @RequireScope('customers:privacy')
  async get(
    @PathId('cus', 'customerId') customerId: string,
    @PathId('cexp', 'exportId') id: string,
  ): Promise<DataExportEnvelope> {
    const found = await this.exports.get(customerId, id);
    return tagged(found, { data: toDataExport(found) });
  }

  /**
   * Download an export of a customer's data
   *
   * @remarks Redirects (302) to the file through a signed link on this host that is valid for five minutes. While the file is being
   * written, the error contains `retryAfterMs`.
   */
  @Get(':exportId/download')
  @HttpCode(302)
  @RequireScope('customers:privacy')
  @ApiFoundResponse({
    description: 'Redirect to the signed link of the file',
    headers: { Location: { required: true, schema: { type: 'string', maxLength: 1000 } } },
  })
  @Refuses({ 409: ['export_not_ready'], 410: ['export_expired'] })
  async download(
    @PathId('cus', 'customerId') customerId: string,
    @PathId('cexp', 'exportId') id: string,
  ): Promise<void> {
    setResponseHeader('Location', await this.exports.linkTo(customerId, id));
    setResponseHeader('Cache-Control', 'private, no-store');
    setResponseHeader('Referrer-Policy', 'no-referrer');
  }
}
