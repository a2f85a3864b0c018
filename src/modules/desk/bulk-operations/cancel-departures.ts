import { Injectable } from '@nestjs/common';
import { CancelDeparture, DeparturesService } from '../../operations/index.js';
import { type BulkList, type BulkType, listOfDepartures } from './bulk-type.js';

/** Cancels each departure that has no sales; a departure with customers is called off instead. */
@Injectable()
export class CancelDeparturesType implements BulkType<CancelDeparture> {
  readonly scopes = ['operations:write'];
  readonly params = CancelDeparture;
  private readonly list;

  constructor(private readonly departures: DeparturesService) {
    this.list = listOfDepartures(departures);
  }

  listFor(): BulkList {
    return this.list;
  }

  async run(departureId: string, { reason = null }: { reason?: string | null }): Promise<void> {
    await this.departures.cancel(departureId, reason, null);
  }
}
