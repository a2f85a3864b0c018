import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import type { FacilityStatus } from './facility.entity.js';

/** For things that come to name a facility. */
@Injectable()
export class FacilityChoice {
  constructor(private readonly database: Database) {}

  /**
   * Until the running transaction ends the facility is not archived either. Throws 404 with the field that names it, 409
   * `facility_archived`.
   */
  async assertUsable(id: string | null, field = 'facilityId'): Promise<void> {
    if (id === null) return;
    const text = 'select status from facilities where id = $1 for share';
    const [facility] = await this.database.prepared<{ status: FacilityStatus }>('facility-choice', text, [id]);
    if (!facility) throw notFound({ field });
    if (facility.status === 'archived') throw conflict('facility_archived', 'The facility is archived', { field });
  }
}
