import { named } from '../../../platform/http/named-values.js';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DecoratedMethods, methodDecorator } from '../../../platform/discovery/decorated-methods.js';
import { conflict } from '../../../platform/errors/app-error.js';

export const REVERSAL_STATES = named('ReversalState', ['running', 'completed', 'failed']);
export type ReversalState = (typeof REVERSAL_STATES)[number];

export const REVERSAL_OUTCOMES = named('ReversalOutcome', ['full', 'partial']);
export type ReversalOutcome = (typeof REVERSAL_OUTCOMES)[number];

/** An entry that is to be undone. */
export interface RecordedAction {
  action: string;
  subjectType: string;
  subjectId: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** The subject before and after its undoing, as the reversal's entry keeps it. */
export interface Undone {
  before: object | null;
  after: object | null;
  /** `full` unless given. */
  outcome?: ReversalOutcome;
  /** Somebody outside is still to be told, by `goOn`. */
  isRunning?: boolean;
}

export interface Undo {
  /**
   * Undoes the action in the running transaction, by the rules of the module whose subject it is, and records nothing in
   * the ledger: the reversal's entry says it. Whatever it refuses is told to the caller as what blocks the reversal.
   */
  reverse(entry: RecordedAction, reason: string): Promise<Undone>;
  /** Tells those outside, in no transaction and, where it throws, again later. It has to bear being repeated. */
  goOn?(entry: RecordedAction): Promise<void>;
}

const ReversalMethod = methodDecorator<readonly string[], Undo['reverse']>();

/**
 * Reverses ledger entries of these actions, in the running transaction. The method changes its module's data by the rules of
 * that module and records nothing in the ledger: the reversal has an entry of its own. An error that it throws is
 * reported to the caller as the reason why the entry cannot be reversed.
 */
export function Reverses(...actions: string[]) {
  return ReversalMethod(actions);
}

/**
 * Informs external systems after a reversal that returned `isRunning`: outside of transactions, and again later if it
 * throws. The method must be repeatable.
 */
export const CompletesReversal = methodDecorator<string, (entry: RecordedAction) => Promise<void>>();

/** The reversal handler of each action that can be reversed. */
@Injectable()
export class Reversals implements OnModuleInit {
  private readonly undos = new Map<string, Undo>();

  constructor(private readonly methods: DecoratedMethods) {}

  onModuleInit(): void {
    const completions = this.methods.findByName(CompletesReversal, (action) => action);
    for (const { options: actions, call: reverse } of this.methods.find(ReversalMethod)) {
      for (const action of actions) {
        const goOn = completions.get(action)?.call;
        this.register(action, goOn ? { reverse, goOn } : { reverse });
      }
    }
  }

  /** Call it in `onModuleInit`. */
  register(action: string, undo: Undo): void {
    if (this.undos.has(action)) throw new Error(`Two modules undo ${action}`);
    this.undos.set(action, undo);
  }

  find(action: string): Undo | null {
    return this.undos.get(action) ?? null;
  }
}

/** Refuses where the subject was changed after the entry: undoing it would undo that as well. 409 `changed_since`. */
export function assertUnchangedSince({ after }: RecordedAction, { version }: { version: number }): void {
  const { version: recorded } = after ?? {};
  if (recorded === version) return;
  throw conflict('changed_since', 'The resource was changed after this action', {
    recordedVersion: recorded ?? null,
    currentVersion: version,
  });
}
