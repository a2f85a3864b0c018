import { Controller, Get, Query } from '@nestjs/common';
import { ExpensiveRead } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { SearchRecords, FoundRecordsEnvelope } from './search.dto.js';
import { RecordSearchService } from './search.service.js';

@ApiGroup('Desk', {
  position: 15,
  description:
    'What a screen needs in one request: a search over all records, the day, the departures and a booking with its account.',
})
@Controller('/v1/admin/search')
export class RecordsController {
  constructor(private readonly records: RecordSearchService) {}

  /**
   * Search customers, bookings, trips, invoices, contracts and departures
   *
   * @remarks Each kind needs its own read scope (`customers:read`, `bookings:read`, `trips:read`, `finance:receivables`, `legal:read`,
   * `operations:read`) and is left out without it. Bookings are also found by e-mail address, telephone number and the names of
   * travelers, invoices by the number of their booking, departures by their product. Document numbers and notes about health
   * are never found.
   */
  @Get()
  @ExpensiveRead()
  @RequireScope()
  async search(@Query() query: SearchRecords): Promise<FoundRecordsEnvelope> {
    return { data: await this.records.find(query) };
  }
}
