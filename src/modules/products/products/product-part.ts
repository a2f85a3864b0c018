import type { ExpectedVersions } from '../../../platform/http/if-match.js';
import { parentIn, type RecordedAction, versionAfter } from '../../action-ledger/index.js';

/** An option or a unit of a product, and its versions that a change accepts. */
export interface ProductPart {
  productId: string;
  id: string;
  expected: ExpectedVersions;
  /** For a reversal: the option that was the default before this one. */
  formerDefaultId?: string | null;
}

/** Returns the option or unit of the entry, as the entry left it. */
export function partAfter(entry: RecordedAction): ProductPart {
  const formerDefaultId = entry.after?.['formerDefaultId'];
  return {
    productId: parentIn(entry, 'productId'),
    id: entry.subjectId,
    expected: versionAfter(entry),
    formerDefaultId: typeof formerDefaultId === 'string' ? formerDefaultId : null,
  };
}
