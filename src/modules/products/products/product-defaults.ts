import type { Cutoff } from './cutoff.dto.js';

/** What a new departure, and a new assignment of a resource to it, take over from the product. */
export interface ProductDefaults {
  timeZone: string;
  durationMinutes: number | null;
  defaultCapacity: number | null;
  facilityId: string | null;
  taxCodeId: string | null;
  cutoff: Cutoff | null;
  minParticipants: number | null;
  decideDaysBefore: number | null;
  bufferBeforeMinutes: number;
  bufferAfterMinutes: number;
}
