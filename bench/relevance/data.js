import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Development data that is not part of the repository; null if there is none. */
export function development(name) {
  const folder = process.env.RELEVANCE_DATA ?? join(import.meta.dirname, '../../../shared/data/retrieval');
  const file = join(folder, name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

/** Documents with a title and a body as products, queries, and the relevance of documents. */
export function collection({ docs, queries, qrels }) {
  return {
    documents: docs.map(({ id, t, b }) => ({
      id: String(id),
      fields: { name: t.trim() || String(id), description: b },
    })),
    queries: queries.map(({ id, q }) => ({ text: q, gains: new Map(Object.entries(qrels[id] ?? {})) })),
  };
}

/** NDCG@10: gain / log2(rank + 1) of the first ten, divided by that of the best order. */
export function ndcg(ids, gains) {
  const discounted = (list) => list.slice(0, 10).reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);
  const ideal = discounted([...gains.values()].toSorted((a, b) => b - a));
  return ideal === 0 ? 0 : discounted(ids.map((id) => gains.get(id) ?? 0)) / ideal;
}
