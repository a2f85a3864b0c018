import { type ChannelConfig, isSendable } from '../rules/channel-config.js';
import type { RunStatus } from '../runs/reminder-run.entity.js';
import type { MailTemplate } from '../templates/mail-composer.js';
import type { DueTarget } from '../targets/reminder-source.js';
import type { LiveTrigger } from '../targets/reminder-trigger.js';
import { isTooLate } from '../timing/run-time.js';
import { freeFrom, type SendingWindow } from '../timing/sending-window.js';

/** The state that decides whether a run sends its message now. The limits of the recipient are checked separately. */
export interface DueRun {
  enabled: boolean;
  trigger: LiveTrigger;
  anchorDate: string;
  runAt: Date;
  graceHours: number;
  config: ChannelConfig;
  /** The current target; null if it is no longer open. */
  target: DueTarget | null;
  /** Its text; null if the template does not exist. */
  template: MailTemplate | null;
}

export type Decision =
  | { kind: 'send'; template: MailTemplate; target: DueTarget; recipient: string }
  | { kind: 'wait'; until: Date }
  | { kind: 'end'; status: RunStatus; reason: string };

export function decide(run: DueRun, { now, window }: { now: Date; window: SendingWindow }): Decision {
  const { target, config, template } = run;
  if (!run.enabled) return end('cancelled', 'rule_disabled');
  if (!target) return end('cancelled', 'target_closed');
  if (target.anchorDate !== run.anchorDate) return end('superseded', 'anchor_moved');
  if (isTooLate(now, run)) return end('expired', 'too_late');

  if (target.waitsUntil && target.waitsUntil > now) return { kind: 'wait', until: target.waitsUntil };
  if (target.ask?.cents === 0) return end('skipped', 'credit_available');

  const free = freeFrom(now, window);
  if (!free) return end('expired', 'no_free_moment');
  if (free > now) return { kind: 'wait', until: free };

  const recipient = target.customerEmail;
  if (!isSendable(config)) return end('skipped', 'channel_not_supported');
  if (!template) return end('skipped', 'template_missing');
  if (recipient === null) return end('skipped', 'no_recipient');
  return { kind: 'send', template, target, recipient };
}

function end(status: RunStatus, reason: string): Decision {
  return { kind: 'end', status, reason };
}
