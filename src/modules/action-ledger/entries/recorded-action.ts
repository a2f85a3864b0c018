import { isDeepStrictEqual } from 'node:util';
import { type AppError, conflict } from '../../../platform/errors/app-error.js';

/** An entry to reverse. */
export interface RecordedAction {
  action: string;
  subjectType: string;
  subjectId: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** Throws 409 `changed_since` if the subject was changed after the entry: the reversal would also revert that change. */
export function assertUnchangedSince(entry: RecordedAction, { version }: { version: number }): void {
  if (entry.after?.version !== version) throw changedSince(entry, version);
}

export function changedSince({ after }: RecordedAction, currentVersion: unknown): AppError {
  const { version: recordedVersion = null } = after ?? {};
  return conflict('changed_since', 'The resource was changed after this action', { recordedVersion, currentVersion });
}

/**
 * Throws 409 `changed_since` if the subject was deleted after the entry and created again under its id. For subjects whose
 * versions then start again: the version alone may match.
 */
export function assertSameSince({ after }: RecordedAction, { createdAt }: { createdAt: Date }): void {
  const { createdAt: recordedCreatedAt = null } = after ?? {};
  const currentCreatedAt = createdAt.toISOString();
  if (recordedCreatedAt === currentCreatedAt) return;
  const message = 'The resource was deleted and created again after this action';
  throw conflict('changed_since', message, { recordedCreatedAt, currentCreatedAt });
}

/** The members that the entry has changed, as they were before. */
export function changedIn({ before, after }: RecordedAction): Record<string, unknown> {
  const isChanged = ([name, value]: [string, unknown]): boolean => !isDeepStrictEqual(value, after?.[name]);
  return Object.fromEntries(Object.entries(before ?? {}).filter(isChanged));
}

/** What every change sets. */
const SET_BY_EACH = ['version', 'updatedAt'];

/** Throws 409 `not_restored` if a member that the entry had changed is not as before. */
export function assertRestored(entry: RecordedAction, after: object | null): void {
  const restored = JSON.parse(JSON.stringify(after ?? {})) as Record<string, unknown>;
  const members = Object.entries(changedIn(entry))
    .filter(([name, value]) => !SET_BY_EACH.includes(name) && !isDeepStrictEqual(value, restored[name]))
    .map(([name]) => name);
  if (members.length === 0) return;
  throw conflict('not_restored', 'The update cannot be reversed as a whole', { members });
}
