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

/** Rejects the reversal if the subject was changed after the entry, because it would also revert that change. */
export function assertUnchangedSince(entry: RecordedAction, { version }: { version: number }): void {
  if (entry.after?.version !== version) throw changedSince(entry, version);
}

export function changedSince({ after }: RecordedAction, currentVersion: unknown): AppError {
  const { version: recordedVersion = null } = after ?? {};
  return conflict('changed_since', 'The resource was changed after this action', { recordedVersion, currentVersion });
}

/**
 * Rejects the reversal if the subject was deleted after the entry and created again with the same id. Its versions then start
 * again, so the version alone could match.
 */
export function assertSameSince({ after }: RecordedAction, { createdAt }: { createdAt: Date }): void {
  const { createdAt: recordedCreatedAt = null } = after ?? {};
  const currentCreatedAt = createdAt.toISOString();
  if (recordedCreatedAt === currentCreatedAt) return;
  const message = 'The resource was deleted and created again after this action';
  throw conflict('changed_since', message, { recordedCreatedAt, currentCreatedAt });
}

/** Returns the members that the entry changed, with their previous values. */
export function changedIn({ before, after }: RecordedAction): Record<string, unknown> {
  const isChanged = ([name, value]: [string, unknown]): boolean => !isDeepStrictEqual(value, after?.[name]);
  return Object.fromEntries(Object.entries(before ?? {}).filter(isChanged));
}

/** Members that every change sets. */
const SET_BY_EACH = ['version', 'updatedAt'];

/** Requires that every member that the entry changed has its previous value again. */
export function assertRestored(entry: RecordedAction, after: object | null): void {
  const restored = JSON.parse(JSON.stringify(after ?? {})) as Record<string, unknown>;
  const members = Object.entries(changedIn(entry))
    .filter(([name, value]) => !SET_BY_EACH.includes(name) && !isDeepStrictEqual(value, restored[name]))
    .map(([name]) => name);
  if (members.length === 0) return;
  throw conflict('not_restored', 'The update cannot be reversed as a whole', { members });
}
