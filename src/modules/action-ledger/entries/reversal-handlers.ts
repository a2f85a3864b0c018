import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { STAFF_MODULES } from '../../../platform/auth/scopes.js';
import { DecoratedMethods, methodDecorator } from '../../../platform/discovery/decorated-methods.js';
import { named } from '../../../platform/http/named-values.js';
import { Routes } from '../../../platform/http/routes.js';
import { ActionLedger } from './action-ledger.service.js';
import { assertRestored, type RecordedAction } from './recorded-action.js';
import { expectingNoChange, UndoingMethod } from './undoes.js';

export const REVERSAL_STATES = named('ReversalState', ['running', 'completed', 'failed', 'recorded']);
export type ReversalState = (typeof REVERSAL_STATES)[number];

/** Suffix of the action of an entry that answers another one without undoing it. */
export const RECORDED_SUFFIX = '.reverse_recorded';

export const REVERSAL_OUTCOMES = named('ReversalOutcome', ['full', 'partial']);
export type ReversalOutcome = (typeof REVERSAL_OUTCOMES)[number];

/** The subject before and after the reversal, for the entry of the reversal. */
export interface ReversalResult {
  before: object | null;
  after: object | null;
  /** `full` by default. */
  outcome?: ReversalOutcome;
  /** True if the method with `@CompletesReversal` must still inform external systems. */
  isRunning?: boolean;
}

export interface ReversalHandler extends ReversalOptions {
  reverse: (entry: RecordedAction, reason: string) => Promise<ReversalResult>;
  complete?: (entry: RecordedAction) => Promise<void>;
}

export interface ReversalOptions {
  /**
   * The action of the operation with the same effect as the reversal, if that is not the reversed action; its scope is also
   * required.
   */
  effect?: string;
}

const ReversalMethod = methodDecorator<
  { actions: readonly string[]; options: ReversalOptions },
  ReversalHandler['reverse']
>();

/**
 * Reverses ledger entries of these actions, in the running transaction. The method changes its module's data by the rules of
 * that module and records nothing in the ledger, because the reversal has its own entry. The caller gets an error of the method
 * as the reason why the entry cannot be reversed.
 */
export function Reverses(actions: string | readonly string[], options: ReversalOptions = {}) {
  return ReversalMethod({ actions: [actions].flat(), options });
}

/**
 * Informs external systems after a reversal that returned `isRunning`. Runs outside a transaction and is retried if it throws,
 * so it must be repeatable.
 */
export const CompletesReversal = methodDecorator<string, (entry: RecordedAction) => Promise<void>>();

/** Collects the reversal handler of each reversible action. */
@Injectable()
export class ReversalHandlers implements OnModuleInit, OnApplicationBootstrap {
  private readonly handlers = new Map<string, ReversalHandler>();

  constructor(
    private readonly methods: DecoratedMethods,
    private readonly routes: Routes,
    private readonly ledger: ActionLedger,
  ) {}

  onModuleInit(): void {
    const completions = this.methods.findByName(CompletesReversal, (completed) => completed);
    for (const { options: declared, call: reverse } of this.methods.find(ReversalMethod)) {
      for (const action of declared.actions) {
        const complete = completions.get(action)?.call;
        this.add(action, { ...declared.options, reverse, ...(complete && { complete }) });
      }
    }
    for (const { options: undoing, call } of this.methods.find(UndoingMethod)) {
      const reverse = async (entry: RecordedAction, reason: string): Promise<ReversalResult> =>
        this.takeBack(entry, undoing, async () => call(...(await undoing.argumentsOf(entry, reason))));
      for (const action of undoing.actions) this.add(action, { effect: undoing.effect, reverse });
    }
  }

  /** Reverses an entry. A reversed update must restore every member that the entry changed. */
  private async takeBack(
    entry: RecordedAction,
    { effect }: { effect: string },
    undo: () => Promise<unknown>,
  ): Promise<ReversalResult> {
    const images = await this.ledger.takeBack(entry, async () => expectingNoChange(entry, undo));
    if (effect === entry.action) assertRestored(entry, images.after);
    return images;
  }

  private add(action: string, handler: ReversalHandler): void {
    if (this.handlers.has(action)) throw new Error(`Two methods reverse ${action}`);
    this.handlers.set(action, handler);
  }

  /** A caller that may not perform an action may not reverse it, so each of these actions needs a route with a scope. */
  onApplicationBootstrap(): void {
    for (const [action, { effect = action }] of this.handlers) {
      for (const performed of [action, effect]) {
        if (this.routes.scopesOf(performed).length > 0) continue;
        throw new Error(`${action} can be reversed, but no route with a scope declares ${performed} with @Mutates`);
      }
    }
    for (const action of this.routes.actions()) {
      if (this.handlers.has(action) !== (this.routes.irreversibilityOf(action) !== null)) continue;
      throw new Error(`${action} must have a method that reverses it, or its route must say why it is irreversible`);
    }
  }

  /**
   * Returns the scopes of the routes that perform the action. For an action that only jobs or requests without a scope perform,
   * it returns the scope to change its module.
   */
  scopesOfAction(action: string): string[] {
    const scopes = this.routes.scopesOf(action);
    return scopes.length > 0 ? scopes : [moduleScopeOf(action, 'write')];
  }

  /**
   * Returns the scopes that a reversal of this action also requires: the scopes of the routes that perform the action, and of
   * the operation with the same effect.
   */
  scopesOf(action: string): string[] {
    return [...new Set([action, this.effectOf(action)].flatMap((performed) => this.routes.scopesOf(performed)))];
  }

  private effectOf(action: string): string {
    return this.handlers.get(action)?.effect ?? action;
  }

  /** Returns the reason that the route declares for having no reversal. */
  whyIrreversible(action: string): string {
    if (action.endsWith('.reverse')) return 'A reversal cannot be reversed: perform the action again';
    if (action.endsWith(RECORDED_SUFFIX)) return 'It changed nothing';
    return this.routes.irreversibilityOf(action) ?? 'The service did this by itself';
  }

  /** Returns the reversible actions. */
  actions(): string[] {
    return [...this.handlers.keys()];
  }

  find(action: string): ReversalHandler | null {
    return this.handlers.get(action) ?? null;
  }
}

/** Returns the scope of the module that recorded the action. Only holders of `*` may read the audit of other surfaces. */
export function moduleScopeOf(action: string, verb: 'read' | 'write'): string {
  const [module = ''] = action.split('.');
  return STAFF_MODULES.some((known) => known === module) ? `${module}:${verb}` : '*';
}
