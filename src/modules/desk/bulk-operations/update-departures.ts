import { Injectable } from '@nestjs/common';
import { OmitType } from '@nestjs/swagger';
import { invalidField } from '../../../platform/errors/app-error.js';
import { patchOf } from '../../../platform/http/dto.js';
import { CreateDeparture, DeparturesService } from '../../operations/index.js';
import { type BulkList, type BulkType, listOfDepartures } from './bulk-type.js';

/** The fields of departures to change. Departures that are different in time are never moved to one time. */
class UpdateDepartures extends patchOf(
  OmitType(CreateDeparture, ['id', 'productId', 'startsAt', 'endsAt', 'timeZone', 'decideBy'] as const),
) {}

/** Changes the same fields of each departure. */
@Injectable()
export class UpdateDeparturesType implements BulkType<UpdateDepartures> {
  readonly scopes = ['operations:write'];
  readonly params = UpdateDepartures;
  private readonly list;

  constructor(private readonly departures: DeparturesService) {
    this.list = listOfDepartures(departures);
  }

  listFor(): BulkList {
    return this.list;
  }

  check(params: UpdateDepartures): void {
    if (Object.keys(params).length > 0) return;
    throw invalidField('params', 'params must contain a field to change', 'required');
  }

  async run(departureId: string, params: UpdateDepartures): Promise<void> {
    await this.departures.update(departureId, params, { expected: null });
  }
}
