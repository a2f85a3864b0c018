import { AppError, overloaded } from '../errors/app-error.js';

const RETRY_AFTER_MS = 1_000;

export interface ShareLimits {
  /** Tasks that run at the same time. */
  readonly running: number;
  /** Tasks that wait for their turn. */
  readonly waiting: number;
  /** Tasks of one caller that run at the same time. */
  readonly runningPerCaller: number;
  /** Tasks of one caller that wait; 0: none waits for tasks of its own caller, but it may wait for others. */
  readonly waitingPerCaller: number;
  /** Maximum wait of a task before it is rejected; if absent, it waits for its turn. */
  readonly waitMs?: number;
  /**
   * Whether a freed place is kept for the first task of the caller that waits for others in another share; one place per caller.
   * Otherwise tasks that need this share alone could pass it over again and again.
   */
  readonly reserves?: boolean;
}

/** A place in a share, for a task of this caller. */
interface Claim {
  readonly share: FairShare;
  readonly caller: string;
}

interface WaitingTask {
  readonly claims: readonly Claim[];
  start(): void;
}

interface Caller {
  running: number;
  /** The task for which a place of this share is kept, and counted. */
  reserved: WaitingTask | null;
  readonly waiting: WaitingTask[];
}

/** A quarter of the connections of a pool, and at least one; the rest of the pool stays free for other requests. */
export function quarterOf(poolSize: number): number {
  return Math.max(1, Math.floor(poolSize / 4));
}

/**
 * Runs a bounded number of tasks at the same time in this process, and limits each caller to a part of them. Further tasks
 * wait; the callers take turns, so that one with many tasks does not hold up the others. Too many tasks of one caller are 429,
 * too many of all callers together are 503.
 */
export class FairShare {
  /** Tasks that wait. */
  waiting = 0;
  private running = 0;
  /** Callers with tasks; the one served last is at the end. */
  private readonly callers = new Map<string, Caller>();

  constructor(private readonly limits: ShareLimits) {}

  /**
   * Resolves when the task may run in all of the shares; the returned function ends it. While the task waits, it occupies a place
   * in none of them, except in one that reserves: one that waits for its address must not keep an expensive place idle.
   */
  static async takeAll(claims: readonly Claim[]): Promise<() => void> {
    if (claims.every(({ share, caller }) => share.hasRoomFor(caller))) begin(claims);
    else await turn(claims);
    let isRunning = true;
    return () => {
      if (!isRunning) return;
      isRunning = false;
      for (const { share, caller } of claims) share.count(caller, -1);
      startNextIn(claims);
    };
  }

  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const release = await this.take(caller);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Resolves when the task may run; the returned function ends it. */
  async take(caller: string): Promise<() => void> {
    return FairShare.takeAll([{ share: this, caller }]);
  }

  hasRoomFor(caller: string): boolean {
    const { running, runningPerCaller } = this.limits;
    return this.running < running && this.tasksOf(caller).running < runningPerCaller;
  }

  /** Counts a task of the caller that begins (1) or ends (-1), and moves the caller behind all others, as it was served. */
  count(caller: string, change: 1 | -1): void {
    const own = this.tasksOf(caller);
    this.running += change;
    own.running += change;
    this.requeue(caller, own);
  }

  /** Throws 429 if the caller has too many tasks, 503 if too many tasks of all callers wait. */
  assertMayWait(caller: string): void {
    const { running, waiting } = this.tasksOf(caller);
    const queued = this.limits.waitingPerCaller === 0 ? 0 : waiting.length;
    if (running + queued >= this.most) throw this.tooManyOfCaller();
    if (this.waiting >= this.limits.waiting) throw tooManyOfAll();
  }

  enqueue(caller: string, task: WaitingTask): void {
    const own = this.tasksOf(caller);
    own.waiting.push(task);
    this.waiting += 1;
    this.callers.set(caller, own);
  }

  dequeue(caller: string, task: WaitingTask): void {
    const own = this.tasksOf(caller);
    own.waiting.splice(own.waiting.indexOf(task), 1);
    this.waiting -= 1;
    this.requeue(caller, own);
  }

  get waitMs(): number | undefined {
    return this.limits.waitMs;
  }

  /** The error of a task of the caller that has waited for too long: 429 if the caller itself uses its part. */
  errorAfterWaiting(caller: string): AppError | undefined {
    if (this.tasksOf(caller).running >= this.limits.runningPerCaller) return this.tooManyOfCaller();
    return undefined;
  }

  /** A place has become free: the callers take turns, and a task that waits for another share as well is passed over. */
  startNext(): void {
    if (this.running >= this.limits.running) return;
    for (const [caller, own] of this.callers) {
      if (own.running >= this.limits.runningPerCaller) continue;
      const task = this.nextToReserve(own) ?? own.waiting.find(canStart);
      if (!task) continue;
      if (canStart(task)) task.start();
      else this.reserve(caller, task);
      return;
    }
  }

  /** The first task of the caller that nothing delays but tasks of others. */
  private nextToReserve(own: Caller): WaitingTask | undefined {
    if (!this.limits.reserves || own.reserved) return undefined;
    return own.waiting.find(({ claims }) =>
      claims.every(({ share, caller }) => share === this || !share.isUsedUpBy(caller)),
    );
  }

  private reserve(caller: string, task: WaitingTask): void {
    this.tasksOf(caller).reserved = task;
    this.count(caller, 1);
  }

  private isUsedUpBy(caller: string): boolean {
    return this.tasksOf(caller).running >= this.limits.runningPerCaller;
  }

  isReservedFor(caller: string, task: WaitingTask): boolean {
    return this.callers.get(caller)?.reserved === task;
  }

  /** Ends the reservation of the task, if there is one, with its place. */
  unreserve(caller: string, task: WaitingTask): boolean {
    if (!this.isReservedFor(caller, task)) return false;
    this.tasksOf(caller).reserved = null;
    this.count(caller, -1);
    return true;
  }

  private tasksOf(caller: string): Caller {
    return this.callers.get(caller) ?? { running: 0, reserved: null, waiting: [] };
  }

  /** Moves the caller behind all others; a caller without tasks is forgotten. */
  private requeue(caller: string, own: Caller): void {
    this.callers.delete(caller);
    if (own.running > 0 || own.waiting.length > 0) this.callers.set(caller, own);
  }

  /** The tasks that one caller may have. */
  private get most(): number {
    return this.limits.runningPerCaller + this.limits.waitingPerCaller;
  }

  private tooManyOfCaller(): AppError {
    return new AppError(429, 'rate_limited', 'Too many requests of this kind are running; wait for one of them', {
      retryAfterMs: RETRY_AFTER_MS,
      details: { limit: this.most },
    });
  }
}

function startNextIn(claims: readonly Claim[]): void {
  for (const { share } of claims) share.startNext();
}

function canStart(task: WaitingTask): boolean {
  return task.claims.every(({ share, caller }) => share.isReservedFor(caller, task) || share.hasRoomFor(caller));
}

function begin(claims: readonly Claim[]): void {
  for (const { share, caller } of claims) share.count(caller, 1);
}

async function turn(claims: readonly Claim[]): Promise<void> {
  for (const { share, caller } of claims) share.assertMayWait(caller);
  const waits = claims.flatMap(({ share: { waitMs } }) => (waitMs === undefined ? [] : [waitMs]));
  await new Promise<void>((resolve, reject) => {
    const leaveQueues = () => {
      clearTimeout(timer);
      for (const { share, caller } of claims) share.dequeue(caller, task);
    };
    const task: WaitingTask = {
      claims,
      start: () => {
        leaveQueues();
        for (const { share, caller } of claims) share.unreserve(caller, task);
        // Counted before it runs, so that no other task takes its place in the meantime.
        begin(claims);
        resolve();
      },
    };
    const giveUp = () => {
      leaveQueues();
      const reserved = claims.filter(({ share, caller }) => share.unreserve(caller, task));
      startNextIn(reserved);
      const errors = claims.map(({ share, caller }) => share.errorAfterWaiting(caller));
      reject(errors.find((error) => error) ?? tooManyOfAll());
    };
    for (const { share, caller } of claims) share.enqueue(caller, task);
    const timer = waits.length > 0 ? setTimeout(giveUp, Math.min(...waits)) : undefined;
  });
}

function tooManyOfAll(): AppError {
  return overloaded('Too many requests of this kind are running; try again later', RETRY_AFTER_MS);
}
