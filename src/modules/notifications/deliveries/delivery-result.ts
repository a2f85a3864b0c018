import type { MessageStatus } from '../messages/notification-message.entity.js';
import type { Outcome } from './mail-sender.js';

const FIRST_DELAY_MS = 5_000;
const MAX_DELAY_MS = 15 * 60_000;
const MAX_ATTEMPTS = 8;

/** The new states of a message and of its run. */
export interface DeliveryResult {
  status: MessageStatus;
  reason: string | null;
  run: { status: 'sent' | 'queued' | 'failed' | 'cancelled'; reason: string | null };
}

/** The rule was disabled during the attempt, which is not repeated; or the link of a mail about an account has ended. */
export const CANCELLED: DeliveryResult = {
  status: 'cancelled',
  reason: null,
  run: { status: 'cancelled', reason: 'rule_disabled' },
};

/** Returns the states after an attempt; `attempts` includes this one. */
export function deliveryResultOf(outcome: Outcome, attempts: number): DeliveryResult {
  switch (outcome.kind) {
    case 'sent':
      return { status: 'sent', reason: null, run: { status: 'sent', reason: null } };
    case 'recorded':
      return { status: 'recorded', reason: null, run: { status: 'sent', reason: 'recorded_only' } };
    case 'withdrawn':
      return CANCELLED;
    case 'temporary':
      if (attempts >= MAX_ATTEMPTS) return failed('attempts_exhausted');
      return { status: 'queued', reason: null, run: { status: 'queued', reason: null } };
    case 'rejected':
      return failed('rejected');
    case 'incomplete':
      return failed('file_missing');
    case 'bounced':
      return failed('hard_bounce');
    case 'unknown':
      return failed('outcome_unknown');
  }
}

/** Returns the delay after N attempts: 5 s, doubled each time, at most 15 minutes. */
export function retryDelayMs(attempts: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** (attempts - 1), MAX_DELAY_MS);
}

function failed(reason: string): DeliveryResult {
  return { status: 'failed', reason, run: { status: 'failed', reason } };
}
