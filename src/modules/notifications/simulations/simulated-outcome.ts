import { localDayOf } from '../../../platform/time/local-time.js';
import { decide, type Decision, type DueRun } from '../deliveries/run-decision.js';
import type { RunStatus } from '../runs/reminder-run.entity.js';
import { freeFrom, type SendingWindow } from '../timing/sending-window.js';

type Sending = Extract<Decision, { kind: 'send' }>;

/** The time at which a message would be sent, with its content or the reason why none is sent. */
export type SimulatedOutcome = { at: Date | null } & (
  { sending: Sending; reason: null } | { sending: null; reason: string }
);

interface SimulatedDay {
  date: string;
  now: Date;
  window: SendingWindow;
  /** Status of the existing run; null if there is none. */
  status: RunStatus | null;
}

/** A run in one of these statuses is planned or may be planned again; any other one has been decided. */
const UNDECIDED: readonly RunStatus[] = ['planned', 'queued', 'cancelled', 'superseded'];

/** Returns the outcome of a run on that day, without the limits of its recipient. */
export function simulateRun(
  run: Omit<DueRun, 'runAt'> & { runAt: Date | null },
  { date, now, window, status }: SimulatedDay,
): SimulatedOutcome {
  const { runAt } = run;
  if (status !== null && !UNDECIDED.includes(status)) return none(runAt, `already_${status}`);
  // An overdue run is sent now, or after the quiet hours.
  const at = runAt === null || runAt > now ? runAt : freeFrom(now, window);
  if (runAt === null || at === null) return none(null, 'no_free_moment');

  const decision = decide({ ...run, runAt }, { now: at, window });
  switch (decision.kind) {
    case 'end':
      return none(at, decision.reason);
    case 'wait':
      return none(decision.until, 'moved');
    case 'send':
      return localDayOf(at, window.timeZone) === date ? { at, sending: decision, reason: null } : none(at, 'moved');
  }
}

function none(at: Date | null, reason: string): SimulatedOutcome {
  return { at, sending: null, reason };
}
