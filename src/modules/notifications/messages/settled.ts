import { MAX_ATTEMPTS } from './backoff.js';
import type { Outcome } from './mail-sender.js';
import type { MessageStatus } from './notification-message.entity.js';

/** What is written of a message and of the run that it is for. */
export interface Settled {
  status: MessageStatus;
  reason: string | null;
  run: { status: 'sent' | 'queued' | 'failed' | 'cancelled'; reason: string | null };
}

/** Its rule was disabled while it was being sent. */
export const WITHDRAWN: Settled = {
  status: 'cancelled',
  reason: null,
  run: { status: 'cancelled', reason: 'rule_disabled' },
};

/** What becomes of a message by the outcome of one of its attempts. */
export function settledBy(outcome: Outcome, attempts: number): Settled {
  switch (outcome.kind) {
    case 'sent':
      return { status: 'sent', reason: null, run: { status: 'sent', reason: null } };
    case 'recorded':
      return { status: 'recorded', reason: null, run: { status: 'sent', reason: 'recorded_only' } };
    case 'temporary':
      if (attempts >= MAX_ATTEMPTS) return failed('attempts_exhausted');
      return { status: 'queued', reason: null, run: { status: 'queued', reason: null } };
    case 'rejected':
      return failed('rejected');
    case 'unknown':
      return failed('outcome_unknown');
  }
}

function failed(reason: string): Settled {
  return { status: 'failed', reason, run: { status: 'failed', reason } };
}
