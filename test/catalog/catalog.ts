import { randomUUID } from 'node:crypto';
import type { TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';

export const DOCUMENTS = '/v1/admin/catalog/documents';
export const SEARCH = '/v1/public/catalog/search';

export type Fields = Record<string, unknown>;

export interface CatalogDocument {
  vertical: string;
  id: string;
  locale: string;
  market: string;
  fields: Fields;
  productFields: string[];
  version: number;
  embedded: boolean;
  createdAt: string;
  updatedAt: string;
}

export interface SearchAnswer {
  vertical: string;
  mode: string;
  total: number;
  totalRelation: string;
  hits: { id: string; score: number; document: { id: string; fields: Fields } }[];
  cards: Fields[];
  facets: Record<string, { value: string | number | boolean; count: number }[]>;
  facetStats: Record<string, { min: number; max: number; avg: number; count: number }>;
  warnings: { path: string; code: string }[];
  next_cursor: string | null;
  market: string;
  locale: string;
}

export function newDocumentId(): string {
  return `doc_${randomUUID()}`;
}

/** Stores a product of the default market and returns it. */
export async function put(app: TestApp, fields: Fields, id = newDocumentId()): Promise<CatalogDocument> {
  const answer = await app
    .as('owner')
    .put<{ data: CatalogDocument }>(`${DOCUMENTS}/products/${id}`, { fields: { name: 'Nameless', ...fields } });
  if (answer.status > 201) throw new Error(`The document was rejected: ${answer.text}`);
  return answer.body.data;
}

/** Stores documents in batches. */
export async function putAll(
  app: TestApp,
  documents: readonly { id: string; fields: Fields }[],
  slice: { vertical?: string; locale?: string; market?: string } = {},
): Promise<void> {
  for (let start = 0; start < documents.length; start += 500) {
    const batch = documents.slice(start, start + 500).map((one) => ({ vertical: 'products', ...slice, ...one }));
    const answer = await app.as('owner').post(`${DOCUMENTS}/batch`, { documents: batch });
    if (answer.status !== 200) throw new Error(`The batch was rejected: ${answer.text}`);
  }
}

export function search(app: TestApp, body: object): Promise<Answer<SearchAnswer>> {
  return app.post<SearchAnswer>(SEARCH, { vertical: 'products', mode: 'keyword', ...body });
}

/** Waits until this process has indexed all committed changes. */
export async function searchable(app: TestApp): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const { status, body } = await app.get<{ parts: Record<string, { ok: boolean }> }>('/health/ready');
    if (status === 200 && body.parts['catalog']?.ok === true && (await isFresh(app))) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('The catalog did not become searchable');
}

async function isFresh(app: TestApp): Promise<boolean> {
  const { body } = await app.as('owner').get<{ data: { slices: { indexedGeneration: number }[] } }>(STATUS);
  const rows = await app.sql<{ generation: number }>('select sum(generation)::int as generation from catalog_slice');
  const indexed = body.data.slices.reduce((sum, { indexedGeneration }) => sum + indexedGeneration, 0);
  return indexed === rows[0]?.generation;
}

export const STATUS = '/v1/admin/catalog/status';

/** Fills a slice with a locale that no other test uses, and returns functions that search it by keyword. */
export async function fill(app: TestApp, locale: string, documents: readonly { id: string; fields: Fields }[]) {
  await putAll(app, documents, { locale });
  await searchable(app);
  const find = async (body: object) => (await search(app, { locale, ...body })).body;
  return { find, ids: async (body: object) => (await find(body)).hits.map(({ id }) => id) };
}
