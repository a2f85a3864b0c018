import { Injectable } from '@nestjs/common';
import { hasScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { containing } from '../../../platform/database/like.js';
import { digitsOf, emailKey } from '../../customers/index.js';
import {
  DEFAULT_PER_KIND,
  type FoundRecord,
  type FoundRecords,
  RECORD_KINDS,
  type SearchRecords,
} from './search.dto.js';
import { kindsFor, searchStatement } from './search.sql.js';

/** Numbers of records have digits, and addresses an `@`. */
const NAME = /^[^\d@]*$/;

/** Finds the records of all kinds that the caller may read. */
@Injectable()
export class RecordSearchService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  async find({ q, limit = DEFAULT_PER_KIND }: SearchRecords): Promise<FoundRecords> {
    const kinds = kindsFor(hasScope);
    const withheld = RECORD_KINDS.filter((kind) => !kinds.includes(kind)).map((kind) => ({ kind }));
    if (kinds.length === 0) return { records: [], withheld };
    const digits = digitsOf(q);
    const records = await this.database.query<FoundRecord>(searchStatement(kinds, { isName: NAME.test(q) }), [
      q,
      q.trim(),
      // National numbers begin with zeros that international ones lack.
      digits === null ? null : containing(digits.replace(/^0+(?=\d{4})/, '')),
      emailKey(q),
      this.env.orgTimeZone,
      this.clock.now(),
      limit,
    ]);
    return { records, withheld };
  }
}
