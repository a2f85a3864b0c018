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
