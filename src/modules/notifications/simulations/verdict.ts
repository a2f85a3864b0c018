import { decide, type Decision, type RunFacts } from '../runs/run-decision.js';
import type { RunStatus } from '../runs/reminder-run.entity.js';
import { freeFrom, type SendingWindow } from '../timing/sending-window.js';
import { dayIn } from './simulated-days.js';

type Sending = Extract<Decision, { kind: 'send' }>;

/** When a message would leave, and either what is sent or why nothing is. */
export type Verdict = { at: Date | null } & ({ sending: Sending; reason: null } | { sending: null; reason: string });

export interface Circumstances {
  date: string;
  now: Date;
  window: SendingWindow;
  /** How the run stands that there is already; null where none is. */
  standing: RunStatus | null;
}

/** A run in one of these is planned, or may be planned again; any other one has had its chance. */
const AHEAD: readonly RunStatus[] = ['planned', 'queued', 'cancelled', 'superseded'];

/** What would become of a run on that day, before anybody counts what its recipient has got by then. */
export function foresee(
  run: Omit<RunFacts, 'runAt'> & { runAt: Date | null },
  { date, now, window, standing }: Circumstances,
): Verdict {
  const { runAt } = run;
  if (standing !== null && !AHEAD.includes(standing)) return none(runAt, `already_${standing}`);
  // What is due already leaves now, unless this is a quiet hour.
  const at = runAt === null || runAt > now ? runAt : freeFrom(now, window);
  if (runAt === null || at === null) return none(null, 'no_free_moment');

  const decision = decide({ ...run, runAt }, { now: at, window });
  switch (decision.kind) {
    case 'end':
      return none(at, decision.reason);
    case 'wait':
      return none(decision.until, 'moved');
    case 'send':
      return dayIn(window.timeZone, at) === date ? { at, sending: decision, reason: null } : none(at, 'moved');
  }
}

function none(at: Date | null, reason: string): Verdict {
  return { at, sending: null, reason };
}
