import type { Database } from '../../platform/database/database.js';
import { AppError, type Issue } from '../../platform/errors/app-error.js';
import { toAppError } from '../../platform/errors/to-app-error.js';

/** How a long operation works on one of its items. */
interface ItemWork<Item extends { id: string }> {
  /** Locks the next item, and passes over items on which other processes work. Returns null if none is left. */
  claim: () => Promise<Item | null>;
  treat: (item: Item) => Promise<void>;
  /** Records the error of an item whose transaction has rolled back. Returns false if the operation must wait. */
  fail: (itemId: string, error: unknown) => Promise<boolean>;
  /** If given, the work is only tried: it is rolled back, and then this records that it succeeded. */
  pass?: (itemId: string) => Promise<void>;
}

/** Why an item failed, in the words of the API. */
export interface ItemFault {
  code: string;
  message: string;
  /** Path of the member at fault; null if it is none or several. */
  path: string | null;
  /** Another attempt may succeed. */
  isTemporary: boolean;
}

/**
 * Works on the next item of a long operation in a transaction of its own. The effects and the state of the item are committed
 * together, so a killed process leaves the item as it was, and the next one does it. Returns false if nothing is left to do now.
 */
export async function workOnNext<Item extends { id: string }>(
  database: Database,
  { claim, treat, fail, pass }: ItemWork<Item>,
): Promise<boolean> {
  // Only the id: the entity may have changed when the transaction fails.
  const claimed: { id: string | null } = { id: null };
  const work = async () => {
    const item = await claim();
    claimed.id = item?.id ?? null;
    if (item) await treat(item);
  };
  try {
    await (pass ? database.dryRun(work) : database.transaction(work));
  } catch (error) {
    if (claimed.id === null) throw error;
    return fail(claimed.id, error);
  }
  if (claimed.id === null) return false;
  await pass?.(claimed.id);
  return true;
}

/** Describes the error of an item. Messages of the API contain no values, so they can be stored. */
export function itemFaultOf(error: unknown): ItemFault {
  const known = toAppError(error);
  if (!known) return { code: 'internal_error', message: 'An internal error occurred', path: null, isTemporary: true };
  const [issue] = issuesOf(known);
  const field: unknown = known.details?.['field'];
  return {
    code: issue?.code ?? known.code,
    message: issue?.message ?? known.message,
    path: issue?.path ?? (typeof field === 'string' ? field : null),
    isTemporary: known.status >= 500,
  };
}

/** All faults of a request that was rejected as invalid; empty for other errors. */
export function issuesOf(error: unknown): Pick<Issue, 'path' | 'code' | 'message'>[] {
  const issues: unknown = error instanceof AppError ? error.details?.['issues'] : null;
  return Array.isArray(issues) ? issues.filter(isIssue) : [];
}

function isIssue(value: unknown): value is Issue {
  return typeof value === 'object' && value !== null && 'path' in value && 'code' in value && 'message' in value;
}
