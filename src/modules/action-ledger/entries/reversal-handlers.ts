import { named } from '../../../platform/http/named-values.js';
import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { STAFF_MODULES } from '../../../platform/auth/scopes.js';
import { DecoratedMethods, methodDecorator } from '../../../platform/discovery/decorated-methods.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { Routes } from '../../../platform/http/routes.js';

export const REVERSAL_STATES = named('ReversalState', ['running', 'completed', 'failed', 'recorded']);
export type ReversalState = (typeof REVERSAL_STATES)[number];

/** Ends the action of an entry that answers another one without undoing it. */
export const RECORDED_SUFFIX = '.reverse_recorded';

export const REVERSAL_OUTCOMES = named('ReversalOutcome', ['full', 'partial']);
export type ReversalOutcome = (typeof REVERSAL_OUTCOMES)[number];

/** An entry to reverse. */
export interface RecordedAction {
  action: string;
  subjectType: string;
  subjectId: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** The subject before and after the reversal, for the entry of the reversal. */
export interface ReversalResult {
  before: object | null;
  after: object | null;
  /** `full` by default. */
  outcome?: ReversalOutcome;
  /** External systems must still be informed, by the method with `@CompletesReversal`. */
  isRunning?: boolean;
}

export interface ReversalHandler extends ReversalOptions {
  reverse: (entry: RecordedAction, reason: string) => Promise<ReversalResult>;
  complete?: (entry: RecordedAction) => Promise<void>;
}

export interface ReversalOptions {
  /** The scope of the operation that has the effect of the reversal, if it is not that of the reversed action. */
  needs?: string;
}

const ReversalMethod = methodDecorator<
  { actions: readonly string[]; options: ReversalOptions },
  ReversalHandler['reverse']
>();

/**
 * Reverses ledger entries of these actions, in the running transaction. The method changes its module's data by the rules of
 * that module and records nothing in the ledger: the reversal has an entry of its own. An error that it throws is
 * reported to the caller as the reason why the entry cannot be reversed.
 */
export function Reverses(actions: string | readonly string[], options: ReversalOptions = {}) {
  return ReversalMethod({ actions: [actions].flat(), options });
}

/**
 * Informs external systems after a reversal that returned `isRunning`: not in a transaction, and again later if it throws.
 * The method must be repeatable.
 */
export const CompletesReversal = methodDecorator<string, (entry: RecordedAction) => Promise<void>>();

/** The reversal handler of each action that can be reversed. */
@Injectable()
export class ReversalHandlers implements OnModuleInit, OnApplicationBootstrap {
  private readonly handlers = new Map<string, ReversalHandler>();

  constructor(
    private readonly methods: DecoratedMethods,
    private readonly routes: Routes,
  ) {}

  onModuleInit(): void {
    const completions = this.methods.findByName(CompletesReversal, (completed) => completed);
    for (const { options: declared, call: reverse } of this.methods.find(ReversalMethod)) {
      for (const action of declared.actions) {
        const complete = completions.get(action)?.call;
        if (this.handlers.has(action)) throw new Error(`Two methods reverse ${action}`);
        this.handlers.set(action, { ...declared.options, reverse, ...(complete && { complete }) });
      }
    }
  }

  /** A caller that may not perform an action may not reverse it, so each of these actions needs a route with a scope. */
  onApplicationBootstrap(): void {
    for (const action of this.handlers.keys()) {
      if (this.routes.scopesOf(action).length > 0) continue;
      throw new Error(`${action} can be reversed, but no route with a scope declares it with @Mutates`);
    }
  }

  /**
   * The scopes of the routes that perform the action. An entry that only jobs or requests without a scope write belongs to
   * those who may change its module.
   */
  scopesOfAction(action: string): string[] {
    const scopes = this.routes.scopesOf(action);
    return scopes.length > 0 ? scopes : [moduleScopeOf(action, 'write')];
  }

  /**
   * The scopes that a reversal of this action requires besides its own: those of the routes that perform the action, and that
   * of its effect.
   */
  scopesOf(action: string): string[] {
    const needs = this.handlers.get(action)?.needs ?? [];
    return [...new Set([...this.routes.scopesOf(action), ...[needs].flat()])];
  }

  /** Why no method reverses the action: as its route declares. */
  whyIrreversible(action: string): string {
    if (action.endsWith('.reverse')) return 'A reversal cannot be reversed; perform the action again';
    if (action.endsWith(RECORDED_SUFFIX)) return 'It changed nothing';
    return this.routes.irreversibilityOf(action) ?? 'No operation undoes this action as a whole';
  }

  /** The actions that can be reversed. */
  actions(): string[] {
    return [...this.handlers.keys()];
  }

  find(action: string): ReversalHandler | null {
    return this.handlers.get(action) ?? null;
  }
}

/** The scope of the module that recorded the action. The audit of other surfaces is for holders of `*` only. */
export function moduleScopeOf(action: string, verb: 'read' | 'write'): string {
  const [module = ''] = action.split('.');
  return STAFF_MODULES.some((known) => known === module) ? `${module}:${verb}` : '*';
}

/** Throws 409 `changed_since` if the subject was changed after the entry: the reversal would also revert that change. */
export function assertUnchangedSince({ after }: RecordedAction, { version }: { version: number }): void {
  const { version: recorded } = after ?? {};
  if (recorded === version) return;
  throw conflict('changed_since', 'The resource was changed after this action', {
    recordedVersion: recorded ?? null,
    currentVersion: version,
  });
}
