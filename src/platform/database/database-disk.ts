import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DiskSpace } from '../observability/disk-space.js';
import { Database } from './database.js';

const PROBE_BYTES = 256 * 1024;

/** Reports that the disk of the database is full as soon as a statement fails for that reason. */
@Injectable()
export class DatabaseDisk {
  constructor(database: Database, diskSpace: DiskSpace) {
    const tryWrite = () =>
      database.apart(() =>
        database.transaction(async () => {
          // Space of deleted rows is returned by autovacuum only, so the row needs new space.
          await database.execute('delete from disk_probes');
          await database.execute('insert into disk_probes (content) values ($1)', [randomBytes(PROBE_BYTES)]);
        }),
      );
    database.onDiskFull((error) => diskSpace.reportFull('database', error, tryWrite));
  }
}
