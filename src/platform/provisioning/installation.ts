import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';

/** Steps that are done once per database (first start, demo data), by name. */
@Injectable()
export class Installation {
  constructor(private readonly database: Database) {}

  async isDone(step: string): Promise<boolean> {
    const rows = await this.database.query('select from installation_steps where step = $1', [step]);
    return rows.length > 0;
  }

  async markDone(step: string): Promise<void> {
    await this.database.query('insert into installation_steps (step) values ($1) on conflict do nothing', [step]);
  }
}
