import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { addressKey } from '../context/client-address.js';
import { currentContext } from '../context/request-context.js';
import { currentCaller } from './caller.js';
import { FairShare, quarterOf } from './fair-share.js';

/** A request waits at most half of its deadline, so that the rest remains for its work. */
const WAITING_PART = 1 / 2;
const EXPENSIVE_READS_PER_CALLER = 2;
const EXPENSIVE_READS_WAITING_PER_CALLER = 16;
const EXPENSIVE_READS_WAITING = 128;

/**
 * What one caller may have of this process: at most a quarter as many running requests as there are database connections,
 * and half as many for all credentials of its address together. Further requests wait in a queue of the caller, so that a client
 * with many requests at once delays only itself.
 */
@Injectable()
export class RequestShares {
  private readonly ofCaller: FairShare;
  private readonly ofAddress: FairShare;
  private readonly ofExpensiveReads: FairShare;

  constructor(env: Env) {
    const quarter = quarterOf(env.databasePoolSize);
    const waitMs = env.requestDeadlineMs * WAITING_PART;
    const waiting = env.maxInFlight;
    const waitingPerCaller = Math.ceil(waiting / 2);
    const running = Infinity;
    this.ofCaller = new FairShare({ running, waiting, runningPerCaller: quarter, waitingPerCaller, waitMs });
    this.ofAddress = new FairShare({
      running,
      waiting,
      runningPerCaller: 2 * quarter,
      waitingPerCaller: waiting,
      waitMs,
    });
    this.ofExpensiveReads = new FairShare({
      running: quarter,
      waiting: EXPENSIVE_READS_WAITING,
      // Not the whole share of the caller: a long export must not stop its other requests.
      runningPerCaller: Math.min(Math.ceil(quarter / 2), EXPENSIVE_READS_PER_CALLER),
      waitingPerCaller: EXPENSIVE_READS_WAITING_PER_CALLER,
      waitMs,
    });
  }

  /** Requests that wait for their turn. */
  get waiting(): number {
    return this.ofCaller.waiting + this.ofAddress.waiting + this.ofExpensiveReads.waiting;
  }

  /** Resolves when the running request may begin; the returned function ends it. Throws 429, 503. */
  async take({ isExpensive }: { isExpensive: boolean }): Promise<() => void> {
    const [caller, address] = [currentCaller(), addressKey(currentContext().client?.address)];
    const taken: (() => void)[] = [];
    const release = () => taken.forEach((end) => end());
    try {
      // The narrowest first: a request that waits for it must not use up the shares of other requests.
      if (isExpensive) taken.push(await this.ofExpensiveReads.take(caller));
      taken.push(await this.ofCaller.take(caller));
      taken.push(await this.ofAddress.take(address));
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }
}
