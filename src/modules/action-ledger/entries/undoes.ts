import type { Type } from '@nestjs/common';
import { type MethodDecoratorOf, methodDecorator } from '../../../platform/discovery/decorated-methods.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import type { ExpectedVersions } from '../../../platform/http/if-match.js';
import { changedSince, type RecordedAction } from './recorded-action.js';

/** Returns the arguments with which the use case reverses this entry. */
type ArgumentsOf<Arguments extends readonly unknown[]> = (
  entry: RecordedAction,
  reason: string,
) => Arguments | Promise<Arguments>;

interface Undoing {
  actions: readonly string[];
  effect: string;
  argumentsOf: ArgumentsOf<readonly unknown[]>;
}

export const UndoingMethod = methodDecorator<Undoing, (...values: readonly unknown[]) => Promise<unknown>>();

/**
 * Declares that the use case also reverses ledger entries of these actions, with its own rules and errors. The change of the
 * subject becomes the entry of the reversal. `effect` is the action that it records otherwise; `values` returns its arguments.
 */
export function Undoes<Arguments extends readonly unknown[]>(
  actions: string | readonly string[],
  { effect, values }: { effect: string; values: ArgumentsOf<Arguments> },
): MethodDecoratorOf<(...values: Arguments) => Promise<unknown>> {
  return UndoingMethod({ actions: [actions].flat(), effect, argumentsOf: values });
}

/** Declares that the use case is an update that also reverses its own entries. */
export function UndoesItself<Body extends object>(
  action: string,
  body: Type<Body>,
): MethodDecoratorOf<(id: string, body: Body, expected: ExpectedVersions) => Promise<unknown>> {
  return Undoes(action, {
    effect: action,
    values: async (entry) => [entry.subjectId, await checkedAs(body, entry.before), versionAfter(entry)] as const,
  });
}

/** Returns the version after the entry, for use cases that must reject every later version. */
export function versionAfter({ after }: RecordedAction): ExpectedVersions {
  const { version } = after ?? {};
  return typeof version === 'number' ? [version] : [];
}

/** Returns the id of the row to which the subject belongs, as the entry names it. */
export function parentIn({ before, after }: RecordedAction, name: string): string {
  const id = (after ?? before)?.[name];
  if (typeof id !== 'string') throw new Error(`The entry has no ${name}`);
  return id;
}

/** Returns the arguments of a use case that takes the id of the subject and the versions that it accepts. */
export const byVersion = (entry: RecordedAction): [string, ExpectedVersions] => [entry.subjectId, versionAfter(entry)];

/** Returns the arguments of a use case that takes the id of the subject, a reason, and the versions that it accepts. */
export const byReason = (entry: RecordedAction, reason: string): [string, string, ExpectedVersions] => [
  entry.subjectId,
  reason,
  versionAfter(entry),
];

/** Reports a version that the use case does not accept as the reason that prevents the reversal. */
export async function expectingNoChange<T>(entry: RecordedAction, undo: () => Promise<T>): Promise<T> {
  try {
    return await undo();
  } catch (error) {
    if (error instanceof AppError && error.status === 412) throw changedSince(entry, error.details?.currentVersion);
    throw error;
  }
}
