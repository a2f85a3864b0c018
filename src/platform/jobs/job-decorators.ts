import { methodDecorator } from '../discovery/decorated-methods.js';

export type JobMethod = (payload: unknown) => Promise<void>;

/** Runs the method for each job of this name, with the job's payload, at least once: it must be repeatable. */
export const Job = methodDecorator<string, JobMethod>();

export interface CronOptions {
  name: string;
  pattern: string;
}

export const ScheduledJob = methodDecorator<CronOptions, () => Promise<void>>();

/** Runs the method on a schedule: the five fields of a crontab, in UTC. Missed times are not caught up. */
export function Cron(name: string, pattern: string) {
  return ScheduledJob({ name, pattern });
}
