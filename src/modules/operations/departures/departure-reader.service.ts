import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { pageBounds } from '../../../platform/http/dto.js';
import type { ListDepartures } from './departure.dto.js';
import { Departure, type DepartureView } from './departure.entity.js';

/** Lists of departures. */
@Injectable()
export class DepartureReader {
  constructor(private readonly database: Database) {}

  async list(query: ListDepartures): Promise<{ views: DepartureView[]; total: number }> {
    const { productId, from, to, status, sort = 'startsAt' } = query;
    const found = this.database.repository(Departure).createQueryBuilder('departure');
    if (productId !== undefined) found.andWhere('departure.productId = :productId', { productId });
    if (from !== undefined) found.andWhere('departure.start_date >= :from', { from });
    if (to !== undefined) found.andWhere('departure.start_date <= :to', { to });
    if (status !== undefined) found.andWhere('departure.status = :status', { status });
    const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
    found.orderBy(`departure.${sort.replace('-', '')}`, direction).addOrderBy('departure.id', direction);
    found.addSelect('departure.start_date', 'local_start');
    const { rows, total } = await this.database.page<Departure, { local_start: string }>(found, pageBounds(query));
    return { views: rows.map(({ entity, raw }) => ({ ...entity, startDate: raw.local_start })), total };
  }
}
