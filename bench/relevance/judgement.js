import { ndcg } from './data.js';
import { indexOf, search, searchedText } from './engine.js';
import { plainBm25 } from './plain-bm25.js';

const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** The mean NDCG@10 of plain BM25 over the queries of a collection. */
export function judgePlain({ documents, queries }, options) {
  const best = plainBm25(
    documents.map(({ id, fields }) => ({ id, text: searchedText(fields) })),
    options,
  );
  return mean(queries.map(({ text, gains }) => ndcg(best(text), gains)));
}

/** The mean NDCG@10 of each mode, and the share of queries without a result. */
export async function judge({ documents, queries }, { modes, rewrite = (query) => query, ...options }) {
  const index = await indexOf(documents, { vectors: modes.some((mode) => mode !== 'keyword'), ...options });
  const judged = {};
  for (const mode of modes) {
    const gained = [];
    let none = 0;
    for (const { text, gains } of queries) {
      const { hits, total } = await search(index, rewrite(text), { mode });
      const ids = hits.map(({ id }) => id);
      gained.push(ndcg(ids, gains));
      if (total === 0) none += 1;
    }
    judged[mode] = { ndcg: mean(gained), none: none / queries.length };
  }
  return judged;
}
