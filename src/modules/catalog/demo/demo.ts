import { demoId } from '../../../platform/id.js';
import type { Documents } from '../documents/documents.service.js';
import type { Market } from '../slices/markets.js';
import { drafts } from './generator.js';

const DOCUMENTS = 400;

/** A catalog in four verticals; its first products are the ones that the API document's examples name. */
export async function loadDemoCatalog(documents: Documents, { code, locale }: Market, now: Date): Promise<void> {
  const made = [...drafts(DOCUMENTS, now)].map((draft) => ({ ...draft, locale, market: code }));
  await documents.putAll(made, demoId('cbat', 1));
}
