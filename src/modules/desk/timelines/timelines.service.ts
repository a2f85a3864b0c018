import { Injectable } from '@nestjs/common';
import { hasScope } from '../../../platform/auth/access.js';
import { Database } from '../../../platform/database/database.js';
import { directionOf } from '../../../platform/database/sort-rows.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { CustomersService } from '../../customers/index.js';
import { TIMELINE_KINDS, type TimelineEntry, type TimelinePage, type TimelineQuery } from './timeline.dto.js';
import { isReadable, timelineStatement } from './timeline.sql.js';

/** What happened with a customer, over all modules. */
@Injectable()
export class TimelinesService {
  constructor(
    private readonly database: Database,
    private readonly customers: CustomersService,
  ) {}

  /** Reads one snapshot in two statements. Kinds without their scope are left out and named. Throws 404. */
  async get(customerId: string, query: TimelineQuery): Promise<TimelinePage> {
    const { kind: wanted = TIMELINE_KINDS, sort = '-createdAt' } = query;
    const bounds = pageBounds(query);
    const kinds = wanted.filter((kind) => isReadable(kind, hasScope));
    const withheld = wanted.filter((kind) => !kinds.includes(kind)).map((kind) => ({ kind }));
    return this.database.snapshot(async () => {
      await this.customers.get(customerId);
      if (kinds.length === 0) return { data: [], total: 0, ...bounds, withheld };
      const [found] = await this.database.query<{ data: TimelineEntry[]; total: number }>(
        timelineStatement(kinds, directionOf(sort)),
        [...[customerId, bounds.limit, bounds.offset]],
      );
      const { data = [], total = 0 } = found ?? {};
      return { data: data.map(withInstant), total, ...bounds, withheld };
    });
  }
}

/** JSON of the database writes instants in a form of its own. */
function withInstant(entry: TimelineEntry): TimelineEntry {
  return { ...entry, createdAt: new Date(entry.createdAt).toISOString() };
}
