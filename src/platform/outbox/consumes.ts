import { methodDecorator } from '../discovery/decorated-methods.js';
import type { JobMethod } from '../jobs/job-decorators.js';

/** Work that follows an event. */
export interface Consumer {
  /** The name of the job that is added for each event, with the data of the event. */
  readonly job: string;
  /** If present, a newer event of the same subject replaces one whose job still waits: each event must be complete. */
  readonly subjectOf?: (data: Record<string, unknown>) => string;
}

/** Adds a job for each event of this name, in the order of the events. The method runs it by `@Job`. */
export const Consumes = methodDecorator<Consumer & { readonly event: string }, JobMethod>();
