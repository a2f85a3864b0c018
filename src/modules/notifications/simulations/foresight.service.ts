import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { RecipientLimits } from '../runs/recipient-limits.service.js';
import type { RunFacts } from '../runs/run-decision.js';
import type { KnownRun } from '../runs/run-history.service.js';
import { SendingHours } from '../timing/sending-hours.js';
import { foresee, type Verdict } from './verdict.js';

/** What one simulation has promised to each recipient so far, in lower case. */
export type Promised = Map<string, number>;

interface Day {
  date: string;
  suppressionGroup: string | null;
  known: KnownRun | null;
  promised: Promised;
}

/** What would become of a run, with all that its recipient has got already or is promised before. */
@Injectable()
export class Foresight {
  constructor(
    private readonly limits: RecipientLimits,
    private readonly window: SendingHours,
    private readonly clock: Clock,
  ) {}

  async verdict(
    run: Omit<RunFacts, 'runAt'> & { runAt: Date | null },
    { date, suppressionGroup, known, promised }: Day,
  ): Promise<Verdict> {
    const around = { date, now: this.clock.now(), window: this.window, standing: known?.status ?? null };
    const verdict = foresee(run, around);
    if (verdict.sending === null) return verdict;
    const { recipient } = verdict.sending;
    const beside = promised.get(recipient.toLowerCase()) ?? 0;
    const asked = { id: known?.id ?? '', recipient, suppressionGroup };
    const reason = await this.limits.refusal(asked, { at: verdict.at ?? around.now, beside });
    if (reason !== null) return { at: verdict.at, sending: null, reason };
    promised.set(recipient.toLowerCase(), beside + 1);
    return verdict;
  }
}
